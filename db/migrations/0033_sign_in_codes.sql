-- A password alone may be too little: who wants to gives a code of an authenticator app (RFC 6238) as well. None of
-- this is for the application's role, which has no rights here at all.

create table authenticator_apps (
  user_id    uuid primary key references users,
  secret     bytea not null,
  -- Steps up to this one are spent, so that a code counts once.
  last_step  bigint not null,
  -- In a row; what is tried after several of them has to wait.
  wrong_codes integer not null default 0,
  wrong_at   timestamptz(3),
  created_at timestamptz(3) not null default now()
);
alter table authenticator_apps enable row level security, force row level security;
create policy sign_in on authenticator_apps to overture_auth using (true);
grant select, insert, update, delete on authenticator_apps to overture_auth;

-- For whoever lost the app; each goes with its use.
create table recovery_codes (
  user_id   uuid not null references authenticator_apps on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (user_id, code_hash)
);
alter table recovery_codes enable row level security, force row level security;
create policy sign_in on recovery_codes to overture_auth using (true);
grant select, insert, delete on recovery_codes to overture_auth;

-- What a browser is in the middle of: it has the token as a cookie, of which only the SHA-256 is kept.
create table sign_in_attempts (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  kind       text not null,
  user_id    uuid references users,
  payload    jsonb not null,
  expires_at timestamptz(3) not null
);
create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);
create index sign_in_attempts_by_user on sign_in_attempts (user_id) where user_id is not null;
alter table sign_in_attempts enable row level security, force row level security;
create policy sign_in on sign_in_attempts to overture_auth using (true);
grant select, insert, delete on sign_in_attempts to overture_auth;
