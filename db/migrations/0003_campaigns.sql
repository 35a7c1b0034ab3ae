-- Reps with their mailboxes, and campaigns with their steps and prospects. The engine finds work by the prospect's
-- own due time.

create table reps (
  account_id  uuid not null references accounts,
  id          uuid not null,
  name        text not null,
  owned_by_id uuid,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, owned_by_id) references members (account_id, user_id)
);
create index reps_by_time on reps (account_id, created_at desc, id desc);
create index reps_by_owner on reps (account_id, owned_by_id);
call make_tenant_table('reps');

create table mailboxes (
  account_id    uuid not null references accounts,
  id            uuid not null,
  rep_id        uuid not null,
  kind          text not null check (kind in ('smtp', 'sandbox')),
  email         text not null,
  sender_name   text,
  smtp_host     text,
  smtp_port     integer check (smtp_port between 1 and 65535),
  smtp_tls      text check (smtp_tls in ('implicit', 'starttls', 'none')),
  smtp_user     text,
  -- Encrypted with AES-256-GCM; account, mailbox and column are bound to it.
  smtp_password bytea,
  status        text not null default 'unverified' check (status in ('unverified', 'active', 'failing')),
  status_reason text,
  verified_at   timestamptz(3),
  -- A removed mailbox keeps its row for the messages that name it.
  removed_at    timestamptz(3),
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  check ((kind = 'smtp') = (smtp_host is not null and smtp_port is not null and smtp_tls is not null))
);
create unique index mailboxes_by_email on mailboxes (account_id, email) where removed_at is null;
create index mailboxes_by_time on mailboxes (account_id, created_at desc, id desc) where removed_at is null;
create index mailboxes_by_rep on mailboxes (account_id, rep_id, created_at desc, id desc) where removed_at is null;
call make_tenant_table('mailboxes');

create table campaigns (
  account_id            uuid not null references accounts,
  id                    uuid not null,
  name                  text not null,
  description           text,
  status                text not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed')),
  is_archived           boolean not null default false,
  is_evergreen          boolean not null default false,
  skip_active_elsewhere boolean not null default false,
  health                text,
  launched_at           timestamptz(3),
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  primary key (account_id, id),
  check (not (is_archived and status = 'active')),
  check ((status = 'draft') = (launched_at is null))
);
create index campaigns_by_time on campaigns (account_id, created_at desc, id desc);
create index campaigns_by_status on campaigns (account_id, status, created_at desc, id desc);
call make_tenant_table('campaigns');

create table campaign_reps (
  account_id  uuid not null references accounts,
  campaign_id uuid not null,
  rep_id      uuid not null,
  position    integer not null,
  primary key (account_id, campaign_id, rep_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
call make_tenant_table('campaign_reps');

create table campaign_steps (
  account_id  uuid not null references accounts,
  id          uuid not null,
  campaign_id uuid not null,
  position    integer not null check (position > 0),
  channel     text not null check (channel in ('email')),
  subject     text not null,
  body        text not null,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, campaign_id, position),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
call make_tenant_table('campaign_steps');

create table prospects (
  account_id    uuid not null references accounts,
  id            uuid not null,
  campaign_id   uuid not null,
  person_id     uuid not null,
  rep_id        uuid,
  status        text not null default 'pending' check (status in
                  ('pending', 'active', 'paused', 'replied', 'out_of_office', 'completed', 'bounced', 'opted_out', 'failed')),
  status_reason text,
  steps_done    integer not null default 0,
  -- Due from then on, once the campaign is active; null when nothing is to come.
  next_step_at  timestamptz(3),
  lease_until   timestamptz(3),
  -- Grows with each claim; work done under an older one is void.
  lease_epoch   bigint not null default 0,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, campaign_id, person_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
create index prospects_by_time on prospects (account_id, created_at desc, id desc);
create index prospects_by_campaign on prospects (account_id, campaign_id, created_at desc, id desc);
create index prospects_by_person on prospects (account_id, person_id);
-- Paused and ended ones are no part of it, so that a campaign full of them costs the engine nothing.
create index prospects_due on prospects (account_id, campaign_id, next_step_at)
  where status in ('pending', 'active', 'out_of_office') and next_step_at is not null;
call make_tenant_table('prospects');

-- The engine looks for due work over all accounts, and may do no more than claim it.
create policy engine on campaigns to overture_engine using (true);
create policy engine on prospects to overture_engine using (true);
grant select (account_id, id, status) on campaigns to overture_engine;
grant select (account_id, id, campaign_id, status, next_step_at, lease_until, lease_epoch) on prospects to overture_engine;
grant update (lease_until, lease_epoch) on prospects to overture_engine;
