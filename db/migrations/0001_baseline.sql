-- The schema of Overture 0.1.0, grouped by area. Each table is followed by its indexes, policies and grants.
--
-- An account is a tenant. Every tenant table is keyed by account_id first and guarded by row-level security, so that no
-- query reaches another account's rows and the tables can be sharded by account.
--
-- Roles, which belong to the cluster and are created by the migration runner:
--   overture_app     the API and the engine's work on one account: sees the account in app.account_id
--   overture_engine  finds due work across accounts: uses only the columns granted to it here
--   overture_auth    sign-in and administration: users, tokens, sessions, memberships
--   overture_search  owns the functions that search text: reads only the searched columns; no session connects as it
--
-- Conventions:
--   Lists are paged newest first. Each filter of a list has an index in the list's order, so that a page costs the same
--   wherever it is in the list.
--   A worker claims a row by setting its lease (lease_until or due_at) and incrementing its epoch; results recorded
--   under an older epoch are discarded.
--   Secrets are encrypted with AES-256-GCM, bound to their account, row and column; tokens and codes are stored as
--   SHA-256 hashes.
--   Reps, mailboxes and persons are never deleted; prospects and campaigns are deleted only while no email refers to
--   them. Grants and policies of overture_app enforce this. The tables that each email writes to have no foreign keys
--   to these tables, nor to accounts where another key implies the account. With those keys, sending an email looked
--   up and locked twenty more rows, which took a tenth of the time; under concurrency, the locks alone took a sixth.


-- Tenancy -------------------------------------------------------------------------------------------------------------

create function current_account_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.account_id', true), '')::uuid;

-- Returns the user in app.user_id. Policies use it to guard a user's own data, such as sessions, API tokens and
-- connected applications.
create function current_user_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;

-- Formats a timestamp as the API does. Declared stable rather than immutable, because to_char is only stable.
create function api_time(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Generates a version 7 UUID, as the server does.
create function new_id() returns uuid
  language sql volatile parallel safe
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- Makes a table with account_id a tenant table. Call it once the table's indexes exist and before another table refers
-- to the table, because the procedure re-creates the primary key.
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
  -- While a table is empty, all its indexes seem to cost the same, and the planner picks the newest one. Foreign-key
  -- checks keep that plan as long as the connection lives, so the primary key has to be the newest.
  select conname, pg_get_constraintdef(oid) into strict primary_key, definition
    from pg_constraint where conrelid = tenant_table and contype = 'p';
  execute format('alter table %s drop constraint %I, add constraint %2$I %3$s', tenant_table, primary_key, definition);
end $$;


-- Text search ---------------------------------------------------------------------------------------------------------

create extension if not exists pg_trgm schema public;
create extension if not exists unaccent schema public;
create extension if not exists btree_gin schema public;

-- Normalizes text for comparison: lowercases it, removes accents and punctuation, and puts one space before each word.
create function search_key(text text) returns text
  language sql immutable strict parallel safe
  return ' ' || btrim(regexp_replace(lower(unaccent('unaccent', text)), '[[:punct:][:space:]]+', ' ', 'g'));

-- Returns LIKE patterns for the words of a query: a word of one or two letters must begin a word of the text; a longer
-- one may be anywhere in the text. A phone number is one word, however it is written.
create function word_patterns(query text) returns text[]
  language sql immutable strict parallel safe
  return (
    select array_agg(case when length(word) < 3 then '% ' else '%' end || word || '%')
      from string_to_table(case when query ~ '^[0-9 ()+./-]+$'
                                then regexp_replace(query, '^[^1-9]+(?=.)|[^0-9]', '', 'g')
                                else btrim(search_key(query)) end, ' ') word
  );

-- Returns the words at the beginning of a message, because a megabyte of words can't be indexed.
create function message_words(subject text, body text) returns tsvector
  language sql immutable parallel safe
  return to_tsvector('simple', search_key(subject || ' ' || left(body, 20000)));

-- Returns a text query that matches messages with all words of a query; the last may be the beginning of a word.
create function words_query(query text) returns tsquery
  language sql immutable strict parallel safe
  return to_tsquery('simple', replace(nullif(btrim(search_key(query)), ''), ' ', ' & ') || ':*');

-- Makes overture_search own a function and lets overture_app call it.
create procedure make_search_function(search_function regprocedure)
  language plpgsql as $$
begin
  execute format('revoke execute on function %s from public', search_function);
  execute format('grant execute on function %s to overture_app', search_function);
  grant create on schema public to overture_search;
  execute format('alter function %s owner to overture_search', search_function);
  revoke create on schema public from overture_search;
end $$;


-- Accounts ------------------------------------------------------------------------------------------------------------

create table accounts (
  id                           uuid primary key,
  -- Identifies the account in email links, where a UUID would be too long.
  number                       integer not null generated by default as identity unique,
  name                         text not null,
  default_country              text check (default_country ~ '^[A-Z]{2}$'),
  timezone                     text not null default 'UTC',
  postal_address               text,
  opt_out_line                 text,
  -- The people whose other sequences pause when somebody replies.
  reply_pauses                 text not null default 'person' check (reply_pauses in ('person', 'company_domain')),
  -- How a reply that contains an unsubscribe request is handled.
  unsubscribe_words            text not null default 'mark' check (unsubscribe_words in ('mark', 'opt_out')),
  assistants_may_request_calls boolean not null default false,
  -- Whether messages of connected apps need a person's approval before they are sent.
  assistant_sends_need_approval boolean not null default false,
  -- A mailbox with a higher rate of hard bounces or spam complaints is paused automatically.
  max_bounce_percent           numeric not null default 5 check (max_bounce_percent between 1 and 100),
  max_complaint_percent        numeric not null default 0.3 check (max_complaint_percent between 0.1 and 100),
  -- Storage for attachments, in megabytes.
  max_attachment_megabytes     integer not null default 5000 check (max_attachment_megabytes between 0 and 1000000),
  -- Nothing is sent and nobody is called while this is set.
  sending_paused_at            timestamptz(3),
  sending_pause_reason         text,
  -- The actor who paused sending, as in the audit log, and the user behind it.
  sending_paused_by            text,
  sending_paused_by_user_id    uuid,
  -- When the engine next checks for problems.
  problems_due_at              timestamptz(3) not null default now(),
  created_at                   timestamptz(3) not null default now(),
  updated_at                   timestamptz(3) not null default now()
);
create index accounts_by_problems_due on accounts (problems_due_at);
alter table accounts enable row level security, force row level security;
create policy tenant on accounts to overture_app using (id = (select current_account_id()));
create policy sign_in on accounts to overture_auth using (true);
create policy engine on accounts for select to overture_engine using (true);
create policy claim on accounts for update to overture_engine using (true);
grant select (id, sending_paused_at, problems_due_at), update (problems_due_at) on accounts to overture_engine;
grant select, update on accounts to overture_app;
grant select, insert on accounts to overture_auth;

create table users (
  id                uuid primary key,
  email             text not null unique,
  name              text not null,
  password_hash     text,
  -- When the user proved that the address is theirs. An administrator can invite any address and, if the link is shown
  -- to them, accept the invitation themselves. So until the address is verified, the user's credentials are not trusted
  -- in another account.
  email_verified_at timestamptz(3),
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now()
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
create index members_by_time on members (account_id, created_at desc, user_id desc);
call make_tenant_table('members');
-- Lets a request read its user's memberships in all accounts in its own transaction, so that it can write an audit row
-- to each.
-- Reading them on a connection of overture_auth caused deadlocks: enough of these requests held every connection while
-- each waited for another.
create policy own on members for select to overture_app using (user_id = (select current_user_id()));
create policy sign_in on members to overture_auth using (true);
grant select, insert, update, delete on members to overture_auth;

-- Everyone sees the members of the account but can change only themselves. Evaluated for each user on a page, so it
-- must not read all members of the account.
create policy colleagues on users for select to overture_app using (
  exists (select from members m where m.account_id = (select current_account_id()) and m.user_id = users.id));
create policy own on users for update to overture_app using (id = (select current_user_id()));
grant select (id, email, name, created_at, updated_at), update (name, updated_at) on users to overture_app;

-- The address and name that a member had when they were removed, because the account no longer sees the user.
create table former_members (
  account_id uuid not null references accounts,
  user_id    uuid not null references users,
  email      text not null,
  name       text not null,
  primary key (account_id, user_id)
);
call make_tenant_table('former_members');

-- Invalidates the tokens and memberships that processes cache in memory, as soon as one of them changes.
create function announce_access_change() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('access_changed', '');
  return null;
end $$;
create trigger access_changed after insert or update or delete on members
  for each statement execute function announce_access_change();

create table invitations (
  account_id      uuid not null references accounts,
  id              uuid not null,
  email           text not null,
  role            text not null check (role in ('viewer', 'member', 'manager', 'admin', 'owner')),
  invited_by      uuid references users,
  -- The user created through this link, who may join with an unverified address: so far, only the link's holder can
  -- have acted as this user.
  created_user_id uuid references users,
  expires_at      timestamptz(3) not null,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, email)
);
create index invitations_by_time on invitations (account_id, created_at desc, id desc);
call make_tenant_table('invitations');
create policy sign_in on invitations to overture_auth using (true);
grant select, delete on invitations to overture_auth;
grant update (created_user_id) on invitations to overture_auth;

create table audit_log (
  account_id  uuid not null references accounts,
  id          uuid not null,
  at          timestamptz(3) not null default now(),
  -- The responsible user, and what they acted through: token:…, session:…, cli, engine.
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
create index audit_log_by_user on audit_log (account_id, user_id, at desc, id desc);
create index audit_log_by_type on audit_log (account_id, object_type, at desc, id desc);
create index audit_log_by_action on audit_log (account_id, action, at desc, id desc);
call make_tenant_table('audit_log');
revoke update, delete on audit_log from overture_app;
-- overture_auth changes memberships and roles, and records it.
create policy sign_in on audit_log for insert to overture_auth with check (true);
grant insert on audit_log to overture_auth;

create table idempotency_keys (
  account_id   uuid not null references accounts,
  user_id      uuid not null,
  key          text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  -- Encrypted: a response can contain a secret that is shown once. Null until a request outside a transaction succeeds.
  response       text,
  -- Deadline of work that a request does outside a transaction. After a crash, the key can be reused from then on, unless
  -- response is set: then the request took effect, and retries get Conflict.
  running_until  timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, user_id, key),
  check (response is not null or running_until is not null)
);
create index idempotency_keys_by_age on idempotency_keys (account_id, created_at);
call make_tenant_table('idempotency_keys');


-- Auth ----------------------------------------------------------------------------------------------------------------

create table api_tokens (
  id           uuid primary key,
  user_id      uuid not null references users,
  -- The token that created this one. A token ends with its parent.
  parent_id    uuid references api_tokens,
  name         text not null,
  -- The public part of the token, used to look it up.
  prefix       text not null unique,
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  is_read_only boolean not null default false,
  expires_at   timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at   timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now()
);
create index api_tokens_by_user on api_tokens (user_id, created_at desc, id desc);
create index api_tokens_by_parent on api_tokens (parent_id) where parent_id is not null;
alter table api_tokens enable row level security, force row level security;
create policy own on api_tokens to overture_app
  using (user_id = (select current_user_id())) with check (user_id = (select current_user_id()));
create policy sign_in on api_tokens to overture_auth using (true);
grant select (id, user_id, parent_id, name, prefix, is_read_only, expires_at, last_used_at, revoked_at, created_at, updated_at),
      insert, update (revoked_at, updated_at)
  on api_tokens to overture_app;
grant select, insert, update on api_tokens to overture_auth;
-- last_used_at is left out: it does not change what a token gives access to.
create trigger access_changed after update of user_id, token_hash, is_read_only, expires_at, revoked_at or delete on api_tokens
  for each statement execute function announce_access_change();

create table sessions (
  token_hash       bytea primary key check (octet_length(token_hash) = 32),
  id               uuid not null unique,
  user_id          uuid not null references users,
  user_agent       text,
  address          text,
  created_at       timestamptz(3) not null default now(),
  -- The last sign-in or confirmation. Creating something that outlives the session, such as an API token, needs a
  -- recent one.
  authenticated_at timestamptz(3),
  last_seen_at     timestamptz(3) not null default now(),
  expires_at       timestamptz(3) not null
);
create index sessions_by_user on sessions (user_id, created_at desc, id desc);
alter table sessions enable row level security, force row level security;
create policy own on sessions to overture_app using (user_id = (select current_user_id()));
create policy sign_in on sessions to overture_auth using (true);
grant select (id, user_id, created_at, last_seen_at, expires_at, user_agent, address), delete
  on sessions to overture_app;
grant select, insert, update, delete on sessions to overture_auth;
-- A confirmed session gets a new token. last_seen_at is left out.
create trigger access_changed after delete or update of token_hash, authenticated_at on sessions
  for each statement execute function announce_access_change();

-- Browser state during a sign-in; the token is in a cookie.
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

-- Authenticator apps (RFC 6238). overture_app has no rights on second factors.
create table authenticator_apps (
  user_id    uuid primary key references users,
  secret     bytea not null,
  -- The last time step used: a code is valid once.
  last_step  bigint not null,
  created_at timestamptz(3) not null default now()
);
alter table authenticator_apps enable row level security, force row level security;
create policy sign_in on authenticator_apps to overture_auth using (true);
grant select, insert, update, delete on authenticator_apps to overture_auth;

-- Single-use codes for a user who lost the authenticator app.
create table recovery_codes (
  user_id   uuid not null references authenticator_apps on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (user_id, code_hash)
);
alter table recovery_codes enable row level security, force row level security;
create policy sign_in on recovery_codes to overture_auth using (true);
grant select, insert, delete on recovery_codes to overture_auth;

-- A passkey alone is enough to sign in: it proves that the user has the device and was verified on it. Only the public
-- key is stored.
create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null,
  -- Increases with each use if the authenticator counts uses; a decrease means a cloned authenticator.
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

-- Single sign-on (OpenID Connect) of an account. The identity provider vouches for everyone at the domain, so single
-- sign-on is active only once the domain's DNS contains the account's verification record.
create table single_sign_ons (
  account_id         uuid primary key references accounts,
  issuer             text not null,
  client_id          text not null,
  client_secret      bytea not null,
  domain             text not null,
  -- If several accounts have verified the domain, it belongs to the latest one, which controls its DNS today.
  domain_verified_at timestamptz(3),
  is_required        boolean not null,
  new_member_role    text check (new_member_role in ('viewer', 'member', 'manager')),
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now()
);
create index single_sign_ons_by_domain on single_sign_ons (domain) where domain_verified_at is not null;
call make_tenant_table('single_sign_ons');
create policy sign_in on single_sign_ons to overture_auth using (true);
grant select on single_sign_ons to overture_auth;

-- One OAuth connection of an application, made by a user for one account; it ends with that membership. Every access
-- token names its grant and is valid no longer than the grant.
create table oauth_grants (
  id           uuid primary key,
  account_id   uuid references accounts,
  user_id      uuid not null references users on delete cascade,
  client_id    text not null,
  client_name  text not null,
  -- Host of the redirect URI, which identifies a client better than the name it gives itself.
  client_host  text not null,
  scopes       text[] not null,
  payload      jsonb not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at   timestamptz(3) not null,
  revoked_at   timestamptz(3)
);
create index oauth_grants_by_user on oauth_grants (user_id, created_at desc, id desc);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_member on oauth_grants (account_id, user_id);
alter table oauth_grants enable row level security, force row level security;
-- Users see and end their own connections; removing a member also ends that member's.
create policy own on oauth_grants to overture_app using (user_id = (select current_user_id()));
create policy tenant on oauth_grants to overture_app using (account_id = (select current_account_id()));
create policy sign_in on oauth_grants to overture_auth using (true);
grant select (id, account_id, user_id, client_name, client_host, scopes, created_at, updated_at, last_used_at, expires_at,
              revoked_at),
      update (revoked_at, updated_at)
  on oauth_grants to overture_app;
grant select, insert, update, delete on oauth_grants to overture_auth;
-- last_used_at is left out: it does not change what a grant gives access to.
create trigger access_changed after update of revoked_at, scopes, expires_at or delete on oauth_grants
  for each statement execute function announce_access_change();

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

-- Authorization codes, refresh tokens and interactions in progress.
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

-- Clients that registered themselves, or whose metadata was read from the URL that is their ID; that URL is read again
-- periodically.
create table oauth_clients (
  id           text primary key,
  metadata     jsonb not null,
  -- The first connection. Anyone can register a client, so clients that never connected are kept for an hour only, and
  -- up to a limit.
  connected_at timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now()
);
-- Each registration deletes unused clients; its cost must not grow with the number of clients.
create index oauth_clients_unused on oauth_clients (updated_at desc, id) where connected_at is null;
alter table oauth_clients enable row level security, force row level security;
create policy sign_in on oauth_clients to overture_auth using (true);
grant select, insert, update, delete on oauth_clients to overture_auth;

-- Keys that sign access tokens.
create table oauth_keys (
  id          text primary key,
  private_jwk bytea not null,
  -- A key is published before it signs, so that every verifier knows it by then.
  signs_from  timestamptz(3) not null,
  created_at  timestamptz(3) not null default now()
);
alter table oauth_keys enable row level security, force row level security;
create policy sign_in on oauth_keys to overture_auth using (true);
grant select, insert, delete on oauth_keys to overture_auth;


-- People --------------------------------------------------------------------------------------------------------------
-- Companies, persons and the Do Not Contact list. Identifiers are stored in canonical form, so they can be compared as
-- text.

-- Fields that the account adds to persons and companies. Their values are in persons.custom and companies.custom, by
-- key.
create table custom_fields (
  account_id uuid not null references accounts,
  id         uuid not null,
  key        text not null,
  label      text not null,
  applies_to text not null default 'person' check (applies_to in ('person', 'company')),
  type       text not null check (type in ('text', 'number', 'date', 'url', 'choice')),
  choices    text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  check ((type = 'choice') = (choices is not null))
);
create unique index custom_fields_by_key on custom_fields (account_id, lower(key));
create index custom_fields_by_time on custom_fields (account_id, created_at desc, id desc);
call make_tenant_table('custom_fields');

create table companies (
  account_id uuid not null references accounts,
  id         uuid not null,
  name       text,
  -- Names are compared without case and surrounding white space.
  name_key   text generated always as (lower(btrim(name))) stored,
  domain     text,
  website    text,
  industries text[] not null default '{}',
  logo_url   text,
  city       text,
  state      text,
  country    text,
  -- Values of custom fields, by key.
  custom     jsonb not null default '{}',
  search_text text not null generated always as (search_key(coalesce(name, '') || ' ' || coalesce(domain, ''))) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, domain)
);
create index companies_by_time on companies (account_id, created_at desc, id desc);
create index companies_by_change on companies (account_id, updated_at, id);
create index companies_by_name on companies (account_id, name_key);
create index companies_by_text on companies using gin (account_id, search_text gin_trgm_ops);
call make_tenant_table('companies');

