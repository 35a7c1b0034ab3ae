-- A mailbox that its server refuses, or whose server is away, is tried again by itself after growing waits.

alter table mailboxes
  -- Since the last mail that its server took.
  add column fault_count integer not null default 0,
  -- Failing: when to sign in again. Active with faults: when one mail may try, and until then none does.
  add column retry_at    timestamptz(3);
create index mailboxes_to_probe on mailboxes (coalesce(retry_at, '-infinity'))
 where status = 'failing' and removed_at is null;
create policy engine on mailboxes to overture_engine using (true);
grant select (account_id, id, status, retry_at, removed_at) on mailboxes to overture_engine;
grant update (retry_at) on mailboxes to overture_engine;
