-- Applications such as assistants connect with OAuth 2.1: what a user granted to which of them, what the authorization
-- server keeps between two requests, and the keys that sign access tokens.

-- One connection of an application in a user's name. Every access token names its grant and lives no longer.
create table oauth_grants (
  id           uuid primary key,
  user_id      uuid not null references users on delete cascade,
  client_id    text not null,
  client_name  text not null,
  -- Where the authorization code went, which tells more of a client than the name it gives itself.
  client_host  text not null,
  scopes       text[] not null,
  payload      jsonb not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at   timestamptz(3) not null,
  revoked_at   timestamptz(3)
);
create index oauth_grants_by_user on oauth_grants (user_id, created_at desc);
create index oauth_grants_by_client on oauth_grants (client_id);
alter table oauth_grants enable row level security, force row level security;
create policy sign_in on oauth_grants to overture_auth using (true);
grant select, insert, update, delete on oauth_grants to overture_auth;
-- Not when last_used_at is noted, which says nothing about what a grant opens.
create trigger access_changed after update of revoked_at, scopes, expires_at or delete on oauth_grants
  for each statement execute function announce_access_change();

-- Codes, refresh tokens and interactions under way. What opens something is kept as the SHA-256 of it alone.
create table oauth_records (
  kind        text not null,
  id_hash     bytea not null check (octet_length(id_hash) = 32),
  payload     jsonb not null,
  grant_id    uuid references oauth_grants on delete cascade,
  consumed_at timestamptz(3),
  expires_at  timestamptz(3) not null,
  primary key (kind, id_hash)
);
create index oauth_records_by_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_by_expiry on oauth_records (expires_at);
alter table oauth_records enable row level security, force row level security;
create policy sign_in on oauth_records to overture_auth using (true);
grant select, insert, update, delete on oauth_records to overture_auth;

-- Registered by themselves, or read from the address that is their id; the latter are read again now and then.
create table oauth_clients (
  id         text primary key,
  metadata   jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
alter table oauth_clients enable row level security, force row level security;
create policy sign_in on oauth_clients to overture_auth using (true);
grant select, insert, update, delete on oauth_clients to overture_auth;

create table oauth_keys (
  id          text primary key,
  private_jwk bytea not null,
  -- Published before it signs, so that everybody knows it by then.
  signs_from  timestamptz(3) not null,
  created_at  timestamptz(3) not null default now()
);
alter table oauth_keys enable row level security, force row level security;
create policy sign_in on oauth_keys to overture_auth using (true);
grant select, insert, delete on oauth_keys to overture_auth;