create table persons (
  account_id   uuid not null references accounts,
  id           uuid not null,
  first_name   text,
  last_name    text,
  name_key     text generated always as (lower(btrim(first_name)) || ' ' || lower(btrim(last_name))) stored,
  email        text,
  -- The reversed domain in byte order: a domain and its subdomains are one range of the index.
  domain_key   text collate "C" generated always as (reverse(split_part(email, '@', 2))) stored,
  -- Sort key of lists by name: the name, otherwise an identifier.
  sort_name    text collate "C" not null generated always as (left(lower(coalesce(
    nullif(btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), email, linkedin_url, phone, '')), 200)) stored,
  linkedin_url text,
  phone        text,
  title        text,
  company_id   uuid,
  city         text,
  state        text,
  country      text,
  timezone     text,
  photo_url    text,
  -- The rep who looks after the person. No foreign key, because reps are never deleted.
  owner_rep_id uuid,
  -- Names of their tags, as in person_tags.
  tags         text[] not null default '{}',
  -- Values of custom fields, by key.
  custom       jsonb not null default '{}',
  -- The words that a person is found by; see person_search_text.
  search_text  text not null default '',
  -- When the personal data was erased. The row remains for statistics but appears in no list.
  erased_at    timestamptz(3),
  -- The person that this duplicate was merged into; the duplicate has been treated as erased since then. No foreign
  -- key, because persons are never deleted.
  merged_into_id uuid,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, email),
  unique (account_id, linkedin_url),
  foreign key (account_id, company_id) references companies (account_id, id),
  check (merged_into_id is null or erased_at is not null)
);
create index persons_by_time on persons (account_id, created_at desc, id desc);
create index persons_by_change on persons (account_id, updated_at, id);
create index persons_by_phone on persons (account_id, phone) where phone is not null;
create index persons_by_name on persons (account_id, name_key) where name_key is not null;
create index persons_by_domain on persons (account_id, domain_key, created_at desc, id desc) where domain_key is not null;
create index persons_by_sort_name on persons (account_id, sort_name, id);
create index persons_by_custom on persons using gin (account_id, custom jsonb_path_ops) where custom <> '{}';
create index persons_by_company on persons (account_id, company_id, created_at desc, id desc);
create index persons_by_owner on persons (account_id, owner_rep_id, created_at desc, id desc) where owner_rep_id is not null;
create index persons_by_text on persons using gin (account_id, search_text gin_trgm_ops);
create index persons_merged on persons (account_id, merged_into_id) where merged_into_id is not null;
call make_tenant_table('persons');
revoke delete on persons from overture_app;

-- Identifiers of merged duplicates, and replaced identifiers that were on the Do Not Contact list. The person can still
-- be found by them, and stays on the list because of them.
create table person_aliases (
  account_id   uuid not null references accounts,
  kind         text not null check (kind in ('email', 'linkedin', 'phone')),
  value        text not null,
  person_id    uuid not null,
  -- The duplicate that had the identifier; the person itself for a replaced identifier.
  duplicate_id uuid not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, kind, value, person_id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, duplicate_id) references persons (account_id, id)
);
create index person_aliases_by_person on person_aliases (account_id, person_id);
create index person_aliases_by_duplicate on person_aliases (account_id, duplicate_id);
create index person_aliases_by_domain on person_aliases (account_id, (reverse(split_part(value, '@', 2)) collate "C")) where kind = 'email';
call make_tenant_table('person_aliases');

create table notes (
  account_id uuid not null references accounts,
  id         uuid not null,
  person_id  uuid not null,
  text       text not null,
  author_id  uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
create index notes_by_person on notes (account_id, person_id, created_at desc, id desc);
call make_tenant_table('notes');

-- Returns the search_text of a person. An insert may set that column itself, which costs half as much as the trigger.
create function person_search_text(first_name text, last_name text, email text, phone text, company text, aliases text)
  returns text
  language sql stable
return search_key(concat_ws(' ', first_name, last_name, email, phone, company, aliases));

create function set_search_text() returns trigger
  language plpgsql as $$
begin
  new.search_text := person_search_text(new.first_name, new.last_name, new.email, new.phone,
    (select name from companies where account_id = new.account_id and id = new.company_id),
    case when tg_op = 'UPDATE' then
      (select string_agg(value, ' ') from person_aliases
        where account_id = new.account_id and person_id = new.id and kind <> 'linkedin') end);
  return new;
end $$;
create trigger set_search_text before update of first_name, last_name, email, phone, company_id on persons
  for each row execute function set_search_text();
create trigger set_search_text_of_new before insert on persons
  for each row when (new.search_text = '') execute function set_search_text();

create function set_search_text_of_employees() returns trigger
  language plpgsql as $$
begin
  update persons set company_id = company_id where account_id = new.account_id and company_id = new.id;
  return null;
end $$;
create trigger set_search_text_of_employees after update of name on companies
  for each row when (old.name is distinct from new.name) execute function set_search_text_of_employees();

-- Returns persons, companies, campaigns or opt-outs of the current account whose search_text contains each word of the
-- query, or when none does, the 100 with the most similar words. At most `max_rows`, in no particular order.
--
-- It belongs to a separate role, because row-level security keeps queries from searching an index by text: the search
-- could compare rows of other accounts. All scans except bitmap scans are disabled, because only bitmap scans use the
-- index.
create function find_by_words(searched regclass, query text, max_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
declare
  words text := coalesce(
    (select string_agg(format('search_text like %L', pattern), ' and ') from unnest(word_patterns(query)) pattern), 'false');
begin
  return query execute format('select id from %s where account_id = $1 and %s limit $2', searched, words)
    using current_account_id(), max_rows;
  if not found then
    return query execute format(
      'select id from %s where account_id = $1 and $2 <%% search_text
        order by word_similarity($2, search_text) desc, id limit $3', searched)
      using current_account_id(), search_key(query), least(max_rows, 100);
  end if;
end $$;
create policy search on persons for select to overture_search using (true);
create policy search on companies for select to overture_search using (true);
grant select (account_id, id, search_text) on persons, companies to overture_search;
call make_search_function('find_by_words(regclass, text, integer)');

-- Returns those of the current account's 2,000 newest persons who have each word of the query, or null if fewer than
-- `min_found` do. This finds common words in 2 ms; the index first collects all persons who have them, which takes up
-- to 100 ms among 1,000,000 persons.
create function find_newest_by_words(query text, min_found integer) returns uuid[]
  language sql stable
as $$
  select array_agg(id)
    from (select id, search_text
            from persons
           where account_id = (select current_account_id())
           order by created_at desc, id desc
           limit 2000) newest
   where search_text like all ((select word_patterns(query))::text[])
  having count(*) >= min_found
$$;

-- Returns persons of the current account with these values of custom fields, at most `max_rows`, in no particular
-- order.
create function find_by_custom(given jsonb, max_rows integer) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
  select id from persons
   where account_id = current_account_id() and custom @> given and custom <> '{}' limit max_rows
$$;
grant select (custom) on persons to overture_search;
call make_search_function('find_by_custom(jsonb, integer)');

-- Returns a domain and its parents, because an opted-out domain covers its subdomains:
-- 'a.b.example' -> {a.b.example, b.example, example}
create function domain_and_parents(domain text) returns text[]
  language sql immutable parallel safe
  return (
    select coalesce(array_agg(array_to_string(labels[i:], '.') order by i), '{}')
      from string_to_array(domain, '.') labels, generate_subscripts(labels, 1) i
  );

-- Returns the placeholder of an erased person's identifier: its HMAC-SHA-256, computed from the inner and outer pad of
-- the key. Null for kinds that don't identify a person.
create function erased_identifier(outer_pad bytea, inner_pad bytea, account uuid, kind text, value text) returns text
  language sql immutable strict parallel safe
  return case when kind in ('email', 'linkedin', 'phone') then
    'erased:' || encode(sha256(outer_pad || sha256(inner_pad || convert_to(account || ' ' || kind || ' ' || value, 'UTF8'))), 'hex')
  end;

create table opt_outs (
  account_id       uuid not null references accounts,
  id               uuid not null,
  kind             text not null check (kind in ('email', 'linkedin', 'phone', 'domain', 'sms', 'whatsapp', 'web_chat')),
  -- In canonical form; for an erased person, the result of erased_identifier.
  value            text not null,
  name             text,
  -- api, cli, import, bounce, erasure, or the person's own action: reply, complaint, unsubscribe_link,
  -- unsubscribe_mail, call.
  source           text not null default 'api',
  -- The user who added it, or whose application did; null when the person opted out.
  added_by_id      uuid,
  -- Our email that led to this entry, for the campaign's statistics. No foreign key: the entry outlives the message.
  email_message_id uuid,
  search_text      text not null generated always as (search_key(value || ' ' || coalesce(name, ''))) stored,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, kind, value)
);
create index opt_outs_by_time on opt_outs (account_id, created_at desc, id desc);
create index opt_outs_by_change on opt_outs (account_id, updated_at, id);
create index opt_outs_by_kind on opt_outs (account_id, kind, created_at desc, id desc);
create index opt_outs_by_source on opt_outs (account_id, source, created_at desc, id desc);
create index opt_outs_by_user on opt_outs (account_id, added_by_id, created_at desc, id desc) where added_by_id is not null;
create index opt_outs_by_text on opt_outs using gin (account_id, search_text gin_trgm_ops);
create index opt_outs_by_message on opt_outs (account_id, email_message_id) where email_message_id is not null;
create index opt_outs_of_messages on opt_outs (account_id, created_at) where email_message_id is not null;
call make_tenant_table('opt_outs');
create policy search on opt_outs for select to overture_search using (true);
grant select (account_id, id, search_text) on opt_outs to overture_search;

-- Many countries require consent before an AI voice calls, and proof of it.
create table consents (
  account_id        uuid not null references accounts,
  id                uuid not null,
  phone             text not null,
  name              text,
  kind              text not null check (kind in ('written', 'express', 'existing_relationship')),
  covers            text not null check (covers in ('ai_voice_marketing', 'ai_voice_service')),
  proof             text not null,
  source            text,
  given_at          timestamptz(3) not null,
  recorded_by_id    uuid,
  withdrawn_at      timestamptz(3),
  withdrawn_by_id   uuid,
  withdrawal_reason text,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (account_id, id),
  check (withdrawn_at is not null or num_nonnulls(withdrawn_by_id, withdrawal_reason) = 0)
);
create index consents_by_time on consents (account_id, created_at desc, id desc);
create index consents_by_change on consents (account_id, updated_at, id);
create index consents_by_phone on consents (account_id, phone, created_at desc, id desc);
call make_tenant_table('consents');
-- A proof that can be changed proves nothing: only the withdrawal can be added.
revoke update, delete on consents from overture_app;
grant update (withdrawn_at, withdrawn_by_id, withdrawal_reason, updated_at) on consents to overture_app;
-- Erasing a person deletes their consents, after withdrawing them.
grant delete on consents to overture_app;
create policy only_withdrawn_deleted on consents as restrictive for delete to overture_app using (withdrawn_at is not null);

-- Withdraws the consents of opted-out numbers permanently, even if the opt-out is removed later.
create function withdraw_consents() returns trigger
  language plpgsql as $$
begin
  update consents c
     set withdrawn_at = now(), withdrawal_reason = 'opt_out', updated_at = now()
    from new_rows o
   where o.kind in ('phone', 'sms', 'whatsapp')
     and c.account_id = o.account_id and c.phone = o.value and c.withdrawn_at is null;
  return null;
end $$;
create trigger withdraw_consents after insert on opt_outs
  referencing new table as new_rows for each statement execute function withdraw_consents();


-- Senders -------------------------------------------------------------------------------------------------------------
-- Reps with their mailboxes, the domains they send from, and the assistants that call for them.

create table reps (
  account_id  uuid not null references accounts,
  id          uuid not null,
  name        text not null,
  -- Appended to each email: plain text, or HTML if it contains tags.
  signature   text,
  owned_by_id uuid,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, owned_by_id) references members (account_id, user_id) on delete set null (owned_by_id)
);
create index reps_by_time on reps (account_id, created_at desc, id desc);
create index reps_by_owner on reps (account_id, owned_by_id);
call make_tenant_table('reps');
revoke delete on reps from overture_app;

create table mailboxes (
  account_id         uuid not null references accounts,
  id                 uuid not null,
  rep_id             uuid not null,
  kind               text not null check (kind in ('smtp', 'sandbox')),
  email              text not null,
  sender_name        text,
  smtp_host          text,
  smtp_port          integer check (smtp_port between 1 and 65535),
  smtp_tls           text check (smtp_tls in ('implicit', 'starttls', 'none')),
  smtp_user          text,
  smtp_password      bytea,
  status             text not null default 'unverified' check (status in ('unverified', 'active', 'failing')),
  status_reason      text,
  verified_at        timestamptz(3),
  -- Part of the address for pushed mail: incrementing it invalidates the old address.
  inbound_key_number integer not null default 1,
  -- True when its server delivers name+anything@ to it.
  plus_addressing    boolean not null default false,
  -- True when a copy of each sent email is stored in its Sent folder, because its server doesn't do that.
  saves_sent_copies  boolean not null default true,
  -- Emails in any 24 hours.
  daily_cap          integer check (daily_cap between 1 and 100000),
  min_gap_seconds    integer not null default 0 check (min_gap_seconds between 0 and 86400),
  -- Warm-up: ramp_start emails on the first day since ramp_since, and ramp_increase more after each day with emails, up
  -- to the cap.
  ramp_start         integer check (ramp_start between 1 and 100000),
  ramp_increase      integer check (ramp_increase between 1 and 100000),
  ramp_since         timestamptz(3),
  -- Days since ramp_since that do not count: days without emails, and days on which bounces set the warm-up back.
  ramp_skipped       integer not null default 0,
  -- When the first email of the last day with emails was planned.
  ramp_sent_at       timestamptz(3),
  -- The ramp_sent_at of the day whose bounces last lowered the limit.
  ramp_stepped_back_at timestamptz(3),
  -- Hints for finding work: no quota remains until these times. Only the count of mailbox_attempts decides.
  cap_resets_at      timestamptz(3),
  gap_ends_at        timestamptz(3),
  -- The prospect whose email started the current gap: that email may be retried, all others are delayed.
  gap_after          uuid,
  -- Consecutive failures since its server last accepted an email.
  failure_count      integer not null default 0,
  -- When the current failures began; set by the trigger below.
  failing_since      timestamptz(3),
  -- When failing: the next sign-in attempt. When active with failures: the next attempt, with one email.
  retry_at           timestamptz(3),
  -- No campaign email is sent while this is set. Only bounces and complaints of emails sent after resumed_at count.
  paused_at          timestamptz(3),
  pause_reason       text,
  resumed_at         timestamptz(3),
  -- A removed mailbox keeps its row for the messages that refer to it.
  removed_at         timestamptz(3),
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  check ((kind = 'smtp') = (smtp_host is not null and smtp_port is not null and smtp_tls is not null)),
  constraint mailboxes_ramp_check check (
    ramp_since is null and ramp_start is null and ramp_increase is null
    or daily_cap is not null and ramp_since is not null and ramp_start is not null and ramp_increase is not null)
);
create unique index mailboxes_by_email on mailboxes (account_id, email) where removed_at is null;
create index mailboxes_by_time on mailboxes (account_id, created_at desc, id desc) where removed_at is null;
create index mailboxes_by_rep on mailboxes (account_id, rep_id, created_at desc, id desc) where removed_at is null;
create index mailboxes_to_probe on mailboxes (coalesce(retry_at, '-infinity'))
 where status = 'failing' and removed_at is null;
call make_tenant_table('mailboxes');
revoke delete on mailboxes from overture_app;
create policy engine on mailboxes to overture_engine using (true);
grant select (account_id, id, rep_id, status, paused_at, removed_at, min_gap_seconds, cap_resets_at, gap_ends_at, retry_at),
      update (retry_at)
  on mailboxes to overture_engine;

create function set_failing_since() returns trigger
  language plpgsql as $$
begin
  new.failing_since := case when new.status = 'failing' or new.failure_count > 0 then coalesce(new.failing_since, now()) end;
  return new;
end $$;
create trigger set_failing_since before insert or update of status, failure_count on mailboxes
  for each row execute function set_failing_since();

-- Clients that an account has registered with Google or Microsoft, through which its mailboxes connect.
create table mail_clients (
  account_id        uuid not null references accounts,
  kind              text not null check (kind in ('google', 'google_service_account', 'microsoft', 'microsoft_app')),
  client_id         text not null,
  -- The client secret, or the key file of a service account.
  secret            bytea not null,
  tenant            text,
  -- Google revokes access for clients in testing after seven days.
  publishing_status text check (publishing_status in ('internal', 'testing', 'production')),
  secret_expires_on date,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (account_id, kind),
  check ((kind = 'google') = (publishing_status is not null)),
  check ((kind in ('microsoft', 'microsoft_app')) = (tenant is not null))
);
call make_tenant_table('mail_clients');

-- Access to a mailbox by OAuth, instead of a password. A separate table, so that a refresh never waits for a change to
-- the mailbox. It is kept after the mailbox is removed until the provider has revoked it.
create table mailbox_grants (
  account_id        uuid not null references accounts,
  mailbox_id        uuid not null,
  kind              text not null check (kind in ('google', 'google_service_account', 'microsoft', 'microsoft_app')),
  -- True when a user other than its owner opens it: a Microsoft shared mailbox.
  is_shared         boolean not null default false,
  -- The provider's ID for the user who consented. Unless the mailbox is shared, no other user of this provider can
  -- replace the grant.
  subject           text,
  -- The user name of the token's owner. It differs from the address of a shared mailbox, and may differ for others.
  login             text,
  -- The client that the refresh token belongs to. A client that replaces it cannot use the token.
  client_id         text,
  refresh_token     bytea,
  access_token      bytea,
  access_expires_at timestamptz(3),
  connected_at      timestamptz(3),
  -- One process at a time refreshes the token: this is the end of its lease. The epoch voids the result of an earlier
  -- process.
  refreshing_until  timestamptz(3),
  epoch             bigint not null default 0,
  error_class       text check (error_class in ('user', 'admin', 'operator', 'transient')),
  error_code        text,
  error_reason      text,
  error_since       timestamptz(3),
  -- Consecutive failures; the backoff grows with them.
  failure_count     integer not null default 0,
  retry_at          timestamptz(3),
  -- When to revoke it at the provider, after its mailbox was removed.
  revoke_at         timestamptz(3),
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  check ((access_token is null) = (access_expires_at is null)),
  check ((error_class is null) = (error_reason is null and error_code is null and error_since is null))
);
create index mailbox_grants_to_revoke on mailbox_grants (revoke_at) where revoke_at is not null;
create index mailbox_grants_by_subject on mailbox_grants (subject, client_id) where subject is not null;
call make_tenant_table('mailbox_grants');
create policy engine on mailbox_grants to overture_engine using (true);
-- The engine counts the other grants of the same user and client, in any account: Google revokes them together.
grant select (account_id, mailbox_id, kind, subject, client_id, revoke_at), update (revoke_at)
  on mailbox_grants to overture_engine;

-- Sign-ins in progress at a provider. The state that the browser returns identifies the row and can be used once.
create table mailbox_connections (
  account_id uuid not null references accounts,
  mailbox_id uuid not null,
  state_hash bytea not null check (octet_length(state_hash) = 32),
  user_id    uuid not null references users,
  -- The session that began it; null for API tokens, whose user must finish it.
  session    text,
  kind       text not null check (kind in ('google', 'microsoft')),
  client_id  text not null,
  -- The code verifier and nonce, encrypted.
  secret     bytea not null,
  -- When the code was used; a code works once. If `error` is null, the exchange is still running or its process
  -- crashed.
  used_at    timestamptz(3),
  -- Why the sign-in failed.
  error      text,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index mailbox_connections_by_user on mailbox_connections (user_id);
call make_tenant_table('mailbox_connections');

-- Further addresses that a mailbox may send as.
create table mailbox_aliases (
  account_id    uuid not null,
  mailbox_id    uuid not null,
  email         text not null,
  status        text not null default 'unverified' check (status in ('unverified', 'verified', 'failing')),
  status_reason text,
  -- Identifies the last test email by its header.
  test_id       uuid not null,
  tested_at     timestamptz(3) not null,
  verified_at   timestamptz(3),
  -- True for the address in the From of the mailbox's emails.
  is_sender     boolean not null default false,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id, email),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  check (status = 'verified' or not is_sender)
);
create unique index mailbox_aliases_sender on mailbox_aliases (account_id, mailbox_id) where is_sender;
call make_tenant_table('mailbox_aliases');

-- Emails of the last day that were handed to a mailbox's server, regardless of its reply, because providers count them.
-- The time is when the reply was known, which is never earlier than the time that the provider counts.
create table mailbox_attempts (
  account_id uuid not null,
  mailbox_id uuid not null,
  message_id uuid not null,
  epoch      bigint not null,
  at         timestamptz(3) not null,
  primary key (account_id, mailbox_id, message_id, epoch)
);
create index mailbox_attempts_by_time on mailbox_attempts (account_id, mailbox_id, at);
call make_tenant_table('mailbox_attempts');

-- How a mailbox is synced over IMAP. A separate table, so that the engine's claims, which are renewed all the time,
-- never wait for a change to the mailbox.
create table mailbox_syncs (
  account_id    uuid not null references accounts,
  mailbox_id    uuid not null,
  host          text not null,
  port          integer not null check (port between 1 and 65535),
  tls           text not null check (tls in ('implicit', 'starttls', 'none')),
  login         text not null,
  -- Null when the mailbox has a grant.
  password      bytea,
  status        text not null default 'waiting' check (status in ('waiting', 'syncing', 'failing')),
  status_reason text,
  -- Earlier mail is ignored.
  sync_from     timestamptz(3) not null,
  -- Start of the last sync that covered every folder: all mail that had arrived by then is known.
  last_synced_at  timestamptz(3),
  -- The next sync, or the end of the lease during one.
  due_at        timestamptz(3) not null default now(),
  -- Also incremented when the settings change.
  epoch         bigint not null default 0,
  -- Failures since the last success; the backoff grows with them.
  failures      integer not null default 0,
  -- Why the last copy of a sent email was dropped; null again once a later copy is stored.
  sent_copy_error text,
  sent_copy_error_since timestamptz(3),
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index mailbox_syncs_due on mailbox_syncs (due_at);
call make_tenant_table('mailbox_syncs');
create policy engine on mailbox_syncs to overture_engine using (true);
-- status, last_synced_at and created_at are for the metric of how stale the inboxes are.
grant select (account_id, mailbox_id, due_at, epoch, status, last_synced_at, created_at), update (due_at, epoch)
  on mailbox_syncs to overture_engine;

-- Sync cursors. A UID has a meaning only within its UIDVALIDITY (RFC 9051 section 2.3.1.1).
create table mailbox_folders (
  account_id   uuid not null references accounts,
  mailbox_id   uuid not null,
  path         text not null,
  uid_validity bigint not null,
  last_uid     bigint not null,
  -- The next email, and the number of failed attempts to read it: an email that can't be read is eventually skipped, so
  -- that it does not block its folder.
  trying_uid   bigint,
  tries        integer not null default 0,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id, path),
  foreign key (account_id, mailbox_id) references mailbox_syncs (account_id, mailbox_id) on delete cascade
);
call make_tenant_table('mailbox_folders');

create table mailbox_skips (
  account_id   uuid not null references accounts,
  mailbox_id   uuid not null,
  path         text not null,
  uid_validity bigint not null,
  uid          bigint not null,
  reason       text not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id, path, uid_validity, uid),
  foreign key (account_id, mailbox_id) references mailbox_syncs (account_id, mailbox_id) on delete cascade
);
call make_tenant_table('mailbox_skips');

