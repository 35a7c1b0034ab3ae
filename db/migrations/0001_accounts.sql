-- Accounts are the tenants. Everything an account has is keyed by it first and guarded by row-level security, so
-- that no query can reach another account's rows and the tables can be spread over machines by account.
--
-- Roles (made by the migration runner, they belong to the whole cluster):
--   overture_app     the API and the per-account work of the engine: sees the account named by app.account_id
--   overture_engine  finds due work over all accounts: no rights but those granted here by name
--   overture_auth    sign-in and administration: users, tokens, sessions and who belongs where

create function current_account_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.account_id', true), '')::uuid;

-- Times as the API writes them; stable only because to_char is.
create function api_time(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Turns a table that has account_id into a tenant table: the application sees its own account's rows or none.
create procedure make_tenant_table(tenant_table regclass)
  language plpgsql as $$
declare
  primary_key name;
  definition text;
begin
  execute format('alter table %s enable row level security, force row level security', tenant_table);
  execute format(
    'create policy tenant on %s to overture_app using (account_id = (select current_account_id()))'
    ' with check (account_id = (select current_account_id()))', tenant_table);
  execute format('grant select, insert, update, delete on %s to overture_app', tenant_table);
  -- While a table is empty all its indexes seem to cost the same, and of equals the planner takes the one made last.
  -- Checks of foreign keys keep that plan for as long as the connection lives: it has to be the primary key.
  select conname, pg_get_constraintdef(oid) into strict primary_key, definition
    from pg_constraint where conrelid = tenant_table and contype = 'p';
  execute format('alter table %s drop constraint %I, add constraint %2$I %3$s', tenant_table, primary_key, definition);
end $$;

create table accounts (
  id              uuid primary key,
  name            text not null,
  default_country text check (default_country ~ '^[A-Z]{2}$'),
  timezone        text not null default 'UTC',
  postal_address  text,
  opt_out_line    text,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now()
);
alter table accounts enable row level security, force row level security;
create policy tenant on accounts to overture_app using (id = (select current_account_id()));
create policy sign_in on accounts to overture_auth using (true);
grant select, update on accounts to overture_app;
grant select, insert on accounts to overture_auth;

create table users (
  id            uuid primary key,
  email         text not null unique,
  name          text not null,
  password_hash text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now()
);
alter table users enable row level security, force row level security;
create policy sign_in on users to overture_auth using (true);
grant select, insert, update on users to overture_auth;

create table members (
  account_id uuid not null references accounts,
  user_id    uuid not null references users,
  role       text not null check (role in ('viewer', 'member', 'manager', 'admin', 'owner')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, user_id)
);
create index members_by_user on members (user_id);
call make_tenant_table('members');
create policy sign_in on members to overture_auth using (true);
grant select, insert, update, delete on members to overture_auth;

create table api_tokens (
  id           uuid primary key,
  user_id      uuid not null references users,
  name         text not null,
  -- The public part of the token, by which it is found; the secret is kept as its SHA-256 alone.
  prefix       text not null unique,
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  is_read_only boolean not null default false,
  expires_at   timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at   timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now()
);
create index api_tokens_by_user on api_tokens (user_id);
alter table api_tokens enable row level security, force row level security;
create policy sign_in on api_tokens to overture_auth using (true);
grant select, insert, update on api_tokens to overture_auth;

create table sessions (
  token_hash   bytea primary key check (octet_length(token_hash) = 32),
  user_id      uuid not null references users,
  created_at   timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null
);
create index sessions_by_user on sessions (user_id);
alter table sessions enable row level security, force row level security;
create policy sign_in on sessions to overture_auth using (true);
grant select, insert, update, delete on sessions to overture_auth;

-- What a process keeps in memory about tokens and memberships is dropped the moment they change.
create function announce_access_change() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('access_changed', '');
  return null;
end $$;
-- Not when last_used_at is noted, which says nothing about what a token opens.
create trigger access_changed after update of user_id, token_hash, is_read_only, expires_at, revoked_at or delete on api_tokens
  for each statement execute function announce_access_change();
create trigger access_changed after insert or update or delete on members
  for each statement execute function announce_access_change();

create table audit_log (
  account_id  uuid not null references accounts,
  id          uuid not null,
  at          timestamptz(3) not null default now(),
  -- user_id is who answers for it; actor tells by what: token:…, session:…, cli, engine
  user_id     uuid,
  actor       text not null,
  action      text not null,
  object_type text,
  object_id   uuid,
  address     text,
  request_id  text,
  primary key (account_id, id)
);
create index audit_log_by_time on audit_log (account_id, at desc, id desc);
call make_tenant_table('audit_log');
revoke update, delete on audit_log from overture_app;
-- Who belongs to an account, and with what rights, is changed there too.
create policy sign_in on audit_log for insert to overture_auth with check (true);
grant insert on audit_log to overture_auth;

create table idempotency_keys (
  account_id   uuid not null references accounts,
  user_id      uuid not null,
  key          text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  answer       text not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (account_id, created_at);
call make_tenant_table('idempotency_keys');
