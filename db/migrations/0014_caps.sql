-- How fast: of each mailbox so many mails in any 24 hours, with a gap between them, and fewer while it is new; of each
-- campaign so many new prospects a day. A prospect stays with the mailbox that it first heard from.

alter table mailboxes
  add column daily_cap       integer check (daily_cap between 1 and 100000),
  add column min_gap_seconds integer not null default 0 check (min_gap_seconds between 0 and 86400),
  -- While it is new: so many on the first day since then, and so many more each day, up to the cap.
  add column ramp_start      integer check (ramp_start between 1 and 100000),
  add column ramp_increase   integer check (ramp_increase between 1 and 100000),
  add column ramp_since      timestamptz(3),
  -- Before these times nobody need look for work for it. Whether there is room is told by the attempts alone.
  add column full_until      timestamptz(3),
  add column rests_until     timestamptz(3),
  add constraint mailboxes_ramp_check check (
    ramp_since is null and ramp_start is null and ramp_increase is null
    or daily_cap is not null and ramp_since is not null and ramp_start is not null and ramp_increase is not null);

-- Mails that were handed to a mailbox's server, whatever it said: what providers count. At the time when the answer was
-- known, which is never before the provider's own. Of the last day alone.
create table mailbox_attempts (
  account_id uuid not null references accounts,
  mailbox_id uuid not null,
  message_id uuid not null,
  epoch      bigint not null,
  at         timestamptz(3) not null,
  primary key (account_id, mailbox_id, message_id, epoch),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index mailbox_attempts_by_time on mailbox_attempts (account_id, mailbox_id, at);
call make_tenant_table('mailbox_attempts');

alter table campaigns
  add column new_prospects_per_day integer check (new_prospects_per_day between 1 and 1000000),
  -- How many were begun on that day of the campaign's calendar.
  add column begun_on              date,
  add column begun_count           integer not null default 0,
  -- Before that time nobody need look for prospects to begin.
  add column begins_from           timestamptz(3);

alter table prospects
  add column mailbox_id uuid,
  -- When its first step was first written; counted once, even if that was taken back.
  add column began_at   timestamptz(3),
  add foreign key (account_id, mailbox_id) references mailboxes (account_id, id);
-- By mailbox, so that those of one that is full need not be looked at to find the others.
drop index prospects_due;
create index prospects_due on prospects (account_id, campaign_id, mailbox_id, next_step_at)
  where status in ('pending', 'active', 'out_of_office') and next_step_at is not null;

-- The engine finds, over all accounts, for which mailboxes there is work and room.
create policy engine on campaign_reps to overture_engine using (true);
grant select (account_id, id, rep_id, status, removed_at, min_gap_seconds, full_until, rests_until) on mailboxes to overture_engine;
grant select (account_id, campaign_id, rep_id) on campaign_reps to overture_engine;
grant select (begins_from) on campaigns to overture_engine;
grant select (mailbox_id) on prospects to overture_engine;