create table domains (
  account_id uuid not null references accounts,
  id         uuid not null,
  domain     text not null,
  -- Results of the last DNS check, as the API shows them.
  checks     jsonb not null default '[]',
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, domain)
);
create index domains_by_time on domains (account_id, created_at desc, id desc);
call make_tenant_table('domains');

-- Aggregate reports from receivers about mail that uses addresses of a domain (DMARC, RFC 9990), read from received
-- email.
create table dmarc_reports (
  account_id   uuid not null,
  id           uuid not null,
  domain_id    uuid not null,
  -- The receiver, and its ID for the report.
  organization text not null,
  report_id    text not null,
  begins_at    timestamptz(3) not null,
  ends_at      timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, domain_id) references domains (account_id, id) on delete cascade,
  unique (account_id, domain_id, organization, report_id)
);
create index dmarc_reports_by_end on dmarc_reports (account_id, domain_id, ends_at);
create index dmarc_reports_by_age on dmarc_reports (ends_at);
call make_tenant_table('dmarc_reports');
-- The engine deletes old ones.
create policy engine on dmarc_reports to overture_engine using (true);
grant select (account_id, id, ends_at), delete on dmarc_reports to overture_engine;

-- Messages that a report counts, by the server that they came from.
create table dmarc_sources (
  account_id  uuid not null,
  report_id   uuid not null,
  ip          inet not null,
  messages    bigint not null,
  -- With aligned DKIM or SPF.
  passed      bigint not null,
  dkim_passed bigint not null,
  spf_passed  bigint not null,
  quarantined bigint not null,
  rejected    bigint not null,
  -- Domains that signed or sent them.
  domains     text[] not null,
  primary key (account_id, report_id, ip),
  foreign key (account_id, report_id) references dmarc_reports (account_id, id) on delete cascade
);
call make_tenant_table('dmarc_sources');

create table dkim_keys (
  account_id  uuid not null references accounts,
  id          uuid not null,
  domain_id   uuid not null,
  selector    text not null,
  public_key  text not null,
  -- Deleted when the key is retired.
  private_key bytea,
  -- Waits until its record is seen in DNS, then signs until the next key replaces it.
  status      text not null default 'waiting' check (status in ('waiting', 'signing', 'retired')),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, domain_id) references domains (account_id, id) on delete cascade,
  unique (account_id, domain_id, selector),
  check ((private_key is null) = (status = 'retired'))
);
create unique index dkim_keys_waiting on dkim_keys (account_id, domain_id) where status = 'waiting';
create unique index dkim_keys_signing on dkim_keys (account_id, domain_id) where status = 'signing';
call make_tenant_table('dkim_keys');

-- Voice assistants, which call through a provider.
create table assistants (
  account_id           uuid not null references accounts,
  id                   uuid not null,
  name                 text not null,
  provider             text not null default 'simulated' check (provider in ('simulated', 'vapi', 'retell', 'http')),
  -- How the provider identifies the assistant: its own IDs, or the URL of a voice server.
  provider_settings    jsonb,
  api_key              bytea,
  callback_secret      bytea,
  rep_id               uuid,
  from_number          text not null,
  first_message        text,
  disclosure           text,
  voicemail_message    text,
  max_duration_seconds integer check (max_duration_seconds between 30 and 7200),
  transfer_number      text,
  -- Attempts in any 24 hours, in total and per number called.
  daily_cap            integer not null default 100 check (daily_cap between 1 and 10000),
  daily_cap_per_number integer not null default 3 check (daily_cap_per_number between 1 and 20),
  -- The result of the last verification with the provider.
  status               text not null default 'active' check (status in ('unverified', 'active', 'failing')),
  status_reason        text,
  verified_at          timestamptz(3),
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
create index assistants_by_time on assistants (account_id, created_at desc, id desc);
call make_tenant_table('assistants');


-- Campaigns -----------------------------------------------------------------------------------------------------------
-- A campaign is a sequence of steps, each due after a delay.

create table campaigns (
  account_id            uuid not null references accounts,
  id                    uuid not null,
  name                  text not null,
  description           text,
  status                text not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed')),
  is_archived           boolean not null default false,
  is_evergreen          boolean not null default false,
  skip_active_elsewhere boolean not null default false,
  -- Whether a prospect who replies or opts out stops the others at the same company.
  stop_company_on_reply boolean not null default false,
  -- Pauses prospects with a disposable or role address.
  hold_risky_addresses boolean not null default false,
  -- The metric that decides which variant of a step is best; null when only people decide.
  auto_winner           text check (auto_winner in ('replied', 'positive')),
  winners_checked_at    timestamptz(3),
  health                text,
  -- Emails planned at or before this time are planned again before they are sent.
  steps_changed_at      timestamptz(3),
  -- Sending windows in the prospect's time zone, holidays, first and last date. Validated by the contract; null means
  -- any time.
  schedule              jsonb,
  new_prospects_per_day integer check (new_prospects_per_day between 1 and 1000000),
  -- The last day on which prospects started, in the campaign's time zone, and how many did.
  begun_on              date,
  begun_count           integer not null default 0,
  -- Hint for finding work: no prospect can start before this time.
  begins_from           timestamptz(3),
  launched_at           timestamptz(3),
  completed_at          timestamptz(3),
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  sort_name             text collate "C" not null generated always as (left(lower(name), 200)) stored,
  search_text           text not null generated always as (search_key(name)) stored,
  primary key (account_id, id),
  check (not (is_archived and status = 'active')),
  check ((status = 'draft') = (launched_at is null))
);
create index campaigns_by_time on campaigns (account_id, created_at desc, id desc);
create index campaigns_by_status on campaigns (account_id, status, created_at desc, id desc);
create index campaigns_by_archived_and_status on campaigns (account_id, is_archived, status, created_at desc, id desc);
create index campaigns_completed on campaigns (account_id, completed_at) where completed_at is not null;
create index campaigns_by_sort_name on campaigns (account_id, sort_name, id);
create index campaigns_by_text on campaigns using gin (account_id, search_text gin_trgm_ops);
create index campaigns_by_change on campaigns (account_id, updated_at, id);
call make_tenant_table('campaigns');
-- Messages and statistics refer to every campaign that was launched.
create policy only_drafts_deleted on campaigns as restrictive for delete to overture_app using (status = 'draft');
create policy search on campaigns for select to overture_search using (true);
grant select (account_id, id, search_text) on campaigns to overture_search;
create policy engine on campaigns to overture_engine using (true);
grant select (account_id, id, status, begins_from) on campaigns to overture_engine;

create table campaign_reps (
  account_id  uuid not null references accounts,
  campaign_id uuid not null,
  rep_id      uuid not null,
  position    integer not null,
  primary key (account_id, campaign_id, rep_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
create index campaign_reps_by_rep on campaign_reps (account_id, rep_id);
call make_tenant_table('campaign_reps');
create policy engine on campaign_reps to overture_engine using (true);
grant select (account_id, campaign_id, rep_id) on campaign_reps to overture_engine;

-- Removed steps and variants keep their rows, because sent messages refer to them.
create table campaign_steps (
  account_id         uuid not null references accounts,
  id                 uuid not null,
  campaign_id        uuid not null,
  -- A removed step takes the position of the last remaining step before it.
  position           integer not null,
  channel            text not null check (channel in (
                       'email', 'call', 'linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')),
  delay_amount       integer not null default 0 check (delay_amount between 0 and 10000),
  delay_unit         text not null default 'minutes' check (delay_unit in ('minutes', 'hours', 'days', 'business_days')),
  -- Email: continues the thread of the emails before it, or starts a new one.
  thread             text not null default 'new' check (thread in ('same', 'new')),
  -- LinkedIn message: how long it waits for the invitation to be accepted.
  accept_within_days integer
    check (accept_within_days between 1 and 365 and (accept_within_days is null) = (channel <> 'linkedin_message')),
  assistant_id       uuid,
  call_data          jsonb,
  on_answered        text check (on_answered in ('stop', 'continue')),
  retries            integer check (retries between 0 and 5),
  retry_after_amount integer check (retry_after_amount between 1 and 10000),
  retry_after_unit   text check (retry_after_unit in ('minutes', 'hours', 'days', 'business_days')),
  -- The variant that was proven best, with the numbers that proved it, as the API shows it.
  winner             jsonb,
  -- Number of times the variants were tested; each test needs twice as many prospects as the one before.
  winner_tests       integer not null default 0,
  removed_at         timestamptz(3),
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, assistant_id) references assistants (account_id, id),
  constraint campaign_steps_position_check check (position > 0 or removed_at is not null and position = 0),
  constraint campaign_steps_call_check check (
    case when channel = 'call' then num_nulls(on_answered, retries, retry_after_amount, retry_after_unit) = 0
         else num_nonnulls(assistant_id, call_data, on_answered, retries, retry_after_amount, retry_after_unit) = 0 end)
);
create unique index campaign_steps_by_position on campaign_steps (account_id, campaign_id, position) where removed_at is null;
create index campaign_steps_by_campaign on campaign_steps (account_id, campaign_id);
call make_tenant_table('campaign_steps');

create table campaign_step_variants (
  account_id uuid not null references accounts,
  id         uuid not null,
  step_id    uuid not null,
  position   integer not null,
  -- Null when the step continues a thread.
  subject    text,
  body       text not null,
  weight     integer not null check (weight between 0 and 1000),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, step_id) references campaign_steps (account_id, id) on delete cascade
);
create index campaign_step_variants_by_step on campaign_step_variants (account_id, step_id);
call make_tenant_table('campaign_step_variants');


-- Prospects -----------------------------------------------------------------------------------------------------------

create table prospects (
  account_id      uuid not null references accounts,
  id              uuid not null,
  campaign_id     uuid not null,
  person_id       uuid not null,
  rep_id          uuid,
  -- The mailbox of the first email; the later ones come from it, too.
  mailbox_id      uuid,
  status          text not null default 'pending' check (status in
                  ('pending', 'active', 'paused', 'replied', 'out_of_office', 'completed', 'stopped', 'bounced', 'opted_out',
                   'failed')),
  status_reason   text,
  opted_out_at    timestamptz(3),
  steps_done      integer not null default 0,
  -- Number of times the current step's email was rejected by a mailbox that had delivered other emails since the
  -- previous rejection.
  rejection_count smallint not null default 0,
  rejected_at     timestamptz(3),
  -- When the first step was first planned. The prospect counts as started once, even if that step was undone.
  began_at        timestamptz(3),
  -- When the delay of the next step starts: when the last step was done or, before any step, at enrollment.
  delay_starts_at timestamptz(3),
  -- The time from which the next step is due while the campaign is active; null when nothing is due.
  next_step_at    timestamptz(3),
  -- The end of the prospect's absence, according to an automatic reply.
  away_until      timestamptz(3),
  -- Intent of the latest classified reply; see copy_intent.
  intent          text check (intent in
                  ('interested', 'question', 'objection', 'not_now', 'wrong_person', 'opt_out', 'auto')),
  lease_until     timestamptz(3),
  lease_epoch     bigint not null default 0,
  -- The person was merged with that of another prospect of the campaign, who continues instead.
  is_duplicate    boolean not null default false,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  check (status <> 'opted_out' or opted_out_at is not null)
-- A claim changes no indexed column: if its page has free space, the row stays on the page and no index is written.
-- Prospects that were added together share pages and are due together, so every page needs that space.
) with (fillfactor = 70);
create index prospects_by_time on prospects (account_id, created_at desc, id desc);
create index prospects_by_campaign on prospects (account_id, campaign_id, created_at desc, id desc);
create index prospects_by_status on prospects (account_id, status, created_at desc, id desc);
create index prospects_by_campaign_and_status on prospects (account_id, campaign_id, status, created_at desc, id desc);
-- Partial, because few prospects reply.
create index prospects_by_intent on prospects (account_id, intent, status, created_at desc, id desc) include (person_id)
  where intent is not null;
create index prospects_by_campaign_and_intent
  on prospects (account_id, campaign_id, intent, status, created_at desc, id desc) where intent is not null;
create index prospects_by_opt_out on prospects (account_id, opted_out_at) where status = 'opted_out';
create index prospects_by_person on prospects (account_id, person_id);
create unique index prospects_one_per_campaign on prospects (account_id, campaign_id, person_id) where not is_duplicate;
create index prospects_by_change on prospects (account_id, updated_at, id);
-- By mailbox, so that prospects of a mailbox without quota are skipped without reading them. Prospects without a
-- mailbox have ranges of their own: one for new prospects, which a daily limit may hold back for weeks, and one for the
-- others. Row-level security keeps coalesce, but not case, from using an index. Paused and finished prospects are left
-- out and cost the engine nothing.
create index prospects_due
  on prospects (account_id, campaign_id,
                (case when mailbox_id is not null then mailbox_id
                      when began_at is null then '00000000-0000-0000-0000-000000000000'
                      else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end), next_step_at)
  where status in ('pending', 'active', 'out_of_office') and next_step_at is not null;
create function set_opted_out_at() returns trigger language plpgsql as $$
begin
  new.opted_out_at := now();
  return new;
end $$;
create trigger set_opted_out_at before update of status on prospects
  for each row when (old.status <> 'opted_out' and new.status = 'opted_out') execute function set_opted_out_at();
call make_tenant_table('prospects');
create policy engine on prospects to overture_engine using (true);
grant select (account_id, id, campaign_id, mailbox_id, status, began_at, next_step_at, lease_until, lease_epoch),
      update (lease_until, lease_epoch)
  on prospects to overture_engine;


-- Inbox ---------------------------------------------------------------------------------------------------------------
-- Email threads and messages, their delivery, LinkedIn conversations and messages, tags.
--
-- Combined filters use the indexes by `kind`. An email's kind is its type, status and whether it is the last of its
-- thread, encoded as one of seventeen words, so that a page merges the few index ranges that match its filters. A
-- LinkedIn message's kind is its type, status and whether it is unread.

create table tags (
  account_id uuid not null references accounts,
  id         uuid not null,
  name       text not null,
  name_key   text not null generated always as (lower(name)) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, name_key)
);
create index tags_by_time on tags (account_id, created_at desc, id desc);
call make_tenant_table('tags');

