-- People sign in on a web page. What belongs to a user alone (sessions, API tokens) is guarded by app.user_id as what
-- belongs to an account is by app.account_id; invitations belong to an account.
create function current_user_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;

-- Nothing could make one before.
delete from sessions;
alter table sessions
  add column id         uuid not null unique,
  add column user_agent text,
  add column address    text;
create policy own on sessions to overture_app using (user_id = (select current_user_id()));
grant select (id, user_id, created_at, last_seen_at, expires_at, user_agent, address), delete
  on sessions to overture_app;
-- Not when last_seen_at is noted.
create trigger access_changed after delete on sessions
  for each statement execute function announce_access_change();

create policy own on api_tokens to overture_app
  using (user_id = (select current_user_id())) with check (user_id = (select current_user_id()));
grant select (id, user_id, name, prefix, is_read_only, expires_at, last_used_at, revoked_at, created_at, updated_at),
      insert, update (revoked_at, updated_at)
  on api_tokens to overture_app;

-- Everybody sees who else is in the account, and changes only themselves.
create policy colleagues on users for select to overture_app
  using (id in (select user_id from members where account_id = (select current_account_id())));
create policy own on users for update to overture_app using (id = (select current_user_id()));
grant select (id, email, name, created_at, updated_at), update (name, updated_at) on users to overture_app;

create table invitations (
  account_id uuid not null references accounts,
  id         uuid not null,
  email      text not null,
  role       text not null check (role in ('viewer', 'member', 'manager', 'admin', 'owner')),
  invited_by uuid references users,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, email)
);
call make_tenant_table('invitations');
create policy sign_in on invitations to overture_auth using (true);
grant select, delete on invitations to overture_auth;
