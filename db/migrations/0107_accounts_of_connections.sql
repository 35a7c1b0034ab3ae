-- A connected application works on the account that its user chose. Until now it followed its user into whichever
-- account they had joined first, with their role there. A connection ends with the membership it was made in.
alter table oauth_grants add column account_id uuid references accounts;

-- Forced, the policies would hide the rows from the tables' owner, too.
alter table members no force row level security;
alter table oauth_grants no force row level security;
update oauth_grants g
   set account_id = (select m.account_id from members m
                      where m.user_id = g.user_id order by m.created_at, m.account_id limit 1);
update oauth_grants set revoked_at = now(), updated_at = now() where account_id is null and revoked_at is null;
alter table members force row level security;
alter table oauth_grants force row level security;

create index oauth_grants_by_member on oauth_grants (account_id, user_id);
-- Whoever ends a membership ends what stands on it, another user's connections too.
create policy tenant on oauth_grants to overture_app using (account_id = (select current_account_id()));
grant select (account_id) on oauth_grants to overture_app;

create function end_connections_of_member() returns trigger language plpgsql as $$
begin
  with ended as (
    update oauth_grants set revoked_at = now(), updated_at = now()
     where account_id = old.account_id and user_id = old.user_id and revoked_at is null
 returning id)
  insert into audit_log (account_id, id, actor, action, object_type, object_id)
  select old.account_id, new_id(), 'system', 'disconnect', 'oauth_grant', id from ended;
  return null;
end $$;
create trigger end_connections after delete on members
  for each row execute function end_connections_of_member();