-- Tags of persons, with the columns that the list of persons sorts by, so that filtering by tag reads rows in list
-- order.
create table person_tags (
  account_id uuid not null references accounts,
  tag_id     uuid not null,
  id         uuid not null,
  created_at timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references persons (account_id, id)
);
create index person_tags_by_time on person_tags (account_id, tag_id, created_at desc, id desc);
create index person_tags_by_person on person_tags (account_id, id);
call make_tenant_table('person_tags');

-- Prepared texts for emails and messages.
create table snippets (
  account_id  uuid not null references accounts,
  id          uuid not null,
  -- Null if shared with the whole account.
  owner_id    uuid,
  name        text not null,
  text        text not null,
  search_text text not null generated always as (search_key(name || ' ' || text)) stored,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, owner_id) references members (account_id, user_id) on delete cascade
);
create index snippets_by_owner on snippets (account_id, owner_id, created_at desc, id desc);
create index snippets_by_owner_and_change on snippets (account_id, owner_id, updated_at, id);
call make_tenant_table('snippets');

-- Named filters, order and columns of a list.
create table saved_views (
  account_id uuid not null references accounts,
  id         uuid not null,
  -- Null if shared with the whole account.
  owner_id   uuid,
  kind       text not null check (kind in ('people')),
  name       text not null,
  name_key   text not null generated always as (lower(name)) stored,
  -- The input of the list's operation.
  filters    jsonb not null,
  -- Null for the columns that each user has chosen.
  columns    text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  constraint saved_views_name_key unique nulls not distinct (account_id, owner_id, kind, name_key),
  foreign key (account_id, owner_id) references members (account_id, user_id) on delete cascade
);
call make_tenant_table('saved_views');
create policy own on saved_views as restrictive to overture_app
  using (owner_id is null or owner_id = (select current_user_id()));

