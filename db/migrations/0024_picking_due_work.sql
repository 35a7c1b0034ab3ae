-- Picking due work costs little: prospects without a mailbox yet are found as those with one are, and a claim, which
-- changes nothing that an index holds, stays on its page and leaves the indexes alone.

drop index prospects_due;
create index prospects_due
  on prospects (account_id, campaign_id, coalesce(mailbox_id, '00000000-0000-0000-0000-000000000000'), next_step_at)
  where status in ('pending', 'active', 'out_of_office') and next_step_at is not null;

-- Each page keeps room for claims: those that came together lie and are due together.
alter table prospects set (fillfactor = 70);
