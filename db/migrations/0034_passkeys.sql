-- Who has a passkey signs in with it alone: it shows that the person has the device and was known by it. The public
-- half is kept here; nobody can sign in with it.
create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null,
  -- Goes up with each use, in authenticators that count: one that went back was copied.
  counter       bigint not null,
  transports    text[] not null,
  name          text not null,
  last_used_at  timestamptz(3),
  created_at    timestamptz(3) not null default now()
);
create index passkeys_by_user on passkeys (user_id, created_at);
alter table passkeys enable row level security, force row level security;
create policy sign_in on passkeys to overture_auth using (true);
grant select, insert, update, delete on passkeys to overture_auth;