create table email_threads (
  account_id  uuid not null,
  id          uuid not null,
  subject     text not null,
  person_id   uuid,
  prospect_id uuid,
  campaign_id uuid,
  rep_id      uuid,
  mailbox_id  uuid,
  -- Names of its tags, copied to each of its messages for the list.
  tags        text[] not null default '{}',
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index email_threads_by_prospect on email_threads (account_id, prospect_id);
-- Threads outside of campaigns; the others are found by the prospects of the person.
create index email_threads_by_person on email_threads (account_id, person_id) where prospect_id is null;
call make_tenant_table('email_threads');

create table email_messages (
  account_id      uuid not null,
  id              uuid not null,
  thread_id       uuid not null,
  -- Copied from the thread by the one statement that inserts messages.
  campaign_id     uuid,
  prospect_id     uuid,
  rep_id          uuid,
  mailbox_id      uuid,
  step_id         uuid,
  variant_id      uuid,
  type            text not null check (type in ('manual', 'campaign', 'reply_agent', 'received')),
  -- Null while an outgoing message has not reached the mail server.
  status          text check (status in ('sent', 'draft')),
  delivery_status text check (delivery_status in ('queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced')),
  delivery_reason text,
  received_kind   text check (received_kind in ('reply', 'auto_reply', 'unsubscribe')),
  subject         text not null,
  body            text not null,
  -- Set by the writer: a name that contains a tag must not turn plain text into HTML.
  body_format     text not null default 'text' check (body_format in ('text', 'html')),
  -- The body of a received message without quoted text.
  new_text        text,
  -- The sanitized HTML of a received message.
  html            text,
  -- Names, types and sizes, with the IDs of stored files.
  attachments     jsonb,
  sender          jsonb,
  recipients      jsonb not null,
  -- For reports; set for campaign emails only.
  recipient_domain text generated always as
                    (case when type = 'campaign' then lower(split_part(recipients #>> '{to,0,email}', '@', 2)) end) stored,
  -- The Reply-To of a received message, when it is not the sender.
  reply_to        jsonb,
  message_id      text not null,
  in_reply_to     text,
  reference_ids   text[] not null default '{}',
  sent_at         timestamptz(3) not null,
  -- When the prospect's previous campaign email was sent; null for the first and until this one is sent. With it,
  -- reports count the people contacted in a period without sorting a million emails by prospect.
  previous_sent_at timestamptz(3),
  -- True if an earlier email to the prospect had the same step or variant, or another campaign, rep, mailbox or domain:
  -- then previous_sent_at is not enough, and reports read the earlier emails.
  is_irregular    boolean not null default false,
  -- Last of its thread among the messages with its status.
  is_last         boolean not null default false,
  kind            text not null generated always as
                    (type || case status when 'sent' then ' sent' when 'draft' then ' draft' else ' unsent' end
                          || case when is_last then ' last' else '' end) stored,
  tags            text[] not null default '{}',
  -- The time up to which the draft's writer had seen the thread. Sending is refused if our side has written since.
  thread_seen_at  timestamptz(3),
  -- Set while a draft waits for a person: when and by which app it was requested, and when the app would send it.
  approval_request jsonb check (approval_request is null or status = 'draft'),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, thread_id) references email_threads (account_id, id),
  check (not is_last or status is not null),
  check (type <> 'received' or status = 'sent')
);
create index email_messages_by_time on email_messages (account_id, sent_at desc, id desc);
create index email_messages_by_thread on email_messages (account_id, thread_id, sent_at desc, id desc);
create index email_messages_by_campaign on email_messages (account_id, campaign_id, sent_at desc, id desc);
create index email_messages_by_prospect on email_messages (account_id, prospect_id, sent_at desc, id desc);
create index email_messages_by_rep on email_messages (account_id, rep_id, sent_at desc, id desc);
create index email_messages_by_status on email_messages (account_id, status, sent_at desc, id desc);
create index email_messages_by_rep_and_campaign on email_messages (account_id, rep_id, campaign_id, sent_at desc, id desc);
create index email_messages_by_type on email_messages (account_id, type, sent_at desc, id desc);
create index email_messages_by_kind on email_messages (account_id, kind, sent_at desc, id desc);
create index email_messages_by_campaign_and_kind on email_messages (account_id, campaign_id, kind, sent_at desc, id desc);
create index email_messages_by_rep_and_kind on email_messages (account_id, rep_id, kind, sent_at desc, id desc);
create index email_messages_by_rep_and_campaign_and_kind on email_messages (account_id, rep_id, campaign_id, kind, sent_at desc, id desc);
create index email_messages_last on email_messages (account_id, status, sent_at desc, id desc) where is_last;
create unique index email_messages_one_last on email_messages (account_id, thread_id, status) where is_last;
create index email_messages_by_message_id on email_messages (account_id, message_id);
create index email_messages_by_change on email_messages (account_id, updated_at, id);
create index email_messages_by_rep_and_change on email_messages (account_id, rep_id, updated_at, id);
-- Includes every column that reports group and filter by, because a period may have a million emails.
create index email_messages_sent on email_messages (account_id, sent_at)
  include (campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, recipient_domain, previous_sent_at, is_irregular)
  where type = 'campaign' and status = 'sent';
-- The emails counted by a campaign's statistics and by reports on it.
create index email_messages_sent_by_campaign on email_messages (account_id, campaign_id, sent_at)
  include (prospect_id, step_id, variant_id, previous_sent_at, is_irregular)
  where type = 'campaign' and status = 'sent';
-- Finds a prospect's emails before and after a given one, and whether a prospect reached on another channel also got
-- an email.
create index email_messages_sent_to_prospect on email_messages (account_id, prospect_id, sent_at, id)
  include (campaign_id, rep_id)
  where type = 'campaign' and status = 'sent';
-- Few emails are irregular.
create index email_messages_irregular on email_messages (account_id, sent_at)
  where is_irregular and type = 'campaign' and status = 'sent';
-- Few messages have these states.
create index email_messages_failed on email_messages (account_id, sent_at) where delivery_status = 'failed';
create index email_messages_unconfirmed on email_messages (account_id, sent_at desc, id desc)
 where delivery_status = 'unconfirmed';
-- Campaign emails are left out: their text is the campaign's, and indexing them would slow down sending.
create index email_messages_by_text on email_messages using gin (account_id, message_words(subject, coalesce(new_text, body)))
 where type <> 'campaign';
call make_tenant_table('email_messages');

-- The functions and triggers below keep previous_sent_at and is_irregular of sent campaign emails up to date.
create function is_irregular_after(earlier email_messages, later email_messages) returns boolean
  language sql immutable
  return later.step_id is not distinct from earlier.step_id
      or later.variant_id is not distinct from earlier.variant_id
      or (later.campaign_id, later.rep_id, later.mailbox_id, later.recipient_domain)
         is distinct from (earlier.campaign_id, earlier.rep_id, earlier.mailbox_id, earlier.recipient_domain);
create function place_sent_email() returns trigger language plpgsql as $$
declare
  has_later boolean;
begin
  -- Without this lock, two emails to the prospect that are recorded at the same time would miss each other.
  perform pg_advisory_xact_lock(hashtextextended('emails to ' || new.prospect_id, 0));
  -- PostgreSQL computes this generated column only after the trigger.
  new.recipient_domain := lower(split_part(new.recipients #>> '{to,0,email}', '@', 2));
  select max(e.sent_at) filter (where is_earlier),
         coalesce(bool_or(is_irregular_after(e, new)) filter (where is_earlier), false),
         coalesce(bool_or(not is_earlier), false)
    into new.previous_sent_at, new.is_irregular, has_later
    from email_messages e
   cross join lateral (select (e.sent_at, e.id) < (new.sent_at, new.id) as is_earlier) c
   where e.account_id = new.account_id and e.prospect_id = new.prospect_id and e.type = 'campaign' and e.status = 'sent'
     and e.id <> new.id;
  -- Infinity makes place_sent_emails recompute all emails of the prospect.
  if has_later or tg_op = 'UPDATE' and old.status = 'sent' then new.previous_sent_at := 'infinity'; end if;
  return new;
end $$;
create trigger place_sent_email before insert on email_messages
  for each row when (new.type = 'campaign' and new.status = 'sent' and new.prospect_id is not null)
  execute function place_sent_email();
create trigger place_changed_email
  before update of status, sent_at, prospect_id, campaign_id, step_id, variant_id, rep_id, mailbox_id, recipients on email_messages
  for each row when (
    new.type = 'campaign' and new.status = 'sent' and new.prospect_id is not null
    and (new.status, new.sent_at, new.prospect_id, new.campaign_id, new.step_id, new.variant_id, new.rep_id, new.mailbox_id, new.recipients)
        is distinct from
        (old.status, old.sent_at, old.prospect_id, old.campaign_id, old.step_id, old.variant_id, old.rep_id, old.mailbox_id, old.recipients))
  execute function place_sent_email();
create function place_sent_emails() returns trigger language plpgsql as $$
begin
  update email_messages m
     set previous_sent_at = c.previous_sent_at, is_irregular = c.is_irregular
    from email_messages l
   cross join lateral (
           select max(e.sent_at) as previous_sent_at, coalesce(bool_or(is_irregular_after(e, l)), false) as is_irregular
             from email_messages e
            where e.account_id = l.account_id and e.prospect_id = l.prospect_id and e.type = 'campaign' and e.status = 'sent'
              and (e.sent_at, e.id) < (l.sent_at, l.id)) c
   where l.account_id = coalesce(new.account_id, old.account_id) and l.prospect_id in (old.prospect_id, new.prospect_id)
     and l.type = 'campaign' and l.status = 'sent'
     and m.account_id = l.account_id and m.id = l.id
     and (m.previous_sent_at, m.is_irregular) is distinct from (c.previous_sent_at, c.is_irregular);
  return null;
end $$;
create trigger place_sent_emails after insert on email_messages
  for each row when (new.previous_sent_at = 'infinity') execute function place_sent_emails();
create trigger place_changed_emails after update on email_messages
  for each row when (
    new.previous_sent_at = 'infinity'
    or old.type = 'campaign' and old.status = 'sent'
       and (new.status is distinct from 'sent' or new.prospect_id is distinct from old.prospect_id))
  execute function place_sent_emails();
create trigger place_remaining_emails after delete on email_messages
  for each row when (old.type = 'campaign' and old.status = 'sent') execute function place_sent_emails();

-- Files of received messages and of drafts, and uploads for a draft.
create table attachments (
  account_id       uuid not null,
  id               uuid not null,
  -- Null for an upload that no draft uses yet; it is deleted after a day.
  email_message_id uuid,
  -- The user who uploaded it; only they may use it. Null for a received file.
  user_id          uuid,
  name             text not null,
  -- Detected from the content.
  type             text not null,
  size             integer not null check (size between 0 and 10000000),
  created_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, email_message_id) references email_messages (account_id, id) on delete cascade
);
create index attachments_by_message on attachments (account_id, email_message_id);
create index attachments_by_size on attachments (account_id) include (size);
create index attachments_unused on attachments (created_at) where email_message_id is null;
call make_tenant_table('attachments');
create policy engine on attachments to overture_engine using (true);
grant select (account_id, id, email_message_id, created_at), delete on attachments to overture_engine;

-- The content of attachments, in pieces that fit into memory.
create table attachment_pieces (
  account_id    uuid not null,
  attachment_id uuid not null,
  number        integer not null,
  bytes         bytea not null,
  created_at    timestamptz(3) not null default now(),
  primary key (account_id, attachment_id, number),
  foreign key (account_id, attachment_id) references attachments (account_id, id) on delete cascade
);
-- Stored uncompressed, because most files are compressed already.
alter table attachment_pieces alter column bytes set storage external;
call make_tenant_table('attachment_pieces');

-- Further Message-IDs of our messages: some servers replace ours with their own, which replies then refer to.
create table email_message_aliases (
  account_id       uuid not null references accounts,
  -- In angle brackets, as in the header.
  message_id       text not null,
  email_message_id uuid not null,
  created_at       timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  foreign key (account_id, email_message_id) references email_messages (account_id, id) on delete cascade
);
create index email_message_aliases_by_message on email_message_aliases (account_id, email_message_id);
call make_tenant_table('email_message_aliases');

-- Tags of email messages, with the columns that the list of messages filters and sorts by, so that filtering by tag
-- reads rows in list order.
create table email_message_tags (
  account_id  uuid not null references accounts,
  tag_id      uuid not null,
  id          uuid not null,
  thread_id   uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  rep_id      uuid,
  kind        text not null,
  sent_at     timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references email_messages (account_id, id) on delete cascade
);
create index email_message_tags_by_time on email_message_tags (account_id, tag_id, sent_at desc, id desc);
create index email_message_tags_by_kind on email_message_tags (account_id, tag_id, kind, sent_at desc, id desc);
create index email_message_tags_by_rep on email_message_tags (account_id, tag_id, rep_id, sent_at desc, id desc);
create index email_message_tags_by_rep_and_kind on email_message_tags (account_id, tag_id, rep_id, kind, sent_at desc, id desc);
create index email_message_tags_by_rep_and_campaign on email_message_tags (account_id, tag_id, rep_id, campaign_id, sent_at desc, id desc);
create index email_message_tags_by_campaign on email_message_tags (account_id, tag_id, campaign_id, sent_at desc, id desc);
create index email_message_tags_by_thread on email_message_tags (account_id, tag_id, thread_id, sent_at desc, id desc);
create index email_message_tags_by_prospect on email_message_tags (account_id, tag_id, prospect_id, sent_at desc, id desc);
create index email_message_tags_by_message on email_message_tags (account_id, id);
call make_tenant_table('email_message_tags');

-- The delivery of one message to its mail server. `dot_pending` is committed before the final dot may be sent. After a
-- crash in that state nobody can know whether the dot was sent, so the message is never sent again automatically.
create table email_sends (
  account_id       uuid not null,
  message_id       uuid not null,
  mailbox_id       uuid not null,
  campaign_id      uuid,
  prospect_id      uuid,
  step_id          uuid,
  state            text not null check (state in ('queued', 'claimed', 'dot_pending', 'sent', 'refused', 'failed', 'unconfirmed')),
  -- All recipients in canonical form, so that an opt-out finds the send.
  recipient_emails text[] not null,
  -- True when a person decided to send the email again although it may have arrived: its step has ended, whatever the
  -- result.
  is_repeat        boolean not null default false,
  attempts         integer not null default 0,
  -- When queued: the time to send. Otherwise the end of the lease.
  due_at           timestamptz(3) not null default now(),
  epoch            bigint not null default 0,
  dot_pending_at   timestamptz(3),
  ended_at         timestamptz(3),
  response         text,
  queue_id         text,
  -- When a bounce reported that a recipient's address does not exist, and when a complaint reported the email as spam.
  hard_bounced_at  timestamptz(3),
  complained_at    timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  -- A step is sent to a prospect at most once.
  unique (account_id, prospect_id, step_id),
  foreign key (account_id, message_id) references email_messages (account_id, id)
);
create index email_sends_due on email_sends (due_at) where state in ('queued', 'claimed', 'dot_pending');
create index email_sends_in_flight on email_sends (account_id) where state = 'dot_pending';
create index email_sends_by_mailbox on email_sends (account_id, mailbox_id) where state in ('queued', 'claimed', 'dot_pending');
-- Only the queue is looked up by campaign: leaving out the sends in flight saves each email two index writes.
create index email_sends_by_campaign on email_sends (account_id, campaign_id) where state = 'queued';
-- Finds the emails to look up in the Sent folder.
create index email_sends_unconfirmed on email_sends (account_id, mailbox_id, ended_at) where state = 'unconfirmed';
-- Finds domains with addresses that do not exist.
create index email_sends_bounced on email_sends (account_id, hard_bounced_at) where hard_bounced_at is not null;
-- Finds the last emails of a mailbox, to measure its bounce rate.
create index email_sends_by_end on email_sends (account_id, mailbox_id, ended_at)
 where state in ('sent', 'failed', 'unconfirmed');
call make_tenant_table('email_sends');
create policy engine on email_sends to overture_engine using (true);
grant select (account_id, message_id, mailbox_id, campaign_id, state, due_at, epoch, attempts),
      update (state, due_at, epoch, attempts, updated_at)
  on email_sends to overture_engine;

-- Sent emails whose copy has not been stored in the Sent folder yet. A copy that can't be stored is dropped after a few
-- attempts.
create table sent_copies (
  account_id uuid not null references accounts,
  message_id uuid not null,
  mailbox_id uuid not null,
  -- The email as it was sent.
  raw        bytea not null,
  attempts   integer not null default 0,
  due_at     timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  foreign key (account_id, message_id) references email_messages (account_id, id) on delete cascade,
  foreign key (account_id, mailbox_id) references mailbox_syncs (account_id, mailbox_id) on delete cascade
);
create index sent_copies_due on sent_copies (account_id, mailbox_id, due_at);
create index sent_copies_by_age on sent_copies (created_at);
call make_tenant_table('sent_copies');
-- The engine deletes old ones.
create policy engine on sent_copies to overture_engine using (true);
grant select (account_id, message_id, created_at), delete on sent_copies to overture_engine;

-- Every received email about one of ours, with its classification. An email delivered several times is stored once. The
-- inbox shows emails from people and their automatic replies; reports from servers are recorded here and on the email
-- that they are about.
create table received_mails (
  account_id   uuid not null references accounts,
  -- Also the ID of its message, if the inbox shows it.
  id           uuid not null,
  -- SHA-256 of its Message-ID, or of the whole email if it has none.
  fingerprint  bytea not null,
  mailbox_id   uuid not null,
  -- `own` is an email that a rep sent to a prospect from an email client; it was found in the Sent folder.
  kind         text not null check (kind in ('reply', 'auto_reply', 'unsubscribe', 'bounce', 'complaint', 'own')),
  -- The worst class that the bounce reports for a recipient of our email; other addresses are ignored.
  bounce_class text check (bounce_class in ('hard', 'soft', 'policy', 'unknown')),
  -- Our email that it replies to or is about.
  about_id     uuid,
  -- Copied from that email, so that statistics don't read every email that ever got a reply.
  campaign_id  uuid,
  prospect_id  uuid,
  step_id      uuid,
  variant_id   uuid,
  rep_id       uuid,
  about_type   text,
  about_mailbox_id uuid,
  recipient_domain text,
  -- When that email was sent, if it was a campaign's.
  contacted_at timestamptz(3),
  received_at  timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, fingerprint),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  -- Undoing a step deletes its message, which was never delivered, regardless of what a received email claims.
  foreign key (account_id, about_id) references email_messages (account_id, id) on delete set null (about_id),
  check (bounce_class is null or kind = 'bounce')
);
create index received_mails_by_about on received_mails (account_id, about_id);
create index received_mails_by_campaign on received_mails (account_id, campaign_id, kind) where campaign_id is not null;
create index received_mails_by_prospect on received_mails (account_id, prospect_id, received_at) where prospect_id is not null;
create index received_mails_by_kind on received_mails (account_id, kind, received_at);
create index received_mails_of_policy on received_mails (account_id, mailbox_id, received_at) where bounce_class = 'policy';
call make_tenant_table('received_mails');

create function copy_from_message() returns trigger language plpgsql as $$
begin
  select type, campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, recipient_domain,
         case when type = 'campaign' and status = 'sent' then sent_at end
    into new.about_type, new.campaign_id, new.prospect_id, new.step_id, new.variant_id, new.rep_id, new.about_mailbox_id,
         new.recipient_domain, new.contacted_at
    from email_messages
   where account_id = new.account_id and id = new.about_id;
  return new;
end $$;
create trigger copy_from_message before insert or update of about_id on received_mails
  for each row when (new.about_id is not null) execute function copy_from_message();
create function copy_to_received_mails() returns trigger language plpgsql as $$
begin
  -- Makes copy_from_message copy the columns again.
  update received_mails set about_id = about_id where account_id = new.account_id and about_id = new.id;
  return null;
end $$;
create trigger copy_to_received_mails
  after update of campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, status, sent_at, recipients on email_messages
  for each row when (
    (new.campaign_id, new.prospect_id, new.step_id, new.variant_id, new.rep_id, new.mailbox_id, new.status, new.sent_at, new.recipient_domain)
    is distinct from
    (old.campaign_id, old.prospect_id, old.step_id, old.variant_id, old.rep_id, old.mailbox_id, old.status, old.sent_at, old.recipient_domain))
  execute function copy_to_received_mails();

create table linkedin_conversations (
  account_id      uuid not null references accounts,
  id              uuid not null,
  -- The provider's ID: the API's conversationId.
  conversation_id text not null,
  -- The provider's ID for the chat in its own API, if it differs.
  chat_id         text,
  person_id       uuid,
  prospect_id     uuid,
  campaign_id     uuid,
  rep_id          uuid,
  tags            text[] not null default '{}',
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, conversation_id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
create index linkedin_conversations_by_person on linkedin_conversations (account_id, person_id, rep_id);
create index linkedin_conversations_by_prospect on linkedin_conversations (account_id, prospect_id);
call make_tenant_table('linkedin_conversations');

-- Recorded by people, imported from LinkedIn's data export, or received from a connected account. Each message is
-- stored once, regardless of how often and in what order it arrives.
create table linkedin_messages (
  account_id             uuid not null references accounts,
  id                     uuid not null,
  conversation_record_id uuid not null,
  conversation_id        text not null,
  provider_message_id    text,
  prospect_id            uuid,
  campaign_id            uuid,
  rep_id                 uuid,
  text                   text not null,
  type                   text not null check (type in ('manual', 'campaign', 'reply_agent', 'received')),
  status                 text not null check (status in ('sent', 'draft')),
  is_unread              boolean not null default false,
  happened_at            timestamptz(3) not null,
  kind                   text not null generated always as
                           (type || ' ' || status || case when is_unread then ' unread' else '' end) stored,
  tags                   text[] not null default '{}',
  -- Like email_messages.thread_seen_at.
  conversation_seen_at   timestamptz(3),
  -- Like email_messages.approval_request.
  approval_request       jsonb check (approval_request is null or status = 'draft'),
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, conversation_record_id) references linkedin_conversations (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
-- Begins with the status, because the list always filters by it.
create index linkedin_messages_by_time on linkedin_messages (account_id, status, happened_at desc, id desc);
create index linkedin_messages_by_change on linkedin_messages (account_id, updated_at, id);
create index linkedin_messages_by_rep_and_change on linkedin_messages (account_id, rep_id, updated_at, id);
create index linkedin_messages_by_prospect on linkedin_messages (account_id, prospect_id, status, happened_at desc, id desc);
create index linkedin_messages_by_campaign on linkedin_messages (account_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_messages_by_rep on linkedin_messages (account_id, rep_id, status, happened_at desc, id desc);
create index linkedin_messages_by_type on linkedin_messages (account_id, type, status, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_campaign on linkedin_messages (account_id, rep_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_messages_by_campaign_and_kind on linkedin_messages (account_id, campaign_id, kind, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_kind on linkedin_messages (account_id, rep_id, kind, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_campaign_and_kind on linkedin_messages (account_id, rep_id, campaign_id, kind, happened_at desc, id desc);
create index linkedin_messages_unread on linkedin_messages (account_id, status, happened_at desc, id desc) where is_unread;
create index linkedin_messages_by_conversation on linkedin_messages (account_id, conversation_record_id, happened_at desc, id desc);
create index linkedin_messages_by_text on linkedin_messages using gin (account_id, message_words('', text))
 where type <> 'campaign';
create unique index linkedin_messages_by_provider on linkedin_messages (account_id, conversation_record_id, provider_message_id)
 where provider_message_id is not null;
call make_tenant_table('linkedin_messages');

-- Like email_message_tags.
create table linkedin_message_tags (
  account_id  uuid not null references accounts,
  tag_id      uuid not null,
  id          uuid not null,
  prospect_id uuid,
  campaign_id uuid,
  rep_id      uuid,
  status      text not null,
  kind        text not null,
  happened_at timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references linkedin_messages (account_id, id) on delete cascade
);
create index linkedin_message_tags_by_time on linkedin_message_tags (account_id, tag_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_rep on linkedin_message_tags (account_id, tag_id, rep_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_kind on linkedin_message_tags (account_id, tag_id, kind, happened_at desc, id desc);
create index linkedin_message_tags_by_rep_and_kind on linkedin_message_tags (account_id, tag_id, rep_id, kind, happened_at desc, id desc);
create index linkedin_message_tags_by_rep_and_campaign on linkedin_message_tags (account_id, tag_id, rep_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_campaign on linkedin_message_tags (account_id, tag_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_prospect on linkedin_message_tags (account_id, tag_id, prospect_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_message on linkedin_message_tags (account_id, id);
call make_tenant_table('linkedin_message_tags');

-- Returns email or LinkedIn messages of the current account with all words of the query, at most `max_rows`, in no
-- particular order. Campaign messages are left out. Runs as overture_search, like find_by_words.
create function find_messages(searched regclass, query text, max_rows integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
declare
  words text := case searched
                  when 'email_messages'::regclass then 'message_words(subject, coalesce(new_text, body))'
                  else $sql$message_words('', text)$sql$
                end;
begin
  return query execute format(
    'select id from %s where account_id = $1 and type <> ''campaign'' and %s @@ $2 limit $3', searched, words)
    using current_account_id(), words_query(query), max_rows;
end $$;
create policy search on email_messages for select to overture_search using (true);
create policy search on linkedin_messages for select to overture_search using (true);
grant select (account_id, id, type, subject, new_text, body) on email_messages to overture_search;
grant select (account_id, id, type, text) on linkedin_messages to overture_search;
call make_search_function('find_messages(regclass, text, integer)');


-- Calls ---------------------------------------------------------------------------------------------------------------

create table calls (
  account_id       uuid not null references accounts,
  id               uuid not null,
  assistant_id     uuid,
  rep_id           uuid,
  prospect_id      uuid,
  person_id        uuid,
  -- Set when the call is a step of a campaign.
  campaign_id      uuid,
  step_id          uuid,
  attempt          integer check (attempt > 0),
  -- As the step said when the call was queued; the step may be edited or get another channel later.
  on_answered      text check (on_answered in ('stop', 'continue')),
  from_number      text not null,
  to_number        text not null,
  call_type        text not null check (call_type in ('inbound', 'outbound', 'web')),
  status           text not null check (status in ('queued', 'dialing', 'in_progress', 'ended')),
  -- `withdrawn`: ended before it was dialed. It is not an attempt, so the step may queue another call.
  outcome          text check (outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'failed', 'refused', 'withdrawn')),
  outcome_reason   text,
  outcome_advice   text,
  held_by          text,
  person_name      text,
  person_email     text,
  person_timezone  text,
  data             jsonb,
  extracted_data   jsonb,
  call_transfer    jsonb,
  duration_seconds integer check (duration_seconds >= 0),
  summary          text,
  transcript       jsonb,
  recording_url    text,
  cost_amount      numeric(14, 6) check (cost_amount >= 0),
  cost_currency    text,
  -- As the provider reports it.
  end_reason       text,
  started_at       timestamptz(3),
  ended_at         timestamptz(3),
  -- The call waits until this time, for the reason in held_by.
  not_before       timestamptz(3),
  provider         text,
  provider_call_id text,
  -- The time of the request to dial, committed before it, so that no call is placed twice.
  placed_at        timestamptz(3),
  -- Number of times the provider was too busy to dial.
  postponements    integer not null default 0,
  -- When the engine next processes the call; null once it has ended and no analysis is awaited.
  due_at           timestamptz(3),
  lease_until      timestamptz(3),
  epoch            bigint not null default 0,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, assistant_id) references assistants (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  check ((status = 'ended') = (outcome is not null)),
  constraint calls_step_check check (
    num_nonnulls(campaign_id, step_id, attempt, on_answered) = case when step_id is null then 0 else 4 end
    and (step_id is null or prospect_id is not null))
);
create index calls_by_time on calls (account_id, created_at desc, id desc);
create index calls_by_change on calls (account_id, updated_at, id);
create index calls_by_rep_and_change on calls (account_id, rep_id, updated_at, id);
create index calls_by_prospect on calls (account_id, prospect_id, created_at desc, id desc);
create index calls_by_person on calls (account_id, person_id, created_at desc, id desc);
create index calls_by_assistant on calls (account_id, assistant_id, created_at desc, id desc);
create index calls_by_assistant_and_status on calls (account_id, assistant_id, status, created_at desc, id desc);
create index calls_by_assistant_and_outcome on calls (account_id, assistant_id, outcome, created_at desc, id desc);
create index calls_by_status on calls (account_id, status, created_at desc, id desc);
create index calls_by_outcome on calls (account_id, outcome, created_at desc, id desc);
create index calls_by_rep on calls (account_id, rep_id, created_at desc, id desc);
create index calls_by_rep_and_status on calls (account_id, rep_id, status, created_at desc, id desc);
create index calls_by_rep_and_outcome on calls (account_id, rep_id, outcome, created_at desc, id desc);
create index calls_by_rep_and_assistant on calls (account_id, rep_id, assistant_id, created_at desc, id desc);
create index calls_by_campaign on calls (account_id, campaign_id, status) where campaign_id is not null;
create index calls_due on calls (due_at) where due_at is not null;
-- For the caps per caller and per number, and one call at a time per person.
create index calls_by_caller on calls (account_id, from_number, placed_at desc) where placed_at is not null;
create index calls_by_called on calls (account_id, to_number, placed_at desc) where placed_at is not null;
-- For reports.
create index calls_placed on calls (account_id, placed_at) where placed_at is not null;
create index calls_in_progress on calls (account_id, id) where status in ('dialing', 'in_progress');
create unique index calls_of_steps on calls (account_id, prospect_id, step_id, attempt)
 where step_id is not null and outcome is distinct from 'withdrawn';
-- Not unique: a provider that gives two calls the same ID must not keep either from ending.
create index calls_by_provider_id on calls (account_id, provider, provider_call_id);
call make_tenant_table('calls');
create policy engine on calls to overture_engine using (true);
grant select (account_id, id, status, due_at, lease_until, epoch), update (lease_until, epoch) on calls to overture_engine;

-- Withdraws the sequence's queued calls to a prospect who replied, left the sequence or was paused, however that became
-- known. When a paused prospect resumes, the step queues a new call.
create function withdraw_calls() returns trigger language plpgsql as $$
begin
  update calls
     set status = 'ended', outcome = 'withdrawn', ended_at = now(),
         outcome_reason = case when new.status <> 'paused' then 'prospect_' || new.status
                               when new.status_reason = 'do_not_contact' then 'do_not_contact'
                               when new.status_reason = 'replied_elsewhere' then 'prospect_replied'
                               else 'prospect_paused' end,
         held_by = null, due_at = null, lease_until = null, updated_at = now()
   where account_id = new.account_id and prospect_id = new.id and step_id is not null and status = 'queued';
  if found and new.status = 'paused' then
    update prospects set next_step_at = coalesce(next_step_at, now()) where account_id = new.account_id and id = new.id;
  end if;
  return null;
end $$;
create trigger withdraw_calls after update of status on prospects
  for each row when (old.status <> new.status and new.status in ('replied', 'stopped', 'bounced', 'opted_out', 'failed', 'paused'))
  execute function withdraw_calls();

-- Calls that an AI application requested, awaiting a person's decision.
create table call_requests (
  account_id       uuid not null references accounts,
  id               uuid not null,
  assistant_id     uuid not null,
  rep_id           uuid,
  prospect_id      uuid,
  person_id        uuid,
  -- The call that approval triggers, with the numbers as dialed.
  call             jsonb not null,
  -- Every time zone that the number's owner may be in, and the one in the request.
  timezones        text[] not null,
  reason           text not null,
  requested_by_id  uuid not null references users,
  -- The application or API token that made the request on the user's behalf.
  requested_by_app text,
  -- A request older than seven days is treated as expired without an update.
  status           text not null default 'waiting' check (status in ('waiting', 'approved', 'declined')),
  decided_by_id    uuid references users,
  decided_at       timestamptz(3),
  decline_reason   text,
  call_id          uuid,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, assistant_id) references assistants (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, call_id) references calls (account_id, id),
  check ((status = 'approved') = (call_id is not null)),
  check ((status = 'waiting') = (decided_at is null) and (decided_at is null) = (decided_by_id is null))
);
create index call_requests_by_time on call_requests (account_id, created_at desc, id desc);
create index call_requests_by_status on call_requests (account_id, status, created_at desc, id desc);
create index call_requests_by_rep on call_requests (account_id, rep_id, created_at desc, id desc);
create index call_requests_by_rep_and_status on call_requests (account_id, rep_id, status, created_at desc, id desc);
create index call_requests_by_prospect on call_requests (account_id, prospect_id) where prospect_id is not null;
create index call_requests_by_person on call_requests (account_id, person_id) where person_id is not null;
call make_tenant_table('call_requests');


-- Tasks ---------------------------------------------------------------------------------------------------------------

-- Steps that a rep performs by hand, LinkedIn drafts to send, and tasks that users create, which have a title. A draft
-- stays a draft until the rep or the connected account has sent it.
create table tasks (
  account_id          uuid not null references accounts,
  id                  uuid not null,
  rep_id              uuid not null,
  campaign_id         uuid,
  prospect_id         uuid,
  person_id           uuid not null,
  step_id             uuid,
  variant_id          uuid,
  linkedin_message_id uuid,
  channel             text not null,
  title               text,
  text                text,
  status              text not null default 'open' check (status in ('open', 'completed', 'skipped', 'cancelled')),
  status_reason       text,
  due_at              timestamptz(3) not null,
  ended_at            timestamptz(3),
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, id),
  -- As with emails, a step is done for a prospect at most once.
  unique (account_id, prospect_id, step_id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, linkedin_message_id) references linkedin_messages (account_id, id) on delete cascade,
  check ((status = 'open') = (ended_at is null)),
  check (num_nonnulls(step_id, linkedin_message_id, title) = 1),
  check ((prospect_id is null) = (campaign_id is null) and (title is not null or prospect_id is not null)),
  check (channel in ('linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')
         and title is null
         or channel in ('call', 'email', 'linkedin', 'other') and title is not null)
);
create index tasks_by_time on tasks (account_id, due_at desc, id desc);
create index tasks_by_status on tasks (account_id, status, due_at desc, id desc);
create index tasks_by_rep on tasks (account_id, rep_id, due_at desc, id desc);
create index tasks_by_rep_and_status on tasks (account_id, rep_id, status, due_at desc, id desc);
create index tasks_by_campaign on tasks (account_id, campaign_id, status);
create index tasks_by_prospect on tasks (account_id, prospect_id, due_at desc, id desc);
create index tasks_by_person on tasks (account_id, person_id, due_at desc, id desc);
create index tasks_by_change on tasks (account_id, updated_at, id);
create index tasks_by_rep_and_change on tasks (account_id, rep_id, updated_at, id);
-- For reports.
create index tasks_on_linkedin on tasks (account_id, channel, ended_at)
 where status = 'completed' and channel in ('linkedin_connect', 'linkedin_message');
create index tasks_by_draft on tasks (account_id, linkedin_message_id) where linkedin_message_id is not null;
-- For reminders.
create index tasks_with_title on tasks (account_id, due_at) where status = 'open' and title is not null;
-- A draft has at most one open task, however often the send button is pressed.
create unique index tasks_open_draft on tasks (account_id, linkedin_message_id)
 where linkedin_message_id is not null and status = 'open';
call make_tenant_table('tasks');
-- Statistics and opt-outs need the prospects that emails, tasks and calls refer to. Foreign keys already prevent
-- deleting prospects that LinkedIn messages refer to.
create policy only_uncontacted_deleted on prospects as restrictive for delete to overture_app
  using (exists (select from campaigns c
                  where c.account_id = prospects.account_id and c.id = prospects.campaign_id and c.status = 'draft')
         or not exists (select from email_messages m
                         where m.account_id = prospects.account_id and m.prospect_id = prospects.id)
            and not exists (select from tasks t
                             where t.account_id = prospects.account_id and t.prospect_id = prospects.id)
            and not exists (select from calls c
                             where c.account_id = prospects.account_id and c.prospect_id = prospects.id));

-- Cancels the open tasks of a prospect who replied or left the sequence, however that became known, and recalls their
-- LinkedIn sends. Tasks that users created remain, such as a call to someone who replied, and so do drafts that users
-- sent, unless the person opted out. A step that may have been sent remains too: the rep checks on LinkedIn.
create function cancel_tasks() returns trigger language plpgsql as $$
begin
  with cancelled as (
    update tasks t
       set status = 'cancelled', status_reason = 'prospect_' || new.status, ended_at = now(), updated_at = now()
     where t.account_id = new.account_id and t.prospect_id = new.id and t.status = 'open' and t.title is null
       and (t.step_id is not null or new.status = 'opted_out')
       and not exists (select from linkedin_sends e
                        where e.account_id = t.account_id and e.task_id = t.id and e.state = 'unconfirmed')
    returning t.id)
  -- If the step is planned again, another rep may send it, or it may be done by hand, so this send must end.
  update linkedin_sends
     set state = 'refused', response = 'prospect_' || new.status, updated_at = now()
   where account_id = new.account_id and task_id in (select id from cancelled) and state = 'queued';
  return null;
end $$;
create trigger cancel_tasks after update of status on prospects
  for each row when (old.status <> new.status and new.status in ('replied', 'stopped', 'bounced', 'opted_out', 'failed'))
  execute function cancel_tasks();


-- Meetings ------------------------------------------------------------------------------------------------------------

-- Meetings that prospects booked: recorded by users, reported by a scheduling service, or read from calendar
-- invitations in received email.
create table meetings (
  account_id  uuid not null references accounts,
  id          uuid not null,
  prospect_id uuid not null,
  person_id   uuid not null,
  campaign_id uuid not null,
  rep_id      uuid,
  source      text not null check (source in ('manual', 'cal_com', 'calendly', 'email')),
  -- The booking's ID at the scheduling service, or the UID of the calendar event.
  external_id text,
  -- SEQUENCE and DTSTAMP of the last applied message about a calendar event; older ones change nothing (RFC 5546).
  sequence    integer,
  stamped_at  timestamptz(3),
  -- The received email with the invitation, when it is in the inbox.
  email_message_id uuid,
  status      text not null default 'booked' check (status in ('booked', 'cancelled')),
  starts_at   timestamptz(3) not null,
  booked_at   timestamptz(3) not null,
  notes       text,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
-- A meeting that is both recorded by hand and reported counts once, and so does a repeated report.
create unique index meetings_booked on meetings (account_id, prospect_id, starts_at) where status = 'booked';
create unique index meetings_by_external_id on meetings (account_id, source, external_id) where external_id is not null;
create index meetings_by_time on meetings (account_id, booked_at desc, id desc);
create index meetings_by_status on meetings (account_id, status, booked_at desc, id desc);
create index meetings_by_start on meetings (account_id, starts_at, id);
create index meetings_by_prospect on meetings (account_id, prospect_id, booked_at desc, id desc);
create index meetings_by_person on meetings (account_id, person_id, booked_at desc, id desc);
create index meetings_by_campaign on meetings (account_id, campaign_id, booked_at desc, id desc);
call make_tenant_table('meetings');

-- Scheduling services whose webhooks report meetings, with the secret that they sign with.
create table meeting_webhooks (
  account_id       uuid not null references accounts,
  provider         text not null check (provider in ('cal_com', 'calendly')),
  signing_secret   bytea not null,
  last_received_at timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, provider)
);
call make_tenant_table('meeting_webhooks');


-- LinkedIn ------------------------------------------------------------------------------------------------------------

-- A rep's LinkedIn account as connected through a provider.
create table linkedin_accounts (
  account_id          uuid not null references accounts,
  id                  uuid not null,
  rep_id              uuid not null,
  provider            text not null check (provider in ('webhook', 'unipile')),
  -- Authenticates the provider's callbacks.
  secret              bytea not null,
  base_url            text,
  provider_account_id text,
  api_key             bytea,
  -- LinkedIn's own ID for the rep.
  member_id           text,
  status              text not null default 'waiting' check (status in ('waiting', 'working', 'failing')),
  status_reason       text,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, rep_id, provider),
  foreign key (account_id, rep_id) references reps (account_id, id),
  check (provider = 'webhook' or (base_url is not null and provider_account_id is not null and api_key is not null))
);
create index linkedin_accounts_by_time on linkedin_accounts (account_id, created_at desc, id desc);
call make_tenant_table('linkedin_accounts');

create table linkedin_members (
  account_id uuid not null references accounts,
  -- LinkedIn's own ID for a person, which stays the same when the profile's URL changes.
  member_id  text not null,
  person_id  uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, member_id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
create index linkedin_members_by_person on linkedin_members (account_id, person_id);
call make_tenant_table('linkedin_members');

-- Invitations by rep and person: messages wait until they are accepted.
create table linkedin_connections (
  account_id  uuid not null references accounts,
  rep_id      uuid not null,
  person_id   uuid not null,
  invited_at  timestamptz(3),
  accepted_at timestamptz(3),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, rep_id, person_id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
-- For reports.
create index linkedin_connections_accepted on linkedin_connections (account_id, accepted_at) where accepted_at is not null;
call make_tenant_table('linkedin_connections');

-- Tasks that the engine performs through a connected account. An unknown outcome is shown to the rep and never retried
-- automatically.
create table linkedin_sends (
  account_id          uuid not null references accounts,
  task_id             uuid not null,
  -- Null once the account is disconnected: the caps still count its sends.
  linkedin_account_id uuid,
  kind                text not null check (kind in ('invitation', 'message')),
  state               text not null default 'queued' check (state in ('queued', 'claimed', 'sent', 'refused', 'unconfirmed')),
  due_at              timestamptz(3) not null,
  epoch               bigint not null default 0,
  attempts            integer not null default 0,
  -- When the last request to send it was made; the caps count these.
  requested_at        timestamptz(3),
  response            text,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, task_id),
  foreign key (account_id, task_id) references tasks (account_id, id) on delete cascade,
  foreign key (account_id, linkedin_account_id) references linkedin_accounts (account_id, id)
    on delete set null (linkedin_account_id)
);
create index linkedin_sends_due on linkedin_sends (due_at) where state in ('queued', 'claimed');
create index linkedin_sends_requested on linkedin_sends (account_id, linkedin_account_id, kind, requested_at);
call make_tenant_table('linkedin_sends');
create policy engine on linkedin_sends to overture_engine using (true);
grant select (account_id, task_id, state, due_at, epoch, attempts, requested_at), update (state, due_at, epoch, attempts)
  on linkedin_sends to overture_engine;


-- Reply agent ---------------------------------------------------------------------------------------------------------
-- Classifies replies, and has a model draft answers.

create table reply_agents (
  account_id              uuid primary key references accounts,
  provider                text not null check (provider in ('openai', 'anthropic', 'openai_compatible', 'simulated')),
  model                   text not null,
  base_url                text,
  -- A local server may need none.
  api_key                 bytea,
  is_enabled              boolean not null default true,
  -- US dollars per million tokens.
  input_price             numeric(12, 6),
  output_price            numeric(12, 6),
  daily_replies           integer not null default 200 check (daily_replies > 0),
  autopilot_intents       text[] not null default '{}',
  autopilot_delay_minutes integer not null default 30 check (autopilot_delay_minutes > 0),
  autopilot_daily_cap     integer not null default 20 check (autopilot_daily_cap > 0),
  verified_at             timestamptz(3),
  created_at              timestamptz(3) not null default now(),
  updated_at              timestamptz(3) not null default now()
);
call make_tenant_table('reply_agents');

-- Facts that the drafts of a campaign may use.
create table campaign_knowledge (
  account_id  uuid not null references accounts,
  campaign_id uuid not null,
  offer       text,
  answers     text,
  next_step   text,
  tone        text,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
call make_tenant_table('campaign_knowledge');

-- A received message from a person, created in the transaction that stored the message.
create table agent_replies (
  account_id          uuid not null references accounts,
  message_id          uuid not null generated always as (coalesce(email_message_id, linkedin_message_id)) stored,
  email_message_id    uuid,
  linkedin_message_id uuid,
  campaign_id         uuid,
  -- `pending` waits for the model, `scheduled` for the time when autopilot sends the draft.
  state               text not null check (state in ('pending', 'scheduled', 'done', 'failed')),
  intent              text check (intent in ('interested', 'question', 'objection', 'not_now', 'wrong_person', 'opt_out', 'auto')),
  intent_by           text not null check (intent_by in ('rules', 'model')),
  not_now_until       date,
  referral            jsonb,
  -- Why there is no draft, why it failed, or why autopilot left the draft to a person.
  reason              text,
  -- The draft that the model wrote; it may have been deleted since.
  draft_id            uuid,
  drafted_at          timestamptz(3),
  sends_at            timestamptz(3),
  autopilot_sent_at   timestamptz(3),
  model               text,
  -- The time of the last request to the model, committed before it.
  requested_at        timestamptz(3),
  input_tokens        integer not null default 0,
  output_tokens       integer not null default 0,
  cost_usd            numeric(14, 8),
  -- When it may be claimed; while it is claimed, the end of the lease.
  due_at              timestamptz(3),
  epoch               bigint not null default 0,
  attempts            integer not null default 0,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  foreign key (account_id, email_message_id) references email_messages (account_id, id) on delete cascade,
  foreign key (account_id, linkedin_message_id) references linkedin_messages (account_id, id) on delete cascade,
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  check ((state in ('pending', 'scheduled')) = (due_at is not null)),
  check (num_nonnulls(email_message_id, linkedin_message_id) = 1)
);
create index agent_replies_due on agent_replies (due_at) where state in ('pending', 'scheduled');
create index agent_replies_requested on agent_replies (account_id, requested_at) where requested_at is not null;
create index agent_replies_autopilot on agent_replies (account_id, autopilot_sent_at) where autopilot_sent_at is not null;
create index agent_replies_by_time on agent_replies (account_id, created_at desc, email_message_id desc);
-- For cascading deletes.
create index agent_replies_by_email_message on agent_replies (account_id, email_message_id)
 where email_message_id is not null;
create index agent_replies_by_linkedin_message on agent_replies (account_id, linkedin_message_id)
 where linkedin_message_id is not null;
call make_tenant_table('agent_replies');

-- Copies the intent of a reply to its prospect; an automatic reply does not replace an earlier intent.
create function copy_intent() returns trigger
  language plpgsql as $$
begin
  update prospects r
     set intent = new.intent, updated_at = now()
    from (select m.prospect_id from email_messages m
           where m.account_id = new.account_id and m.id = new.email_message_id
          union all
          select m.prospect_id from linkedin_messages m
           where m.account_id = new.account_id and m.id = new.linkedin_message_id) m
   where r.account_id = new.account_id and r.id = m.prospect_id and r.intent is distinct from new.intent
     and (new.intent <> 'auto' or r.intent is null);
  return null;
end $$;
create trigger copy_intent after insert or update of intent on agent_replies
  for each row when (new.intent is not null) execute function copy_intent();
create policy engine on agent_replies to overture_engine using (true);
grant select (account_id, message_id, email_message_id, linkedin_message_id, state, due_at, epoch, attempts),
      update (due_at, epoch, attempts)
  on agent_replies to overture_engine;


-- Conversations -------------------------------------------------------------------------------------------------------

-- One row for each email thread or LinkedIn conversation in which someone wrote more than campaign messages, and for
-- those with unconfirmed emails. Maintained by refresh_conversation.
create table conversations (
  account_id         uuid not null references accounts,
  -- ID of the email thread or the LinkedIn conversation.
  id                 uuid not null,
  channel            text not null check (channel in ('email', 'linkedin')),
  email_thread_id          uuid generated always as (case channel when 'email' then id end) stored,
  linkedin_conversation_id uuid generated always as (case channel when 'linkedin' then id end) stored,
  -- Copied from the thread or conversation.
  person_id          uuid,
  prospect_id        uuid,
  campaign_id        uuid,
  rep_id             uuid,
  -- The last message sent or received; if there is none, the last draft or queued message.
  last_message_id    uuid,
  last_message_at    timestamptz(3) not null,
  -- The last message that is neither an automatic reply nor a campaign message, or the last campaign message if there
  -- is none; and the received message that was stored last.
  last_written_id    uuid,
  last_received_id   uuid,
  -- Intent of the last received message that has one.
  intent             text,
  -- The side expected to write next.
  turn               text not null default 'nobody' check (turn in ('ours', 'theirs', 'nobody')),
  has_drafts         boolean not null default false,
  has_unconfirmed    boolean not null default false,
  -- True while a draft waits for approval.
  needs_approval     boolean not null default false,
  is_unread          boolean not null default false,
  done_at            timestamptz(3),
  snoozed_until      timestamptz(3),
  -- When a user last marked it as done or snoozed it.
  decided_at         timestamptz(3),
  assignee_id        uuid,
  state              text not null generated always as (
    case when done_at is not null then 'done'
         when turn = 'ours' then 'needs_reply'
         when turn = 'theirs' then 'waiting'
         else 'idle' end) stored,
  -- A conversation moves to the top of the list when its snooze ends.
  sorted_at          timestamptz(3) not null generated always as (greatest(last_message_at, snoozed_until)) stored,
  -- The last transaction that refreshed it.
  refreshed_in       xid8,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, email_thread_id) references email_threads (account_id, id) on delete cascade,
  foreign key (account_id, linkedin_conversation_id) references linkedin_conversations (account_id, id) on delete cascade,
  foreign key (account_id, assignee_id) references members (account_id, user_id) on delete set null (assignee_id),
  check (done_at is null or snoozed_until is null)
);
create index conversations_by_time on conversations (account_id, last_message_at desc, id desc);
create index conversations_by_state on conversations (account_id, state, sorted_at desc, id desc);
create index conversations_by_change on conversations (account_id, updated_at, id);
create index conversations_by_channel on conversations (account_id, channel, last_message_at desc, id desc);
create index conversations_by_intent on conversations (account_id, intent, last_message_at desc, id desc)
 where intent is not null;
create index conversations_by_campaign on conversations (account_id, campaign_id, last_message_at desc, id desc);
create index conversations_by_person on conversations (account_id, person_id, last_message_at desc, id desc);
create index conversations_by_assignee on conversations (account_id, assignee_id, last_message_at desc, id desc)
 where assignee_id is not null;
create index conversations_unassigned on conversations (account_id, last_message_at desc, id desc) where assignee_id is null;
create index conversations_unread on conversations (account_id, last_message_at desc, id desc) where is_unread;
-- Few conversations have these.
create index conversations_snoozed on conversations (account_id, sorted_at desc, id desc) where snoozed_until is not null;
create index conversations_with_drafts on conversations (account_id, last_message_at desc, id desc) where has_drafts;
create index conversations_to_approve on conversations (account_id, last_message_at desc, id desc) where needs_approval;
create index conversations_unconfirmed on conversations (account_id, last_message_at desc, id desc) where has_unconfirmed;
-- For members, who see those of their own reps.
create index conversations_by_rep on conversations (account_id, rep_id, last_message_at desc, id desc);
create index conversations_by_rep_and_state on conversations (account_id, rep_id, state, sorted_at desc, id desc);
create index conversations_by_rep_and_change on conversations (account_id, rep_id, updated_at, id);
create index conversations_by_rep_and_channel on conversations (account_id, rep_id, channel, last_message_at desc, id desc);
create index conversations_by_rep_and_intent on conversations (account_id, rep_id, intent, last_message_at desc, id desc)
 where intent is not null;
create index conversations_by_rep_and_campaign on conversations (account_id, rep_id, campaign_id, last_message_at desc, id desc);
create index conversations_by_rep_and_assignee on conversations (account_id, rep_id, assignee_id, last_message_at desc, id desc)
 where assignee_id is not null;
create index conversations_by_rep_unassigned on conversations (account_id, rep_id, last_message_at desc, id desc)
 where assignee_id is null;
create index conversations_by_rep_unread on conversations (account_id, rep_id, last_message_at desc, id desc) where is_unread;
-- For cascading deletes.
create index conversations_by_thread on conversations (account_id, email_thread_id) where email_thread_id is not null;
create index conversations_by_linkedin on conversations (account_id, linkedin_conversation_id)
 where linkedin_conversation_id is not null;
call make_tenant_table('conversations');

-- Tags of conversations in the order of the list, maintained by refresh_conversation_tags.
create table conversation_tags (
  account_id      uuid not null references accounts,
  tag_id          uuid not null,
  id              uuid not null,
  rep_id          uuid,
  last_message_at timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references conversations (account_id, id) on delete cascade
);
create index conversation_tags_by_time on conversation_tags (account_id, tag_id, last_message_at desc, id desc);
create index conversation_tags_by_rep on conversation_tags (account_id, tag_id, rep_id, last_message_at desc, id desc);
-- For cascading deletes.
create index conversation_tags_by_conversation on conversation_tags (account_id, id);
call make_tenant_table('conversation_tags');

create function refresh_conversation_tags(account uuid, conversation uuid, names text[]) returns void
  language plpgsql as $$
begin
  delete from conversation_tags t
   using tags g
   where t.account_id = account and t.id = conversation
     and g.account_id = t.account_id and g.id = t.tag_id and g.name <> all(names);
  insert into conversation_tags (account_id, tag_id, id, rep_id, last_message_at)
  select c.account_id, g.id, c.id, c.rep_id, c.last_message_at
    from conversations c join tags g on g.account_id = c.account_id and g.name = any(names)
   where c.account_id = account and c.id = conversation
  on conflict (account_id, tag_id, id)
  do update set rep_id = excluded.rep_id, last_message_at = excluded.last_message_at;
end $$;

create function list_addresses(contacts jsonb) returns text[]
  language sql immutable
  return array(select lower(contact ->> 'email') from jsonb_array_elements(contacts) contact);

-- Returns whether an email of ours goes only to people outside the thread, as a forwarded email does: it answers
-- nobody, so a question in the thread remains unanswered.
create function is_aside(message email_messages) returns boolean
  language sql stable
  return message.type = 'manual'
    and exists (select from email_messages
                 where account_id = message.account_id and thread_id = message.thread_id and type = 'received')
    and not exists (
      select from email_messages o
       where o.account_id = message.account_id and o.thread_id = message.thread_id and o.type in ('received', 'campaign')
         and list_addresses(coalesce(message.recipients -> 'to', '[]') || coalesce(message.recipients -> 'cc', '[]'))
             && list_addresses(case o.type when 'received' then jsonb_build_array(o.sender) || coalesce(o.reply_to, '[]') else '[]' end
                               || coalesce(o.recipients -> 'to', '[]') || coalesce(o.recipients -> 'cc', '[]')));

-- Recomputes a conversation from its messages. Deferred triggers call it at the end of a transaction: by then, all
-- messages are stored, and the lock on the conversation is the last one that the transaction takes, so that no two
-- transactions wait for each other.
create function refresh_conversation(account uuid, conversation_channel text, conversation uuid, may_create boolean)
  returns void
  language plpgsql as $$
declare
  previous conversations;
  thread record;
  facts record;
  is_new_reply boolean;
  is_new_message boolean;
begin
  select * into previous from conversations where account_id = account and id = conversation for update;
  if not found then
    if not may_create then return; end if;
    insert into conversations (account_id, id, channel, last_message_at)
    values (account, conversation, conversation_channel, now())
    on conflict do nothing;
    select * into previous from conversations where account_id = account and id = conversation for update;
  end if;
  if previous.refreshed_in = pg_current_xact_id() then return; end if;

  select t.* into thread
    from (select person_id, prospect_id, campaign_id, rep_id, tags from email_threads
           where conversation_channel = 'email' and account_id = account and id = conversation
          union all
          select person_id, prospect_id, campaign_id, rep_id, tags from linkedin_conversations
           where conversation_channel = 'linkedin' and account_id = account and id = conversation) t;

  with message as materialized (
    select id, type, status, received_kind, delivery_status, approval_request, false as is_unread, sent_at as at,
           thread_seen_at as seen_at, created_at, is_aside(m) as is_aside,
           case type when 'received' then (select intent from agent_replies where account_id = account and message_id = m.id) end as intent
      from email_messages m
     where conversation_channel = 'email' and account_id = account and thread_id = conversation
    union all
    select id, type, status, case type when 'received' then 'reply' end, null, approval_request, is_unread, happened_at,
           conversation_seen_at, created_at, false,
           case type when 'received' then (select intent from agent_replies where account_id = account and message_id = m.id) end
      from linkedin_messages m
     where conversation_channel = 'linkedin' and account_id = account and conversation_record_id = conversation),
  last as (
    select id, at from message order by status is not distinct from 'sent' desc, at desc, id desc limit 1),
  -- A campaign message is not an answer, so it counts only if there is no other message.
  written as (
    select *, row_number() over (order by type = 'campaign', at desc, id desc) as position from message
     where status = 'sent' and received_kind is distinct from 'auto_reply' and not is_aside),
  last_written as (
    select * from written where position = 1),
  -- Leaves out replies that only classification recognized as automatic.
  last_turn as (
    select type, received_kind, intent from written where intent is distinct from 'auto' order by position limit 1),
  last_received as (
    select id, at, received_kind from message where type = 'received' order by created_at desc, id desc limit 1),
  last_intent as (
    select intent from message where intent is not null order by at desc, id desc limit 1)
  select last.id as last_id, last.at as last_at, w.id as written_id, w.type as written_type,
         coalesce(w.seen_at, w.created_at) as written_at, r.id as received_id, r.received_kind, i.intent,
         -- True if a rep wrote in a mail program after the reply: such programs show replies before we receive them.
         coalesce(w.type = 'manual' and w.seen_at is null and w.at > r.at, false) as is_answered,
         case when t.type = 'received' and (t.received_kind = 'unsubscribe' or t.intent is not distinct from 'opt_out') then 'nobody'
              -- It is also their turn while our reply is queued.
              when t.type = 'received' then case when s.has_queued then 'theirs' else 'ours' end
              when t.type in ('manual', 'reply_agent') then 'theirs'
              else 'nobody' end as turn,
         s.*
    into facts
    from (select bool_or(type <> 'campaign') as has_more,
                 coalesce(bool_or(status = 'draft'), false) as has_drafts,
                 coalesce(bool_or(type <> 'campaign' and delivery_status in ('queued', 'sending') and not is_aside), false) as has_queued,
                 coalesce(bool_or(delivery_status = 'unconfirmed'), false) as has_unconfirmed,
                 coalesce(bool_or(approval_request is not null), false) as needs_approval,
                 bool_or(is_unread) as is_unread
            from message) s
    left join last on true
    left join last_written w on true
    left join last_turn t on true
    left join last_received r on true
    left join last_intent i on true;

  if facts.has_more is not true and not facts.has_unconfirmed then
    delete from conversations where account_id = account and id = conversation;
    return;
  end if;
  -- A reply may be stored after messages that were written later. Replies that were imported from LinkedIn are not new.
  is_new_reply := facts.received_id is distinct from previous.last_received_id
    and (conversation_channel = 'email' or facts.is_unread) and not facts.is_answered;
  -- A new message reopens the conversation, unless it is a campaign message, or one of ours that was queued before the
  -- conversation was marked as done or snoozed.
  is_new_message := is_new_reply and facts.received_kind is distinct from 'auto_reply'
    or facts.written_id is distinct from previous.last_written_id
       and (facts.written_type = 'received' or facts.written_type <> 'campaign' and facts.written_at > previous.decided_at);
  update conversations
     set person_id = thread.person_id, prospect_id = thread.prospect_id, campaign_id = thread.campaign_id, rep_id = thread.rep_id,
         last_message_id = facts.last_id, last_message_at = facts.last_at, last_written_id = facts.written_id,
         last_received_id = facts.received_id, intent = facts.intent, turn = facts.turn, has_drafts = facts.has_drafts,
         has_unconfirmed = facts.has_unconfirmed, needs_approval = facts.needs_approval,
         is_unread = case when conversation_channel = 'linkedin' then facts.is_unread
                          when is_new_reply then true
                          when facts.written_type in ('manual', 'reply_agent')
                               and facts.written_id is distinct from previous.last_written_id
                            then false
                          else previous.is_unread end,
         done_at = case when not is_new_message then previous.done_at end,
         snoozed_until = case when not is_new_message then previous.snoozed_until end,
         refreshed_in = pg_current_xact_id(), updated_at = now()
   where account_id = account and id = conversation;
  if thread.tags <> '{}' then perform refresh_conversation_tags(account, conversation, thread.tags); end if;
end $$;

create function refresh_email_conversation() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform refresh_conversation(old.account_id, 'email', old.thread_id, false);
  else
    perform refresh_conversation(new.account_id, 'email', new.thread_id,
                                 new.type <> 'campaign' or new.delivery_status is not distinct from 'unconfirmed');
  end if;
  return null;
end $$;
-- The first email of a sequence, which most messages are, never changes a conversation.
create constraint trigger refresh_on_insert after insert on email_messages deferrable initially deferred
  for each row when (new.type <> 'campaign') execute function refresh_email_conversation();
create constraint trigger refresh_on_change after update of status, delivery_status, sent_at, approval_request on email_messages
  deferrable initially deferred
  for each row when (new.type <> 'campaign' or new.in_reply_to is not null
                     or new.delivery_status is not distinct from 'unconfirmed'
                     or old.delivery_status is not distinct from 'unconfirmed')
  execute function refresh_email_conversation();
create constraint trigger refresh_on_delete after delete on email_messages deferrable initially deferred
  for each row when (old.type <> 'campaign') execute function refresh_email_conversation();
create function refresh_linkedin_conversation() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform refresh_conversation(old.account_id, 'linkedin', old.conversation_record_id, false);
  else
    perform refresh_conversation(new.account_id, 'linkedin', new.conversation_record_id, new.type <> 'campaign');
  end if;
  return null;
end $$;
create constraint trigger refresh_on_change after insert or update of status, happened_at, is_unread, approval_request on linkedin_messages
  deferrable initially deferred
  for each row execute function refresh_linkedin_conversation();
create constraint trigger refresh_on_delete after delete on linkedin_messages deferrable initially deferred
  for each row execute function refresh_linkedin_conversation();

create function refresh_classified_conversation() returns trigger
  language plpgsql as $$
begin
  perform refresh_conversation(new.account_id, 'email', m.thread_id, true)
     from email_messages m where m.account_id = new.account_id and m.id = new.email_message_id;
  perform refresh_conversation(new.account_id, 'linkedin', m.conversation_record_id, true)
     from linkedin_messages m where m.account_id = new.account_id and m.id = new.linkedin_message_id;
  return null;
end $$;
create constraint trigger refresh_conversation after insert or update of intent on agent_replies
  deferrable initially deferred
  for each row when (new.intent is not null) execute function refresh_classified_conversation();

create function copy_to_conversation() returns trigger
  language plpgsql as $$
begin
  update conversations
     set person_id = new.person_id, prospect_id = new.prospect_id, campaign_id = new.campaign_id, rep_id = new.rep_id,
         updated_at = now()
   where account_id = new.account_id and id = new.id;
  if (new.tags, new.rep_id) is distinct from (old.tags, old.rep_id) then
    perform refresh_conversation_tags(new.account_id, new.id, new.tags);
  end if;
  return null;
end $$;
create trigger copy_to_conversation after update of person_id, prospect_id, campaign_id, rep_id, tags on email_threads
  for each row execute function copy_to_conversation();
create trigger copy_to_conversation after update of person_id, prospect_id, campaign_id, rep_id, tags on linkedin_conversations
  for each row execute function copy_to_conversation();

-- Times of the last message to each person and of their last reply. A separate table, because each send changes it, and
-- `persons` has many indexes.
create table person_activity (
  account_id        uuid not null references accounts,
  person_id         uuid not null,
  last_contacted_at timestamptz(3) not null default '-infinity',
  last_replied_at   timestamptz(3) not null default '-infinity',
  primary key (account_id, person_id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
create index person_activity_by_contact on person_activity (account_id, last_contacted_at desc, person_id desc);
create index person_activity_by_reply on person_activity (account_id, last_replied_at desc, person_id desc);
call make_tenant_table('person_activity');

create function add_person_activity() returns trigger
  language plpgsql as $$
begin
  insert into person_activity (account_id, person_id) select account_id, id from added;
  return null;
end $$;
create trigger add_activity after insert on persons
  referencing new table as added for each statement execute function add_person_activity();

create function remove_person_activity() returns trigger
  language plpgsql as $$
begin
  delete from person_activity where account_id = new.account_id and person_id = new.id;
  return null;
end $$;
create trigger remove_activity after update of erased_at on persons
  for each row when (new.erased_at is not null) execute function remove_person_activity();

-- Recomputes the activity of a person after threads, conversations or prospects were moved from or to this person.
create function refresh_person_activity(account uuid, person uuid) returns void
  language sql as $$
  with emails as (
    select e.type, e.sent_at
      from prospects r join email_messages e on e.account_id = r.account_id and e.prospect_id = r.id
     where r.account_id = account and r.person_id = person and e.status = 'sent'
    union all
    select e.type, e.sent_at
      from email_threads h join email_messages e on e.account_id = h.account_id and e.thread_id = h.id
     where h.account_id = account and h.person_id = person and h.prospect_id is null and e.status = 'sent'),
  messages as (
    select type, sent_at as at from emails
    union all
    select m.type, m.happened_at
      from linkedin_conversations v
      join linkedin_messages m on m.account_id = v.account_id and m.conversation_record_id = v.id
     where v.account_id = account and v.person_id = person and m.status = 'sent'),
  last as (
    select coalesce(max(at) filter (where type <> 'received'), '-infinity') as contacted_at,
           coalesce(max(at) filter (where type = 'received'), '-infinity') as replied_at
      from messages)
  update person_activity
     set last_contacted_at = last.contacted_at, last_replied_at = last.replied_at
    from last
   where account_id = account and person_id = person
     and (last_contacted_at, last_replied_at) <> (last.contacted_at, last.replied_at)
$$;
create function refresh_activity_of_owner() returns trigger
  language plpgsql as $$
begin
  if old.person_id is not null then perform refresh_person_activity(old.account_id, old.person_id); end if;
  if new.person_id is not null then perform refresh_person_activity(new.account_id, new.person_id); end if;
  return null;
end $$;
create trigger refresh_activity after update of person_id on prospects
  for each row when (old.person_id is distinct from new.person_id) execute function refresh_activity_of_owner();
create trigger refresh_activity after update of person_id on email_threads
  for each row when (old.person_id is distinct from new.person_id) execute function refresh_activity_of_owner();
create trigger refresh_activity after update of person_id on linkedin_conversations
  for each row when (old.person_id is distinct from new.person_id) execute function refresh_activity_of_owner();

-- Adds messages to the activity of their persons. Each array has one element per message; a message without a person is
-- ignored. Locks the persons in the order of their IDs, so that transactions with several of them don't deadlock.
create function record_activity(account uuid, persons uuid[], types text[], times timestamptz[]) returns void
  language sql as $$
  with locked as materialized (
    select last.*
      from (select person_id, max(at) filter (where type <> 'received') as contacted_at,
                   max(at) filter (where type = 'received') as replied_at
              from unnest(persons, types, times) message(person_id, type, at)
             where person_id is not null
             group by person_id
             order by person_id) last
     cross join lateral (
             select from person_activity where account_id = account and person_id = last.person_id limit 1 for update) activity)
  update person_activity a
     set last_contacted_at = greatest(a.last_contacted_at, locked.contacted_at),
         last_replied_at = greatest(a.last_replied_at, locked.replied_at)
    from locked
   where a.account_id = account and a.person_id = locked.person_id
     and (locked.contacted_at > a.last_contacted_at or locked.replied_at > a.last_replied_at)
$$;
create function record_email_activity() returns trigger
  language plpgsql as $$
declare
  sent uuid[];
begin
  if tg_op = 'INSERT' then
    sent := array(select id from changed where status = 'sent');
  else
    sent := array(select c.id from changed c join previous p on p.account_id = c.account_id and p.id = c.id
                   where c.status = 'sent' and p.status is distinct from 'sent');
  end if;
  if sent = '{}' then return null; end if;
  perform record_activity(m.account_id, array_agg(coalesce(r.person_id, t.person_id)), array_agg(m.type), array_agg(m.sent_at))
     from changed m
     left join lateral (
            select person_id from prospects where account_id = m.account_id and id = m.prospect_id limit 1) r on true
     left join lateral (
            select person_id from email_threads where account_id = m.account_id and id = m.thread_id limit 1) t on true
    where m.id = any(sent)
    group by m.account_id;
  return null;
end $$;
create trigger record_activity_of_new after insert on email_messages
  referencing new table as changed for each statement execute function record_email_activity();
create trigger record_activity after update on email_messages
  referencing old table as previous new table as changed for each statement execute function record_email_activity();
create function record_linkedin_activity() returns trigger
  language plpgsql as $$
declare
  sent uuid[];
begin
  if tg_op = 'INSERT' then
    sent := array(select id from changed where status = 'sent');
  else
    sent := array(select c.id from changed c join previous p on p.account_id = c.account_id and p.id = c.id
                   where c.status = 'sent' and p.status <> 'sent');
  end if;
  if sent = '{}' then return null; end if;
  perform record_activity(m.account_id, array_agg(v.person_id), array_agg(m.type), array_agg(m.happened_at))
     from changed m
    cross join lateral (
            select person_id from linkedin_conversations
             where account_id = m.account_id and id = m.conversation_record_id limit 1) v
    where m.id = any(sent)
    group by m.account_id;
  return null;
end $$;
create trigger record_activity_of_new after insert on linkedin_messages
  referencing new table as changed for each statement execute function record_linkedin_activity();
create trigger record_activity after update on linkedin_messages
  referencing old table as previous new table as changed for each statement execute function record_linkedin_activity();


-- Assigns a new record about a duplicate to the person that it was merged into. Waits for a merge in progress, which
-- locks the duplicate. Prospects and threads of campaigns need no trigger: a merge locks the prospects, and none can be
-- added during a merge.
create function follow_merge() returns trigger language plpgsql as $$
begin
  new.person_id := coalesce(
    (select merged_into_id from persons where account_id = new.account_id and id = new.person_id for key share),
    new.person_id);
  return new;
end $$;
create trigger follow_merge before insert on email_threads
  for each row when (new.prospect_id is null and new.person_id is not null) execute function follow_merge();
create trigger follow_merge before insert on linkedin_conversations
  for each row when (new.person_id is not null) execute function follow_merge();
create trigger follow_merge before insert on linkedin_connections for each row execute function follow_merge();
create trigger follow_merge before insert on linkedin_members for each row execute function follow_merge();
create trigger follow_merge before insert on calls
  for each row when (new.person_id is not null) execute function follow_merge();
create trigger follow_merge before insert on tasks for each row execute function follow_merge();
create trigger follow_merge before insert on meetings for each row execute function follow_merge();
create trigger follow_merge before insert on notes for each row execute function follow_merge();

-- Webhooks ------------------------------------------------------------------------------------------------------------

create table webhooks (
  account_id              uuid not null references accounts,
  id                      uuid not null,
  url                     text not null,
  -- Event types, `prospect.*` for all of a family, or `*` for all.
  event_types             text[] not null check (event_types <> '{}'),
  description             text,
  is_enabled              boolean not null default true,
  -- Why it was disabled automatically.
  disabled_reason         text check (disabled_reason in ('gone', 'failing')),
  secret                  bytea not null,
  previous_secret         bytea,
  previous_secret_ends_at timestamptz(3),
  -- Consecutive failed attempts, their start, and the last error.
  failures                integer not null default 0,
  failing_since           timestamptz(3),
  last_error              text,
  last_delivered_at       timestamptz(3),
  -- One process at a time delivers to it.
  lease_until             timestamptz(3),
  epoch                   bigint not null default 0,
  served_at               timestamptz(3),
  created_at              timestamptz(3) not null default now(),
  updated_at              timestamptz(3) not null default now(),
  primary key (account_id, id),
  check (not is_enabled or disabled_reason is null),
  check ((previous_secret is null) = (previous_secret_ends_at is null))
);
create index webhooks_by_time on webhooks (account_id, created_at desc, id desc);
call make_tenant_table('webhooks');
create policy engine on webhooks to overture_engine using (true);
grant select (account_id, id, is_enabled, lease_until, epoch, served_at), update (lease_until, epoch, served_at)
  on webhooks to overture_engine;

-- An event for one webhook, written in the transaction of the change itself.
create table webhook_deliveries (
  account_id      uuid not null references accounts,
  id              uuid not null,
  webhook_id      uuid not null,
  -- The same for all webhooks that receive the event.
  event_id        uuid not null,
  event_type      text not null,
  object_id       uuid not null,
  -- The object as JSON: read at the first attempt, or stored with the event if the object was deleted.
  data            text,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  attempted_at    timestamptz(3),
  -- The default makes the first attempt due immediately, even if the clocks of server and database differ.
  due_at          timestamptz(3) not null default '-infinity',
  response_status integer,
  response        text,
  error           text,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, due_at, id) where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries (account_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_by_status on webhook_deliveries (account_id, webhook_id, status, created_at desc, id desc);
call make_tenant_table('webhook_deliveries');
create policy engine on webhook_deliveries to overture_engine using (true);
grant select (account_id, id, webhook_id, status, due_at, created_at), delete on webhook_deliveries to overture_engine;


-- Exports -------------------------------------------------------------------------------------------------------------

-- CSV files that users requested, written page by page and kept for a day. Only the user who requested one may read it.
create table exports (
  account_id  uuid not null references accounts,
  id          uuid not null,
  user_id     uuid not null,
  kind        text not null check (kind in ('persons', 'prospects', 'opt_outs', 'messages')),
  -- The user's read access when the export started: a change to it ends the export.
  scope       text not null check (scope in ('all', 'own')),
  campaign_id uuid,
  status      text not null default 'running' check (status in ('running', 'finished', 'failed')),
  failure     text,
  -- Contains the rows created up to this time.
  until       timestamptz(3) not null,
  -- The last row written, where the next page begins.
  last_at     text,
  last_id     uuid,
  row_count   integer not null default 0,
  bytes       bigint not null default 0,
  pieces      integer not null default 0,
  lease_until timestamptz(3),
  epoch       bigint not null default 0,
  expires_at  timestamptz(3) not null,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  check ((last_at is null) = (last_id is null)),
  check ((status = 'failed') = (failure is not null))
);
create unique index exports_running on exports (account_id) where status = 'running';
create index exports_by_expiry on exports (expires_at);
call make_tenant_table('exports');
create policy engine on exports to overture_engine using (true);
grant select (account_id, id, status, lease_until, epoch, created_at, expires_at), update (lease_until, epoch), delete
  on exports to overture_engine;

create table export_pieces (
  account_id uuid not null,
  export_id  uuid not null,
  number     integer not null,
  text       text not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, export_id, number),
  foreign key (account_id, export_id) references exports (account_id, id) on delete cascade
);
call make_tenant_table('export_pieces');


-- Events --------------------------------------------------------------------------------------------------------------
-- Triggers announce the changes that webhooks can subscribe to, so that no code that changes these tables can forget
-- to; the `when` clauses exclude changes that are not events.

-- The events of the last 30 days. They are read in the order of their transactions' IDs, and only below the ID of the
-- oldest transaction that is still running: no event can appear there anymore, so a reader that remembers its position
-- misses none.
create table events (
  account_id uuid not null references accounts,
  tx         xid8 not null default pg_current_xact_id(),
  position   bigint generated by default as identity,
  -- The `webhook-id` of its deliveries.
  id         uuid not null,
  event_type text not null,
  object_id  uuid not null,
  -- The object as JSON, if it was deleted.
  data       text,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, tx, position)
);
create index events_by_time on events (created_at);
call make_tenant_table('events');
revoke update, delete on events from overture_app;
-- Erasing a person removes the object from their events.
grant update (data) on events to overture_app;
create policy engine on events to overture_engine using (true);
grant select (account_id, tx, position, created_at), update (tx), delete on events to overture_engine;

-- Accounts with open live streams. Other accounts are not notified, because transactions that notify wait for each
-- other when they commit.
create table live_accounts (
  account_id uuid primary key references accounts,
  until      timestamptz(3) not null
);
call make_tenant_table('live_accounts');

-- Records one event per object, queues it for every webhook that subscribes to it, and notifies live streams.
create function announce(account uuid, event text, objects uuid[], object_data text default null) returns void
  language plpgsql as $$
declare
  wanted text[] := array['*', event, split_part(event, '.', 1) || '.*'];
begin
  with recorded as (
    insert into events (account_id, id, event_type, object_id, data)
    select account, new_id(), event, about, object_data from unnest(objects) about
    returning id, object_id),
  listeners as (
    -- Waits for a webhook that is being deleted, which is then left out.
    select w.id from webhooks w
     where w.account_id = account and w.is_enabled and w.event_types && wanted
       for key share)
  insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, data)
  select account, new_id(), l.id, e.id, event, e.object_id, object_data
    from listeners l
   cross join recorded e;
  if exists (select from live_accounts where account_id = account and until > now()) then
    perform pg_notify('events_recorded', account::text);
  end if;
end $$;

-- Per statement, because an import inserts many rows at once.
create function announce_new_rows() returns trigger
  language plpgsql as $$
begin
  perform announce(account_id, tg_argv[0], array_agg(id order by id)) from new_rows group by account_id;
  return null;
end $$;
create trigger announce_created after insert on prospects
  referencing new table as new_rows for each statement execute function announce_new_rows('prospect.created');
create trigger announce_added after insert on opt_outs
  referencing new table as new_rows for each statement execute function announce_new_rows('opt_out.added');

create function announce_removed_rows() returns trigger
  language plpgsql as $$
begin
  perform announce(account_id, tg_argv[0], array_agg(id order by id)) from old_rows group by account_id;
  return null;
end $$;
create trigger announce_removed after delete on prospects
  referencing old table as old_rows for each statement execute function announce_removed_rows('prospect.removed');

create function announce_prospect() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'prospect.' || case when new.status in ('pending', 'active') then 'resumed' else new.status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_change after update of status on prospects
  for each row when (old.status <> new.status
                     and (new.status not in ('pending', 'active')
                          or old.status not in ('pending', 'active', 'out_of_office')))
  execute function announce_prospect();

create function announce_email() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'email.' || case when new.type = 'received' then 'received'
                                    when tg_op = 'UPDATE' and old.status = 'sent' then new.delivery_status
                                    when new.status = 'sent' then 'sent'
                                    else new.delivery_status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_arrival after insert on email_messages
  for each row when (new.status = 'sent')
  execute function announce_email();
create trigger announce_change after update of status, delivery_status on email_messages
  for each row when (new.status = 'sent' and old.status is distinct from 'sent'
                     or new.delivery_status in ('bounced', 'failed', 'unconfirmed')
                        and new.delivery_status is distinct from old.delivery_status)
  execute function announce_email();

create function announce_linkedin() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'linkedin.' || case when new.type = 'received' then 'received' else 'sent' end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on linkedin_messages
  for each row when (new.status = 'sent')
  execute function announce_linkedin();
create trigger announce_change after update of status on linkedin_messages
  for each row when (new.status = 'sent' and old.status <> 'sent')
  execute function announce_linkedin();

create function announce_approval_request() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id, tg_argv[0] || '.approval_requested', array[new.id]);
  return null;
end $$;
create trigger announce_approval_request after update of approval_request on email_messages
  for each row when (new.approval_request is not null and new.approval_request is distinct from old.approval_request)
  execute function announce_approval_request('email');
create trigger announce_approval_request after update of approval_request on linkedin_messages
  for each row when (new.approval_request is not null and new.approval_request is distinct from old.approval_request)
  execute function announce_approval_request('linkedin');

create function announce_call() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'call.' || case new.status when 'in_progress' then 'started' else new.status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on calls
  for each row when (new.status in ('queued', 'ended'))
  execute function announce_call();
-- A call that was given up still gets its real outcome if that arrives later, and then ends a second time.
create trigger announce_change after update of status, outcome on calls
  for each row when (new.status in ('in_progress', 'ended')
                     and (old.status, old.outcome) is distinct from (new.status, new.outcome))
  execute function announce_call();

create trigger announce_created after insert on tasks
  referencing new table as new_rows for each statement execute function announce_new_rows('task.created');
-- A cancelled task that is open again counts as created.
create function announce_task() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'task.' || case new.status when 'open' then 'created' else new.status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_change after update of status on tasks
  for each row when (old.status <> new.status)
  execute function announce_task();

create function announce_conversation() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id, 'conversation.updated', array[new.id]);
  return null;
end $$;
create trigger announce_change after update on conversations
  for each row when ((old.done_at, old.snoozed_until, old.assignee_id)
                       is distinct from (new.done_at, new.snoozed_until, new.assignee_id)
                     or old.is_unread and not new.is_unread)
  execute function announce_conversation();

create function announce_meeting() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'meeting.' || case when tg_op = 'INSERT' then 'booked'
                                      when new.status = 'cancelled' then 'cancelled'
                                      else 'rescheduled' end,
                   array[new.id]);
  return null;
end $$;
-- A meeting whose first report is a cancellation was never booked.
create trigger announce_new after insert on meetings
  for each row when (new.status = 'booked')
  execute function announce_meeting();
create trigger announce_change after update of status, starts_at on meetings
  for each row when (old.status <> new.status or old.starts_at <> new.starts_at and new.status = 'booked')
  execute function announce_meeting();

create function announce_merge() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id, 'person.merged', array[new.merged_into_id]);
  return null;
end $$;
create trigger announce_merge after update of merged_into_id on persons
  for each row when (old.merged_into_id is null and new.merged_into_id is not null)
  execute function announce_merge();

create function announce_campaign() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'campaign.' || case when tg_op = 'INSERT' then 'created'
                                       when new.status <> 'active' then new.status
                                       when old.status = 'draft' then 'launched'
                                       else 'resumed' end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on campaigns
  for each row execute function announce_campaign();
create trigger announce_change after update of status on campaigns
  for each row when (old.status <> new.status)
  execute function announce_campaign();

create function announce_winner() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id, 'campaign.variant_won', array[new.campaign_id]);
  return null;
end $$;
create trigger announce_winner after update of winner on campaign_steps
  for each row when (old.winner is null and new.winner is not null)
  execute function announce_winner();

-- Announces that a mailbox is paused, resumed or failing, or has recovered because it can send again.
create function announce_mailbox() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'mailbox.' || case when old.paused_at is distinct from new.paused_at
                                        then case when new.paused_at is null then 'resumed' else 'paused' end
                                      when new.status = 'failing' then 'failing'
                                      else 'recovered' end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_change after update of status, paused_at on mailboxes
  for each row when ((old.paused_at is null) <> (new.paused_at is null)
                     or old.status <> new.status
                        and (new.status = 'failing' or old.status = 'failing' and new.status = 'active'))
  execute function announce_mailbox();

-- Problems that the engine found at its last check, as listed by listProblems.
create table problems (
  account_id uuid not null references accounts,
  id         uuid not null,
  kind       text not null,
  about_id   uuid not null,
  -- As listProblems returns them.
  details    jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, kind, about_id)
);
call make_tenant_table('problems');

create function problem_json(problem problems) returns text
  language sql stable as $$
  select (jsonb_build_object(
            'id', problem.id,
            'objectType', 'problem',
            'createdAt', api_time(problem.created_at),
            'updatedAt', api_time(problem.updated_at)) || problem.details)::text
$$;

-- Announces a problem with the object itself, because a resolved problem is deleted.
create function announce_problem() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce(new.account_id, 'problem.opened', array[new.id], problem_json(new));
  else
    perform announce(old.account_id, 'problem.resolved', array[old.id], problem_json(old));
  end if;
  return null;
end $$;
create trigger announce_change after insert or delete on problems
  for each row execute function announce_problem();

-- Announces a removed opt-out with the object itself, which can't be read later.
create function announce_removed_opt_out() returns trigger
  language plpgsql as $$
begin
  perform announce(old.account_id, 'opt_out.removed', array[old.id],
                   json_strip_nulls(json_build_object(
                     'id', old.id,
                     'objectType', 'communication_opt_out',
                     'createdAt', api_time(old.created_at),
                     'updatedAt', api_time(old.updated_at),
                     'identifier', old.value,
                     'identifierType', old.kind,
                     'name', old.name,
                     'source', old.source,
                     'addedById', old.added_by_id,
                     'addedBy', (select name from users where id = old.added_by_id)))::text);
  return null;
end $$;
create trigger announce_removed after delete on opt_outs
  for each row execute function announce_removed_opt_out();


-- Notifications -------------------------------------------------------------------------------------------------------

-- A member's choices; the contract's defaults apply where there is none.
create table notification_settings (
  account_id  uuid not null,
  user_id     uuid not null,
  -- By kind: {"reply": {"isInApp": true, "email": "digest"}}.
  kinds       jsonb not null default '{}',
  digest_hour integer check (digest_hour between 0 and 23),
  -- Null to use the account's time zone.
  timezone    text,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members (account_id, user_id) on delete cascade
);
call make_tenant_table('notification_settings');

-- Emails to one member: the digest of a day, or notifications from the last few minutes. The text is composed when the
-- email is sent.
create table notification_emails (
  account_id  uuid not null,
  id          uuid not null,
  user_id     uuid not null,
  -- The digest's day in the member's time zone; null for other emails.
  digest_on   date,
  -- `sending`: the final dot may have been sent, so it is never sent again.
  state       text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'skipped', 'failed')),
  attempts    integer not null default 0,
  due_at      timestamptz(3) not null,
  lease_until timestamptz(3),
  epoch       bigint not null default 0,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  -- One digest a day, however many engines want to send it.
  unique (account_id, user_id, digest_on),
  foreign key (account_id, user_id) references members (account_id, user_id) on delete cascade
);
create index notification_emails_due on notification_emails (account_id, due_at) where state = 'queued';
create index notification_emails_by_user on notification_emails (account_id, user_id, created_at desc);
call make_tenant_table('notification_emails');

create table notifications (
  account_id  uuid not null,
  id          uuid not null,
  user_id     uuid not null,
  kind        text not null check (kind in ('reply', 'approval', 'task', 'problem', 'campaign')),
  -- The event: nobody is notified of it twice.
  event_key   text not null,
  object_type text not null,
  object_id   uuid not null,
  -- The texts of a problem as it was found; other notifications read theirs with the object.
  title       text,
  text        text,
  is_in_app   boolean not null,
  -- Whether it is to be emailed immediately, and the email that contains it.
  is_mailed   boolean not null,
  email_id    uuid,
  read_at     timestamptz(3),
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, user_id, event_key),
  foreign key (account_id, user_id) references members (account_id, user_id) on delete cascade,
  foreign key (account_id, email_id) references notification_emails (account_id, id) on delete set null (email_id)
);
create index notifications_by_time on notifications (account_id, user_id, created_at desc, id desc) where is_in_app;
create index notifications_unread on notifications (account_id, user_id, created_at desc, id desc)
 where is_in_app and read_at is null;
create index notifications_to_resolve on notifications (account_id, kind) where read_at is null;
create index notifications_to_mail on notifications (account_id, user_id) where is_mailed and email_id is null and read_at is null;
create index notifications_by_email on notifications (account_id, email_id) where email_id is not null;
create index notifications_by_object on notifications (account_id, object_id);
create index notifications_by_age on notifications (account_id, created_at);
call make_tenant_table('notifications');

-- Members see their own settings; the engine, which reads and writes for all members, has the nil UUID as its user.
create policy own on notification_settings as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));
create policy own on notification_emails as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));
create policy own on notifications as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));

