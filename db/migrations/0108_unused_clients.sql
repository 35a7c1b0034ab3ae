-- Anybody can register a client, so those that no user ever connected are kept for an hour and up to a number. Each
-- registration looks for the ones to delete, which must not cost more the more clients there are.
alter table oauth_clients add column connected_at timestamptz(3);

-- Forced, the policies would hide the rows from the tables' owner, too.
alter table oauth_grants no force row level security;
alter table oauth_clients no force row level security;
update oauth_clients c
   set connected_at = (select min(g.created_at) from oauth_grants g where g.client_id = c.id);
delete from oauth_clients where connected_at is null and updated_at < now() - interval '1 hour';
alter table oauth_grants force row level security;
alter table oauth_clients force row level security;

create index oauth_clients_unused on oauth_clients (updated_at desc, id) where connected_at is null;