-- Not an event: only the member's own pages use it.
create function announce_notifications() returns trigger
  language plpgsql as $$
begin
  perform pg_notify('events_recorded', l.account_id || ' notifications')
     from live_accounts l
    where l.until > now() and l.account_id in (select account_id from changed_rows);
  return null;
end $$;
create trigger announce_new after insert on notifications
  referencing new table as changed_rows for each statement execute function announce_notifications();
create trigger announce_change after update on notifications
  referencing new table as changed_rows for each statement execute function announce_notifications();


-- Maintenance ---------------------------------------------------------------------------------------------------------

-- Analyzes tables that grew to more than twice their size. Autovacuum runs once a minute; until then, the planner
-- assumes that a table that was just filled is empty, and scans it whole for each row of another table. The engine
-- calls this function, and so does an import, whose rows autovacuum cannot see: with the plan for an empty table, a
-- foreign-key check for each row would read all rows before it. Skips tables that another transaction is analyzing.
create function analyze_grown_tables() returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '1s'
as $$
declare
  grown regclass;
begin
  for grown in
    select oid from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and pg_relation_size(oid) > (2 * relpages + 1) * current_setting('block_size')::bigint
  loop
    execute format('analyze (skip_locked) %s', grown);
  end loop;
end
$$;
revoke execute on function analyze_grown_tables() from public;
grant execute on function analyze_grown_tables() to overture_app, overture_engine;

-- Ends sessions whose process froze between two messages of one statement, and returns their number. Such a session
-- keeps its locks as long as the machine keeps its connection: PostgreSQL counts it as active while it reads a
-- statement, so neither statement_timeout nor the timeout for idle transactions applies (transaction_timeout would, but
-- requires PostgreSQL 17). This happened when an engine was frozen while it recorded an email: the email stayed in
-- flight until the engine continued.
create function end_frozen_sessions() returns bigint
  language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with frozen as materialized (
    select pid
      from pg_stat_activity
     where datname = current_database() and application_name in ('overture overture_app', 'overture overture_engine')
       and state = 'active' and wait_event = 'ClientRead'
       and state_change < clock_timestamp() - nullif(current_setting('statement_timeout'), '0')::interval)
  select count(*) filter (where pg_terminate_backend(pid)) from frozen
$$;
revoke execute on function end_frozen_sessions() from public;
grant execute on function end_frozen_sessions() to overture_engine;
