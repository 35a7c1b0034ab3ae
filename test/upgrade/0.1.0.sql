-- The database of Overture 0.1.0: its schema, and rows in every table. Written by `npm run baseline`; see
-- CONTRIBUTING.md, "How upgrades are tested".

create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (version)
);
grant select on schema_migrations to overture_app;
grant select on schema_migrations to overture_auth;
grant select on schema_migrations to overture_engine;
grant select on schema_migrations to overture_search;
insert into schema_migrations (version, name) values (1, '0001_baseline.sql');

create function current_account_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.account_id', true), '')::uuid;
create function current_user_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;
create function api_time(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
create function new_id() returns uuid
  language sql volatile parallel safe
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;
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
  -- While a table is empty all its indexes seem to cost the same, and among equals the planner picks the newest.
  -- Foreign-key checks keep that plan as long as the connection lives, so the primary key has to be the newest.
  select conname, pg_get_constraintdef(oid) into strict primary_key, definition
    from pg_constraint where conrelid = tenant_table and contype = 'p';
  execute format('alter table %s drop constraint %I, add constraint %2$I %3$s', tenant_table, primary_key, definition);
end $$;
create extension if not exists pg_trgm schema public;
create extension if not exists unaccent schema public;
create extension if not exists btree_gin schema public;
create function search_key(text text) returns text
  language sql immutable strict parallel safe
  return ' ' || btrim(regexp_replace(lower(unaccent('unaccent', text)), '[[:punct:][:space:]]+', ' ', 'g'));
create function word_patterns(query text) returns text[]
  language sql immutable strict parallel safe
  return (
    select array_agg(case when length(word) < 3 then '% ' else '%' end || word || '%')
      from string_to_table(case when query ~ '^[0-9 ()+./-]+$'
                                then regexp_replace(query, '^[^1-9]+(?=.)|[^0-9]', '', 'g')
                                else btrim(search_key(query)) end, ' ') word
  );
create function message_words(subject text, body text) returns tsvector
  language sql immutable parallel safe
  return to_tsvector('simple', search_key(subject || ' ' || left(body, 20000)));
create function words_query(query text) returns tsquery
  language sql immutable strict parallel safe
  return to_tsquery('simple', replace(nullif(btrim(search_key(query)), ''), ' ', ' & ') || ':*');
create procedure make_search_function(search_function regprocedure)
  language plpgsql as $$
begin
  execute format('revoke execute on function %s from public', search_function);
  execute format('grant execute on function %s to overture_app', search_function);
  grant create on schema public to overture_search;
  execute format('alter function %s owner to overture_search', search_function);
  revoke create on schema public from overture_search;
end $$;
create table accounts (
  id                           uuid primary key,
  name                         text not null,
  default_country              text check (default_country ~ '^[A-Z]{2}$'),
  timezone                     text not null default 'UTC',
  postal_address               text,
  opt_out_line                 text,
  reply_pauses                 text not null default 'person' check (reply_pauses in ('person', 'company_domain')),
  unsubscribe_words            text not null default 'mark' check (unsubscribe_words in ('mark', 'opt_out')),
  assistants_may_request_calls boolean not null default false,
  assistant_sends_need_approval boolean not null default false,
  max_bounce_percent           numeric not null default 5 check (max_bounce_percent between 1 and 100),
  max_complaint_percent        numeric not null default 0.3 check (max_complaint_percent between 0.1 and 100),
  max_attachment_megabytes     integer not null default 5000 check (max_attachment_megabytes between 0 and 1000000),
  sending_paused_at            timestamptz(3),
  sending_pause_reason         text,
  sending_paused_by            text,
  sending_paused_by_user_id    uuid,
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
create policy own on members for select to overture_app using (user_id = (select current_user_id()));
create policy sign_in on members to overture_auth using (true);
grant select, insert, update, delete on members to overture_auth;
create policy colleagues on users for select to overture_app using (
  exists (select from members m where m.account_id = (select current_account_id()) and m.user_id = users.id));
create policy own on users for update to overture_app using (id = (select current_user_id()));
grant select (id, email, name, created_at, updated_at), update (name, updated_at) on users to overture_app;
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
create table api_tokens (
  id           uuid primary key,
  user_id      uuid not null references users,
  parent_id    uuid references api_tokens,
  name         text not null,
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
create trigger access_changed after update of user_id, token_hash, is_read_only, expires_at, revoked_at or delete on api_tokens
  for each statement execute function announce_access_change();
create table sessions (
  token_hash       bytea primary key check (octet_length(token_hash) = 32),
  id               uuid not null unique,
  user_id          uuid not null references users,
  user_agent       text,
  address          text,
  created_at       timestamptz(3) not null default now(),
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
create trigger access_changed after delete or update of token_hash, authenticated_at on sessions
  for each statement execute function announce_access_change();
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
create table authenticator_apps (
  user_id    uuid primary key references users,
  secret     bytea not null,
  last_step  bigint not null,
  created_at timestamptz(3) not null default now()
);
alter table authenticator_apps enable row level security, force row level security;
create policy sign_in on authenticator_apps to overture_auth using (true);
grant select, insert, update, delete on authenticator_apps to overture_auth;
create table recovery_codes (
  user_id   uuid not null references authenticator_apps on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (user_id, code_hash)
);
alter table recovery_codes enable row level security, force row level security;
create policy sign_in on recovery_codes to overture_auth using (true);
grant select, insert, delete on recovery_codes to overture_auth;
create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key    bytea not null,
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
create table single_sign_ons (
  account_id         uuid primary key references accounts,
  issuer             text not null,
  client_id          text not null,
  client_secret      bytea not null,
  domain             text not null,
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
create table oauth_grants (
  id           uuid primary key,
  account_id   uuid references accounts,
  user_id      uuid not null references users on delete cascade,
  client_id    text not null,
  client_name  text not null,
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
create policy own on oauth_grants to overture_app using (user_id = (select current_user_id()));
create policy tenant on oauth_grants to overture_app using (account_id = (select current_account_id()));
create policy sign_in on oauth_grants to overture_auth using (true);
grant select (id, account_id, user_id, client_name, client_host, scopes, created_at, updated_at, last_used_at, expires_at,
              revoked_at),
      update (revoked_at, updated_at)
  on oauth_grants to overture_app;
grant select, insert, update, delete on oauth_grants to overture_auth;
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
create table oauth_clients (
  id           text primary key,
  metadata     jsonb not null,
  connected_at timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now()
);
create index oauth_clients_unused on oauth_clients (updated_at desc, id) where connected_at is null;
alter table oauth_clients enable row level security, force row level security;
create policy sign_in on oauth_clients to overture_auth using (true);
grant select, insert, update, delete on oauth_clients to overture_auth;
create table oauth_keys (
  id          text primary key,
  private_jwk bytea not null,
  signs_from  timestamptz(3) not null,
  created_at  timestamptz(3) not null default now()
);
alter table oauth_keys enable row level security, force row level security;
create policy sign_in on oauth_keys to overture_auth using (true);
grant select, insert, delete on oauth_keys to overture_auth;
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
  name_key   text generated always as (lower(btrim(name))) stored,
  domain     text,
  website    text,
  industries text[] not null default '{}',
  logo_url   text,
  city       text,
  state      text,
  country    text,
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
  domain_key   text collate "C" generated always as (reverse(split_part(email, '@', 2))) stored,
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
  owner_rep_id uuid,
  tags         text[] not null default '{}',
  custom       jsonb not null default '{}',
  search_text  text not null default '',
  erased_at    timestamptz(3),
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
create table person_aliases (
  account_id   uuid not null references accounts,
  kind         text not null check (kind in ('email', 'linkedin', 'phone')),
  value        text not null,
  person_id    uuid not null,
  duplicate_id uuid not null,
  created_at   timestamptz(3) not null default now(),
  primary key (account_id, kind, value, person_id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, duplicate_id) references persons (account_id, id)
);
create index person_aliases_by_person on person_aliases (account_id, person_id);
create index person_aliases_by_duplicate on person_aliases (account_id, duplicate_id);
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
create function find_by_words(searched regclass, query text, most integer) returns setof uuid
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
declare
  words text := coalesce(
    (select string_agg(format('search_text like %L', pattern), ' and ') from unnest(word_patterns(query)) pattern), 'false');
begin
  return query execute format('select id from %s where account_id = $1 and %s limit $2', searched, words)
    using current_account_id(), most;
  if not found then
    return query execute format(
      'select id from %s where account_id = $1 and $2 <%% search_text
        order by word_similarity($2, search_text) desc, id limit $3', searched)
      using current_account_id(), search_key(query), least(most, 100);
  end if;
end $$;
create policy search on persons for select to overture_search using (true);
create policy search on companies for select to overture_search using (true);
grant select (account_id, id, search_text) on persons, companies to overture_search;
call make_search_function('find_by_words(regclass, text, integer)');
create function find_by_custom(given jsonb, most integer) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
as $$
  select id from persons
   where account_id = current_account_id() and custom @> given and custom <> '{}' limit most
$$;
grant select (custom) on persons to overture_search;
call make_search_function('find_by_custom(jsonb, integer)');
create function domain_and_parents(domain text) returns text[]
  language sql immutable parallel safe
  return (
    select coalesce(array_agg(array_to_string(labels[i:], '.') order by i), '{}')
      from string_to_array(domain, '.') labels, generate_subscripts(labels, 1) i
  );
create function erased_identifier(outer_pad bytea, inner_pad bytea, account uuid, kind text, value text) returns text
  language sql immutable strict parallel safe
  return case when kind in ('email', 'linkedin', 'phone') then
    'erased:' || encode(sha256(outer_pad || sha256(inner_pad || convert_to(account || ' ' || kind || ' ' || value, 'UTF8'))), 'hex')
  end;
create table opt_outs (
  account_id       uuid not null references accounts,
  id               uuid not null,
  kind             text not null check (kind in ('email', 'linkedin', 'phone', 'domain', 'sms', 'whatsapp', 'web_chat')),
  value            text not null,
  name             text,
  source           text not null default 'api',
  added_by_id      uuid,
  email_message_id uuid,
  search_text      text not null generated always as (search_key(value || ' ' || coalesce(name, ''))) stored,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, kind, value)
);
create index opt_outs_by_time on opt_outs (account_id, created_at desc, id desc);
create index opt_outs_by_kind on opt_outs (account_id, kind, created_at desc, id desc);
create index opt_outs_by_source on opt_outs (account_id, source, created_at desc, id desc);
create index opt_outs_by_text on opt_outs using gin (account_id, search_text gin_trgm_ops);
create index opt_outs_by_message on opt_outs (account_id, email_message_id) where email_message_id is not null;
create index opt_outs_of_messages on opt_outs (account_id, created_at) where email_message_id is not null;
call make_tenant_table('opt_outs');
create policy search on opt_outs for select to overture_search using (true);
grant select (account_id, id, search_text) on opt_outs to overture_search;
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
revoke update, delete on consents from overture_app;
grant update (withdrawn_at, withdrawn_by_id, withdrawal_reason, updated_at) on consents to overture_app;
grant delete on consents to overture_app;
create policy only_withdrawn_deleted on consents as restrictive for delete to overture_app using (withdrawn_at is not null);
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
create table reps (
  account_id  uuid not null references accounts,
  id          uuid not null,
  name        text not null,
  signature   text,
  owned_by_id uuid,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, owned_by_id) references members (account_id, user_id)
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
  inbound_key_number integer not null default 1,
  plus_addressing    boolean not null default false,
  daily_cap          integer check (daily_cap between 1 and 100000),
  min_gap_seconds    integer not null default 0 check (min_gap_seconds between 0 and 86400),
  ramp_start         integer check (ramp_start between 1 and 100000),
  ramp_increase      integer check (ramp_increase between 1 and 100000),
  ramp_since         timestamptz(3),
  full_until         timestamptz(3),
  rests_until        timestamptz(3),
  rests_after        uuid,
  fault_count        integer not null default 0,
  retry_at           timestamptz(3),
  paused_at          timestamptz(3),
  pause_reason       text,
  resumed_at         timestamptz(3),
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
grant select (account_id, id, rep_id, status, paused_at, removed_at, min_gap_seconds, full_until, rests_until, retry_at),
      update (retry_at)
  on mailboxes to overture_engine;
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
create table mailbox_readings (
  account_id    uuid not null references accounts,
  mailbox_id    uuid not null,
  host          text not null,
  port          integer not null check (port between 1 and 65535),
  tls           text not null check (tls in ('implicit', 'starttls', 'none')),
  login         text not null,
  password      bytea not null,
  status        text not null default 'waiting' check (status in ('waiting', 'reading', 'failing')),
  status_reason text,
  read_from     timestamptz(3) not null,
  last_read_at  timestamptz(3),
  due_at        timestamptz(3) not null default now(),
  epoch         bigint not null default 0,
  failures      integer not null default 0,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index mailbox_readings_due on mailbox_readings (due_at);
call make_tenant_table('mailbox_readings');
create policy engine on mailbox_readings to overture_engine using (true);
grant select (account_id, mailbox_id, due_at, epoch, status, last_read_at, created_at), update (due_at, epoch)
  on mailbox_readings to overture_engine;
create table mailbox_folders (
  account_id   uuid not null references accounts,
  mailbox_id   uuid not null,
  path         text not null,
  uid_validity bigint not null,
  last_uid     bigint not null,
  trying_uid   bigint,
  tries        integer not null default 0,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id, path),
  foreign key (account_id, mailbox_id) references mailbox_readings (account_id, mailbox_id) on delete cascade
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
  foreign key (account_id, mailbox_id) references mailbox_readings (account_id, mailbox_id) on delete cascade
);
call make_tenant_table('mailbox_skips');
create table domains (
  account_id uuid not null references accounts,
  id         uuid not null,
  domain     text not null,
  checks     jsonb not null default '[]',
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, domain)
);
create index domains_by_time on domains (account_id, created_at desc, id desc);
call make_tenant_table('domains');
create table dkim_keys (
  account_id  uuid not null references accounts,
  id          uuid not null,
  domain_id   uuid not null,
  selector    text not null,
  public_key  text not null,
  private_key bytea,
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
create table assistants (
  account_id           uuid not null references accounts,
  id                   uuid not null,
  name                 text not null,
  provider             text not null default 'simulated' check (provider in ('simulated', 'vapi', 'retell', 'http')),
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
  daily_cap            integer not null default 100 check (daily_cap between 1 and 10000),
  daily_cap_per_number integer not null default 3 check (daily_cap_per_number between 1 and 20),
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
create table campaigns (
  account_id            uuid not null references accounts,
  id                    uuid not null,
  name                  text not null,
  description           text,
  status                text not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed')),
  is_archived           boolean not null default false,
  is_evergreen          boolean not null default false,
  skip_active_elsewhere boolean not null default false,
  stop_company_on_reply boolean not null default false,
  auto_winner           text check (auto_winner in ('replied', 'positive')),
  winners_checked_at    timestamptz(3),
  health                text,
  schedule              jsonb,
  new_prospects_per_day integer check (new_prospects_per_day between 1 and 1000000),
  begun_on              date,
  begun_count           integer not null default 0,
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
create table campaign_steps (
  account_id         uuid not null references accounts,
  id                 uuid not null,
  campaign_id        uuid not null,
  position           integer not null,
  channel            text not null check (channel in (
                       'email', 'call', 'linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')),
  delay_amount       integer not null default 0 check (delay_amount between 0 and 10000),
  delay_unit         text not null default 'minutes' check (delay_unit in ('minutes', 'hours', 'days', 'business_days')),
  thread             text not null default 'new' check (thread in ('same', 'new')),
  accept_within_days integer
    check (accept_within_days between 1 and 365 and (accept_within_days is null) = (channel <> 'linkedin_message')),
  assistant_id       uuid,
  call_data          jsonb,
  on_answered        text check (on_answered in ('stop', 'continue')),
  retries            integer check (retries between 0 and 5),
  retry_after_amount integer check (retry_after_amount between 1 and 10000),
  retry_after_unit   text check (retry_after_unit in ('minutes', 'hours', 'days', 'business_days')),
  winner             jsonb,
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
create table prospects (
  account_id    uuid not null references accounts,
  id            uuid not null,
  campaign_id   uuid not null,
  person_id     uuid not null,
  rep_id        uuid,
  mailbox_id    uuid,
  status        text not null default 'pending' check (status in
                  ('pending', 'active', 'paused', 'replied', 'out_of_office', 'completed', 'stopped', 'bounced', 'opted_out',
                   'failed')),
  status_reason text,
  steps_done    integer not null default 0,
  began_at      timestamptz(3),
  waits_since   timestamptz(3),
  next_step_at  timestamptz(3),
  away_until    timestamptz(3),
  intent        text check (intent in
                  ('interested', 'question', 'objection', 'not_now', 'wrong_person', 'opt_out', 'auto')),
  lease_until   timestamptz(3),
  lease_epoch   bigint not null default 0,
  is_duplicate  boolean not null default false,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id)
) with (fillfactor = 70);
create index prospects_by_time on prospects (account_id, created_at desc, id desc);
create index prospects_by_campaign on prospects (account_id, campaign_id, created_at desc, id desc);
create index prospects_by_status on prospects (account_id, status, created_at desc, id desc);
create index prospects_by_campaign_and_status on prospects (account_id, campaign_id, status, created_at desc, id desc);
create index prospects_by_intent on prospects (account_id, intent, status, created_at desc, id desc) include (person_id)
  where intent is not null;
create index prospects_by_campaign_and_intent
  on prospects (account_id, campaign_id, intent, status, created_at desc, id desc) where intent is not null;
create index prospects_by_person on prospects (account_id, person_id);
create unique index prospects_one_per_campaign on prospects (account_id, campaign_id, person_id) where not is_duplicate;
create index prospects_by_change on prospects (account_id, updated_at, id);
create index prospects_due
  on prospects (account_id, campaign_id, coalesce(mailbox_id, '00000000-0000-0000-0000-000000000000'), next_step_at)
  where status in ('pending', 'active', 'out_of_office') and next_step_at is not null;
call make_tenant_table('prospects');
create policy engine on prospects to overture_engine using (true);
grant select (account_id, id, campaign_id, mailbox_id, status, next_step_at, lease_until, lease_epoch),
      update (lease_until, lease_epoch)
  on prospects to overture_engine;
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
create table snippets (
  account_id  uuid not null references accounts,
  id          uuid not null,
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
create table saved_views (
  account_id uuid not null references accounts,
  id         uuid not null,
  owner_id   uuid,
  kind       text not null check (kind in ('people')),
  name       text not null,
  name_key   text not null generated always as (lower(name)) stored,
  filters    jsonb not null,
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
  tags        text[] not null default '{}',
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index email_threads_by_prospect on email_threads (account_id, prospect_id);
create index email_threads_by_person on email_threads (account_id, person_id) where prospect_id is null;
call make_tenant_table('email_threads');
create table email_messages (
  account_id      uuid not null,
  id              uuid not null,
  thread_id       uuid not null,
  campaign_id     uuid,
  prospect_id     uuid,
  rep_id          uuid,
  mailbox_id      uuid,
  step_id         uuid,
  variant_id      uuid,
  type            text not null check (type in ('manual', 'campaign', 'reply_agent', 'received')),
  status          text check (status in ('sent', 'draft')),
  delivery_status text check (delivery_status in ('queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced')),
  delivery_reason text,
  received_kind   text check (received_kind in ('reply', 'auto_reply', 'unsubscribe')),
  subject         text not null,
  body            text not null,
  body_format     text not null default 'text' check (body_format in ('text', 'html')),
  new_text        text,
  html            text,
  attachments     jsonb,
  sender          jsonb,
  recipients      jsonb not null,
  recipient_domain text generated always as
                    (case when type = 'campaign' then lower(split_part(recipients #>> '{to,0,email}', '@', 2)) end) stored,
  reply_to        jsonb,
  message_id      text not null,
  in_reply_to     text,
  reference_ids   text[] not null default '{}',
  sent_at         timestamptz(3) not null,
  is_last         boolean not null default false,
  kind            text not null generated always as
                    (type || case status when 'sent' then ' sent' when 'draft' then ' draft' else ' unsent' end
                          || case when is_last then ' last' else '' end) stored,
  tags            text[] not null default '{}',
  thread_seen_at  timestamptz(3),
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
create index email_messages_sent on email_messages (account_id, sent_at)
  include (campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, recipient_domain)
  where type = 'campaign' and status = 'sent';
create index email_messages_sent_by_campaign on email_messages (account_id, campaign_id, sent_at)
  include (prospect_id, step_id, variant_id)
  where type = 'campaign' and status = 'sent';
create index email_messages_contacted on email_messages (account_id, campaign_id, prospect_id)
  where type = 'campaign' and status = 'sent';
create index email_messages_failed on email_messages (account_id, sent_at) where delivery_status = 'failed';
create index email_messages_unconfirmed on email_messages (account_id, sent_at desc, id desc)
 where delivery_status = 'unconfirmed';
create index email_messages_by_text on email_messages using gin (account_id, message_words(subject, coalesce(new_text, body)))
 where type <> 'campaign';
call make_tenant_table('email_messages');
create table attachments (
  account_id       uuid not null,
  id               uuid not null,
  email_message_id uuid,
  user_id          uuid,
  name             text not null,
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
create table attachment_pieces (
  account_id    uuid not null,
  attachment_id uuid not null,
  number        integer not null,
  bytes         bytea not null,
  created_at    timestamptz(3) not null default now(),
  primary key (account_id, attachment_id, number),
  foreign key (account_id, attachment_id) references attachments (account_id, id) on delete cascade
);
alter table attachment_pieces alter column bytes set storage external;
call make_tenant_table('attachment_pieces');
create table email_message_aliases (
  account_id       uuid not null references accounts,
  message_id       text not null,
  email_message_id uuid not null,
  created_at       timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  foreign key (account_id, email_message_id) references email_messages (account_id, id) on delete cascade
);
create index email_message_aliases_by_message on email_message_aliases (account_id, email_message_id);
call make_tenant_table('email_message_aliases');
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
create table email_sends (
  account_id       uuid not null,
  message_id       uuid not null,
  mailbox_id       uuid not null,
  campaign_id      uuid,
  prospect_id      uuid,
  step_id          uuid,
  state            text not null check (state in ('queued', 'claimed', 'dot_pending', 'sent', 'refused', 'failed', 'unconfirmed')),
  recipient_emails text[] not null,
  is_repeat        boolean not null default false,
  attempts         integer not null default 0,
  due_at           timestamptz(3) not null default now(),
  epoch            bigint not null default 0,
  dot_pending_at   timestamptz(3),
  ended_at         timestamptz(3),
  response         text,
  queue_id         text,
  hard_bounced_at  timestamptz(3),
  complained_at    timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  unique (account_id, prospect_id, step_id),
  foreign key (account_id, message_id) references email_messages (account_id, id)
);
create index email_sends_due on email_sends (due_at) where state in ('queued', 'claimed', 'dot_pending');
create index email_sends_in_flight on email_sends (account_id) where state = 'dot_pending';
create index email_sends_by_mailbox on email_sends (account_id, mailbox_id) where state in ('queued', 'claimed', 'dot_pending');
create index email_sends_by_campaign on email_sends (account_id, campaign_id) where state = 'queued';
create index email_sends_unconfirmed on email_sends (account_id, mailbox_id, ended_at) where state = 'unconfirmed';
create index email_sends_by_end on email_sends (account_id, mailbox_id, ended_at)
 where state in ('sent', 'failed', 'unconfirmed');
call make_tenant_table('email_sends');
create policy engine on email_sends to overture_engine using (true);
grant select (account_id, message_id, mailbox_id, campaign_id, state, due_at, epoch, attempts),
      update (state, due_at, epoch, attempts, updated_at)
  on email_sends to overture_engine;
create table received_mails (
  account_id   uuid not null references accounts,
  id           uuid not null,
  fingerprint  bytea not null,
  mailbox_id   uuid not null,
  kind         text not null check (kind in ('reply', 'auto_reply', 'unsubscribe', 'bounce', 'complaint', 'own')),
  bounce_class text check (bounce_class in ('hard', 'soft', 'policy', 'unknown')),
  about_id     uuid,
  campaign_id  uuid,
  prospect_id  uuid,
  received_at  timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, fingerprint),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  foreign key (account_id, about_id) references email_messages (account_id, id) on delete set null (about_id),
  check (bounce_class is null or kind = 'bounce')
);
create index received_mails_by_about on received_mails (account_id, about_id);
create index received_mails_by_campaign on received_mails (account_id, campaign_id, kind) where campaign_id is not null;
create index received_mails_by_prospect on received_mails (account_id, prospect_id) where prospect_id is not null;
create index received_mails_by_kind on received_mails (account_id, kind, received_at);
create index received_mails_of_policy on received_mails (account_id, mailbox_id, received_at) where bounce_class = 'policy';
call make_tenant_table('received_mails');
create function copy_from_message() returns trigger language plpgsql as $$
begin
  select campaign_id, prospect_id into new.campaign_id, new.prospect_id
    from email_messages
   where account_id = new.account_id and id = new.about_id;
  return new;
end $$;
create trigger copy_from_message before insert or update of about_id on received_mails
  for each row when (new.about_id is not null) execute function copy_from_message();
create function copy_to_received_mails() returns trigger language plpgsql as $$
begin
  update received_mails
     set campaign_id = new.campaign_id, prospect_id = new.prospect_id
   where account_id = new.account_id and about_id = new.id;
  return null;
end $$;
create trigger copy_to_received_mails after update of campaign_id, prospect_id on email_messages
  for each row when ((new.campaign_id, new.prospect_id) is distinct from (old.campaign_id, old.prospect_id))
  execute function copy_to_received_mails();
create table linkedin_conversations (
  account_id      uuid not null references accounts,
  id              uuid not null,
  conversation_id text not null,
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
  conversation_seen_at   timestamptz(3),
  approval_request       jsonb check (approval_request is null or status = 'draft'),
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, conversation_record_id) references linkedin_conversations (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
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
create function find_messages(searched regclass, query text, most integer) returns setof uuid
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
    using current_account_id(), words_query(query), most;
end $$;
create policy search on email_messages for select to overture_search using (true);
create policy search on linkedin_messages for select to overture_search using (true);
grant select (account_id, id, type, subject, new_text, body) on email_messages to overture_search;
grant select (account_id, id, type, text) on linkedin_messages to overture_search;
call make_search_function('find_messages(regclass, text, integer)');
create table calls (
  account_id       uuid not null references accounts,
  id               uuid not null,
  assistant_id     uuid,
  rep_id           uuid,
  prospect_id      uuid,
  person_id        uuid,
  campaign_id      uuid,
  step_id          uuid,
  attempt          integer check (attempt > 0),
  from_number      text not null,
  to_number        text not null,
  call_type        text not null check (call_type in ('inbound', 'outbound', 'web')),
  status           text not null check (status in ('queued', 'dialing', 'in_progress', 'ended')),
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
  end_reason       text,
  started_at       timestamptz(3),
  ended_at         timestamptz(3),
  not_before       timestamptz(3),
  provider         text,
  provider_call_id text,
  placed_at        timestamptz(3),
  postponements    integer not null default 0,
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
    num_nonnulls(campaign_id, step_id, attempt) = case when step_id is null then 0 else 3 end
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
create index calls_by_caller on calls (account_id, from_number, placed_at desc) where placed_at is not null;
create index calls_by_called on calls (account_id, to_number, placed_at desc) where placed_at is not null;
create index calls_placed on calls (account_id, placed_at) where placed_at is not null;
create index calls_under_way on calls (account_id, id) where status in ('dialing', 'in_progress');
create unique index calls_of_steps on calls (account_id, prospect_id, step_id, attempt)
 where step_id is not null and outcome is distinct from 'withdrawn';
create index calls_by_provider_id on calls (account_id, provider, provider_call_id);
call make_tenant_table('calls');
create policy engine on calls to overture_engine using (true);
grant select (account_id, id, status, due_at, lease_until, epoch), update (lease_until, epoch) on calls to overture_engine;
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
create table call_requests (
  account_id       uuid not null references accounts,
  id               uuid not null,
  assistant_id     uuid not null,
  rep_id           uuid,
  prospect_id      uuid,
  call             jsonb not null,
  timezones        text[] not null,
  reason           text not null,
  requested_by_id  uuid not null references users,
  requested_by_app text,
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
  foreign key (account_id, call_id) references calls (account_id, id),
  check ((status = 'approved') = (call_id is not null)),
  check ((status = 'waiting') = (decided_at is null) and (decided_at is null) = (decided_by_id is null))
);
create index call_requests_by_time on call_requests (account_id, created_at desc, id desc);
create index call_requests_by_status on call_requests (account_id, status, created_at desc, id desc);
create index call_requests_by_rep on call_requests (account_id, rep_id, created_at desc, id desc);
create index call_requests_by_rep_and_status on call_requests (account_id, rep_id, status, created_at desc, id desc);
create index call_requests_by_prospect on call_requests (account_id, prospect_id) where prospect_id is not null;
call make_tenant_table('call_requests');
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
create index tasks_on_linkedin on tasks (account_id, channel, ended_at)
 where status = 'completed' and channel in ('linkedin_connect', 'linkedin_message');
create index tasks_by_draft on tasks (account_id, linkedin_message_id) where linkedin_message_id is not null;
create index tasks_with_title on tasks (account_id, due_at) where status = 'open' and title is not null;
create unique index tasks_open_draft on tasks (account_id, linkedin_message_id)
 where linkedin_message_id is not null and status = 'open';
call make_tenant_table('tasks');
create policy only_uncontacted_deleted on prospects as restrictive for delete to overture_app
  using (exists (select from campaigns c
                  where c.account_id = prospects.account_id and c.id = prospects.campaign_id and c.status = 'draft')
         or not exists (select from email_messages m
                         where m.account_id = prospects.account_id and m.prospect_id = prospects.id)
            and not exists (select from tasks t
                             where t.account_id = prospects.account_id and t.prospect_id = prospects.id)
            and not exists (select from calls c
                             where c.account_id = prospects.account_id and c.prospect_id = prospects.id));
create function cancel_tasks() returns trigger language plpgsql as $$
begin
  update tasks
     set status = 'cancelled', status_reason = 'prospect_' || new.status, ended_at = now(), updated_at = now()
   where account_id = new.account_id and prospect_id = new.id and status = 'open' and title is null;
  return null;
end $$;
create trigger cancel_tasks after update of status on prospects
  for each row when (old.status <> new.status and new.status in ('replied', 'stopped', 'bounced', 'opted_out', 'failed'))
  execute function cancel_tasks();
create table meetings (
  account_id  uuid not null references accounts,
  id          uuid not null,
  prospect_id uuid not null,
  person_id   uuid not null,
  campaign_id uuid not null,
  rep_id      uuid,
  source      text not null check (source in ('manual', 'cal_com', 'calendly')),
  external_id text,
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
create unique index meetings_booked on meetings (account_id, prospect_id, starts_at) where status = 'booked';
create unique index meetings_by_external_id on meetings (account_id, source, external_id) where external_id is not null;
create index meetings_by_time on meetings (account_id, booked_at desc, id desc);
create index meetings_by_status on meetings (account_id, status, booked_at desc, id desc);
create index meetings_by_prospect on meetings (account_id, prospect_id, booked_at desc, id desc);
create index meetings_by_person on meetings (account_id, person_id, booked_at desc, id desc);
create index meetings_by_campaign on meetings (account_id, campaign_id, booked_at desc, id desc);
call make_tenant_table('meetings');
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
create table linkedin_accounts (
  account_id          uuid not null references accounts,
  id                  uuid not null,
  rep_id              uuid not null,
  provider            text not null check (provider in ('webhook', 'unipile')),
  secret              bytea not null,
  base_url            text,
  provider_account_id text,
  api_key             bytea,
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
  member_id  text not null,
  person_id  uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, member_id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
create index linkedin_members_by_person on linkedin_members (account_id, person_id);
call make_tenant_table('linkedin_members');
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
create index linkedin_connections_accepted on linkedin_connections (account_id, accepted_at) where accepted_at is not null;
call make_tenant_table('linkedin_connections');
create table linkedin_sends (
  account_id          uuid not null references accounts,
  task_id             uuid not null,
  linkedin_account_id uuid,
  kind                text not null check (kind in ('invitation', 'message')),
  state               text not null default 'queued' check (state in ('queued', 'claimed', 'sent', 'refused', 'unconfirmed')),
  due_at              timestamptz(3) not null,
  epoch               bigint not null default 0,
  attempts            integer not null default 0,
  asked_at            timestamptz(3),
  response            text,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, task_id),
  foreign key (account_id, task_id) references tasks (account_id, id) on delete cascade,
  foreign key (account_id, linkedin_account_id) references linkedin_accounts (account_id, id)
    on delete set null (linkedin_account_id)
);
create index linkedin_sends_due on linkedin_sends (due_at) where state in ('queued', 'claimed');
create index linkedin_sends_asked on linkedin_sends (account_id, linkedin_account_id, kind, asked_at);
call make_tenant_table('linkedin_sends');
create policy engine on linkedin_sends to overture_engine using (true);
grant select (account_id, task_id, state, due_at, epoch, attempts), update (state, due_at, epoch, attempts)
  on linkedin_sends to overture_engine;
create table reply_agents (
  account_id              uuid primary key references accounts,
  provider                text not null check (provider in ('openai', 'anthropic', 'openai_compatible', 'simulated')),
  model                   text not null,
  base_url                text,
  api_key                 bytea,
  is_enabled              boolean not null default true,
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
create table agent_replies (
  account_id          uuid not null references accounts,
  message_id          uuid not null generated always as (coalesce(email_message_id, linkedin_message_id)) stored,
  email_message_id    uuid,
  linkedin_message_id uuid,
  campaign_id         uuid,
  state               text not null check (state in ('pending', 'scheduled', 'done', 'failed')),
  intent              text check (intent in ('interested', 'question', 'objection', 'not_now', 'wrong_person', 'opt_out', 'auto')),
  intent_by           text not null check (intent_by in ('rules', 'model')),
  not_now_until       date,
  referral            jsonb,
  reason              text,
  draft_id            uuid,
  drafted_at          timestamptz(3),
  sends_at            timestamptz(3),
  autopilot_sent_at   timestamptz(3),
  model               text,
  asked_at            timestamptz(3),
  input_tokens        integer not null default 0,
  output_tokens       integer not null default 0,
  cost_usd            numeric(14, 8),
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
create index agent_replies_asked on agent_replies (account_id, asked_at) where asked_at is not null;
create index agent_replies_autopilot on agent_replies (account_id, autopilot_sent_at) where autopilot_sent_at is not null;
create index agent_replies_by_time on agent_replies (account_id, created_at desc, email_message_id desc);
create index agent_replies_by_email_message on agent_replies (account_id, email_message_id)
 where email_message_id is not null;
create index agent_replies_by_linkedin_message on agent_replies (account_id, linkedin_message_id)
 where linkedin_message_id is not null;
call make_tenant_table('agent_replies');
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
create table conversations (
  account_id         uuid not null references accounts,
  id                 uuid not null,
  channel            text not null check (channel in ('email', 'linkedin')),
  email_thread_id          uuid generated always as (case channel when 'email' then id end) stored,
  linkedin_conversation_id uuid generated always as (case channel when 'linkedin' then id end) stored,
  person_id          uuid,
  prospect_id        uuid,
  campaign_id        uuid,
  rep_id             uuid,
  last_message_id    uuid,
  last_message_at    timestamptz(3) not null,
  last_written_id    uuid,
  last_received_id   uuid,
  intent             text,
  turn               text not null default 'nobody' check (turn in ('ours', 'theirs', 'nobody')),
  has_drafts         boolean not null default false,
  has_unconfirmed    boolean not null default false,
  needs_approval     boolean not null default false,
  is_unread          boolean not null default false,
  done_at            timestamptz(3),
  snoozed_until      timestamptz(3),
  decided_at         timestamptz(3),
  assignee_id        uuid,
  state              text not null generated always as (
    case when done_at is not null then 'done'
         when turn = 'ours' then 'needs_reply'
         when turn = 'theirs' then 'waiting'
         else 'idle' end) stored,
  sorted_at          timestamptz(3) not null generated always as (greatest(last_message_at, snoozed_until)) stored,
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
create index conversations_unread on conversations (account_id, last_message_at desc, id desc) where is_unread;
create index conversations_snoozed on conversations (account_id, sorted_at desc, id desc) where snoozed_until is not null;
create index conversations_with_drafts on conversations (account_id, last_message_at desc, id desc) where has_drafts;
create index conversations_to_approve on conversations (account_id, last_message_at desc, id desc) where needs_approval;
create index conversations_unconfirmed on conversations (account_id, last_message_at desc, id desc) where has_unconfirmed;
create index conversations_by_rep on conversations (account_id, rep_id, last_message_at desc, id desc);
create index conversations_by_rep_and_state on conversations (account_id, rep_id, state, sorted_at desc, id desc);
create index conversations_by_rep_and_change on conversations (account_id, rep_id, updated_at, id);
create index conversations_by_rep_and_channel on conversations (account_id, rep_id, channel, last_message_at desc, id desc);
create index conversations_by_rep_and_intent on conversations (account_id, rep_id, intent, last_message_at desc, id desc)
 where intent is not null;
create index conversations_by_rep_and_campaign on conversations (account_id, rep_id, campaign_id, last_message_at desc, id desc);
create index conversations_by_rep_and_assignee on conversations (account_id, rep_id, assignee_id, last_message_at desc, id desc)
 where assignee_id is not null;
create index conversations_by_rep_unread on conversations (account_id, rep_id, last_message_at desc, id desc) where is_unread;
create index conversations_by_thread on conversations (account_id, email_thread_id) where email_thread_id is not null;
create index conversations_by_linkedin on conversations (account_id, linkedin_conversation_id)
 where linkedin_conversation_id is not null;
call make_tenant_table('conversations');
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
create function refresh_conversation(account uuid, conversation_channel text, conversation uuid, may_create boolean)
  returns void
  language plpgsql as $$
declare
  previous conversations;
  thread record;
  facts record;
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
           coalesce(thread_seen_at, created_at) as written_at
      from email_messages
     where conversation_channel = 'email' and account_id = account and thread_id = conversation
    union all
    select id, type, status, case type when 'received' then 'reply' end, null, approval_request, is_unread, happened_at,
           coalesce(conversation_seen_at, created_at)
      from linkedin_messages
     where conversation_channel = 'linkedin' and account_id = account and conversation_record_id = conversation),
  last as (
    select id, at from message order by status is not distinct from 'sent' desc, at desc, id desc limit 1),
  last_written as (
    select id, type, received_kind, written_at from message
     where status = 'sent' and received_kind is distinct from 'auto_reply'
     order by at desc, id desc limit 1),
  last_received as (
    select id from message where type = 'received' order by at desc, id desc limit 1),
  last_intent as (
    select a.intent from message m join agent_replies a on a.account_id = account and a.message_id = m.id
     where m.type = 'received' and a.intent is not null
     order by m.at desc, m.id desc limit 1)
  select last.id as last_id, last.at as last_at, w.id as written_id, w.type as written_type, w.written_at, r.id as received_id, i.intent,
         case when w.type = 'received' and w.received_kind is distinct from 'unsubscribe' and coalesce(i.intent, '') not in ('opt_out', 'auto')
                then 'ours'
              when w.type <> 'received' and s.has_writers then 'theirs'
              else 'nobody' end as turn,
         s.*
    into facts
    from (select bool_or(type <> 'campaign' and status = 'sent' and received_kind is distinct from 'auto_reply') as has_writers,
                 bool_or(type <> 'campaign') as has_more,
                 coalesce(bool_or(status = 'draft'), false) as has_drafts,
                 coalesce(bool_or(delivery_status = 'unconfirmed'), false) as has_unconfirmed,
                 coalesce(bool_or(approval_request is not null), false) as needs_approval,
                 bool_or(is_unread) as is_unread
            from message) s
    left join last on true
    left join last_written w on true
    left join last_received r on true
    left join last_intent i on true;

  if facts.has_more is not true and not facts.has_unconfirmed then
    delete from conversations where account_id = account and id = conversation;
    return;
  end if;
  -- A new message reopens the conversation, unless it is ours and was queued before.
  is_new_message := facts.written_id is distinct from previous.last_written_id
    and (facts.written_type = 'received' or facts.written_at > previous.decided_at);
  update conversations
     set person_id = thread.person_id, prospect_id = thread.prospect_id, campaign_id = thread.campaign_id, rep_id = thread.rep_id,
         last_message_id = facts.last_id, last_message_at = facts.last_at, last_written_id = facts.written_id,
         last_received_id = facts.received_id, intent = facts.intent, turn = facts.turn, has_drafts = facts.has_drafts,
         has_unconfirmed = facts.has_unconfirmed, needs_approval = facts.needs_approval,
         is_unread = case when conversation_channel = 'linkedin' then facts.is_unread
                          when facts.last_id = facts.received_id and facts.received_id is distinct from previous.last_received_id
                            then true
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
create table webhooks (
  account_id              uuid not null references accounts,
  id                      uuid not null,
  url                     text not null,
  event_types             text[] not null check (event_types <> '{}'),
  description             text,
  is_enabled              boolean not null default true,
  disabled_reason         text check (disabled_reason in ('gone', 'failing')),
  secret                  bytea not null,
  previous_secret         bytea,
  previous_secret_ends_at timestamptz(3),
  failures                integer not null default 0,
  failing_since           timestamptz(3),
  last_error              text,
  last_delivered_at       timestamptz(3),
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
create table webhook_deliveries (
  account_id      uuid not null references accounts,
  id              uuid not null,
  webhook_id      uuid not null,
  event_id        uuid not null,
  event_type      text not null,
  object_id       uuid not null,
  data            text,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  attempted_at    timestamptz(3),
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
grant select (account_id, webhook_id, status, due_at, created_at) on webhook_deliveries to overture_engine;
create table exports (
  account_id  uuid not null references accounts,
  id          uuid not null,
  user_id     uuid not null,
  kind        text not null check (kind in ('persons', 'prospects', 'opt_outs', 'messages')),
  scope       text not null check (scope in ('all', 'own')),
  campaign_id uuid,
  status      text not null default 'running' check (status in ('running', 'finished', 'failed')),
  failure     text,
  until       timestamptz(3) not null,
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
create table events (
  account_id uuid not null references accounts,
  tx         xid8 not null default pg_current_xact_id(),
  position   bigint generated by default as identity,
  id         uuid not null,
  event_type text not null,
  object_id  uuid not null,
  data       text,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, tx, position)
);
create index events_by_time on events (created_at);
call make_tenant_table('events');
revoke update, delete on events from overture_app;
grant update (data) on events to overture_app;
create policy engine on events to overture_engine using (true);
grant select (account_id, tx, position, created_at), update (tx), delete on events to overture_engine;
create table live_accounts (
  account_id uuid primary key references accounts,
  until      timestamptz(3) not null
);
call make_tenant_table('live_accounts');
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
create trigger announce_change after update of status, outcome on calls
  for each row when (new.status in ('in_progress', 'ended')
                     and (old.status, old.outcome) is distinct from (new.status, new.outcome))
  execute function announce_call();
create trigger announce_created after insert on tasks
  referencing new table as new_rows for each statement execute function announce_new_rows('task.created');
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
create table problems (
  account_id uuid not null references accounts,
  id         uuid not null,
  kind       text not null,
  about_id   uuid not null,
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
create table notification_settings (
  account_id  uuid not null,
  user_id     uuid not null,
  kinds       jsonb not null default '{}',
  digest_hour integer check (digest_hour between 0 and 23),
  timezone    text,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members (account_id, user_id) on delete cascade
);
call make_tenant_table('notification_settings');
create table notification_emails (
  account_id  uuid not null,
  id          uuid not null,
  user_id     uuid not null,
  digest_on   date,
  state       text not null default 'queued' check (state in ('queued', 'leaving', 'sent', 'skipped', 'failed')),
  attempts    integer not null default 0,
  due_at      timestamptz(3) not null,
  lease_until timestamptz(3),
  epoch       bigint not null default 0,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
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
  event_key   text not null,
  object_type text not null,
  object_id   uuid not null,
  title       text,
  text        text,
  is_in_app   boolean not null,
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
create policy own on notification_settings as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));
create policy own on notification_emails as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));
create policy own on notifications as restrictive to overture_app
  using ((select current_user_id()) in (user_id, '00000000-0000-0000-0000-000000000000'));
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

-- Triggers and foreign key checks are off, because the rows come from a database that applied both.
set local session_replication_role = replica;
insert into accounts ("id", "name", "default_country", "timezone", "postal_address", "opt_out_line", "reply_pauses", "unsubscribe_words", "assistants_may_request_calls", "assistant_sends_need_approval", "max_bounce_percent", "max_complaint_percent", "max_attachment_megabytes", "sending_paused_at", "sending_pause_reason", "sending_paused_by", "sending_paused_by_user_id", "problems_due_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', 'Globex', 'FI', 'Europe/Helsinki', 'Globex Routing, Satamakuja 4, Helsinki, Finland', 'Reply "stop" to opt out of our emails.', 'person', 'opt_out', 'true', 'false', '100', '100', '5000', null, null, null, null, '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', 'Acme', 'GB', 'Europe/London', 'Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'Not interested? Reply "stop" and we will not email you again.', 'person', 'opt_out', 'true', 'false', '100', '100', '5000', null, null, null, null, '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00');
insert into agent_replies ("account_id", "email_message_id", "linkedin_message_id", "campaign_id", "state", "intent", "intent_by", "not_now_until", "referral", "reason", "draft_id", "drafted_at", "sends_at", "autopilot_sent_at", "model", "asked_at", "input_tokens", "output_tokens", "cost_usd", "due_at", "epoch", "attempts", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-7708-7939-8795-01c75a4c7549', null, '019b0000-d90e-7f55-879b-9fd20000d5c6', 'done', null, 'rules', null, null, 'old', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.886+00', '2026-11-27 07:46:29.886+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-08b0-7968-8cfd-acf1976f9a0e', null, '019b0000-4b08-7331-8f2e-607cba6293bf', 'done', 'opt_out', 'rules', null, null, 'old', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1010-7f1a-8f60-aecd68505097', null, '019b0000-4b08-7331-8f2e-607cba6293bf', 'pending', null, 'rules', null, null, null, null, null, null, null, null, null, '0', '0', null, '2026-11-21 09:00:00+00', '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-12ff-7b0a-871a-d833ced5dce4', null, '019b0000-bf13-7e68-8059-0bc493eb3795', 'done', 'question', 'rules', null, null, 'old', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-54ac-7a1a-8223-5a8b4126872e', null, '019b0000-4b08-7331-8f2e-607cba6293bf', 'done', 'wrong_person', 'rules', null, null, 'old', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6ea1-7018-8431-0c1a558eb347', null, '019b0000-4b08-7331-8f2e-607cba6293bf', 'done', 'auto', 'rules', null, null, 'intent', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7d3a-7a5a-8c08-dec8de4d993f', null, '019b0000-4b08-7331-8f2e-607cba6293bf', 'done', 'interested', 'rules', null, null, 'old', null, null, null, null, null, null, '0', '0', null, null, '0', '0', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00');
insert into api_tokens ("id", "user_id", "parent_id", "name", "prefix", "token_hash", "is_read_only", "expires_at", "last_used_at", "revoked_at", "created_at", "updated_at") values
('01a21bf8-5776-7191-8326-9c302a1d6afc', '019b0000-0b0e-763b-87ee-6dab3312e497', null, 'Demo', 'ovt_live_tWcgwUC2', '\x6107da72e0d74025d36d69b212b5e775631182a1cc5bf7a18703a7a2a9937f9f', 'false', null, null, null, '2026-11-27 07:46:29.901+00', '2026-11-27 07:46:29.901+00');
insert into assistants ("account_id", "id", "name", "provider", "provider_settings", "api_key", "callback_secret", "rep_id", "from_number", "first_message", "disclosure", "voicemail_message", "max_duration_seconds", "transfer_number", "daily_cap", "daily_cap_per_number", "status", "status_reason", "verified_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3ba7-76c7-8bf3-46757c31501f', 'Juno', 'simulated', null, null, null, '019b0000-7dbe-7db3-8094-b131262aa90a', '+12025550147', 'I am calling for Tomás Arrieta of Acme Cold Chain.', null, null, null, null, '100', '3', 'active', null, null, '2026-09-22 08:01:00+00', '2026-09-22 08:01:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', 'Ari', 'simulated', null, null, null, '019b0000-eba6-753e-829c-07b39cced769', '+442079460018', 'I am calling for Mia Lindqvist of Acme Cold Chain about the temperature loggers.', null, null, null, null, '100', '3', 'active', null, null, '2026-09-22 08:00:00+00', '2026-09-22 08:00:00+00');
insert into attachment_pieces ("account_id", "attachment_id", "number", "bytes", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000050', '1', '\x48656c6c6f', '2026-11-27 07:46:30.66+00');
insert into attachments ("account_id", "id", "email_message_id", "user_id", "name", "type", "size", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000050', '019b0000-0065-7127-89df-05facdb6c2ed', null, 'offer.txt', 'text/plain', '5', '2026-11-27 07:46:30.66+00');
insert into audit_log ("account_id", "id", "at", "user_id", "actor", "action", "object_type", "object_id", "address", "request_id") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '01a21bf8-57e9-72a1-ac4b-d79f3badc841', '2026-11-27 07:46:29.886+00', '019b0000-a7f1-71ca-813b-2b63a7b12542', 'cli', 'assign_tags', 'email_thread', '019b0000-fb5d-762d-812f-e7c9b246a6f6', null, 'demo');
insert into authenticator_apps ("user_id", "secret", "last_step", "created_at") values
('019b0000-fc9e-7c3e-842d-7872eaf8a521', '\x7365616c6564', '57000000', '2026-11-27 07:46:30.66+00');
insert into call_requests ("account_id", "id", "assistant_id", "rep_id", "prospect_id", "call", "timezones", "reason", "requested_by_id", "requested_by_app", "status", "decided_by_id", "decided_at", "decline_reason", "call_id", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9dca-7621-86c5-a2c0887d0431', '019b0000-3ba7-76c7-8bf3-46757c31501f', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-8844-7585-8eaa-dad58f6f3d65', '{"data": {"asks": "When Tomás may call her about the block it came from", "loggers": "Three green, one red"}, "name": "Thérèse Robichaux", "timezone": "America/Chicago", "assistantId": "019b0000-3ba7-76c7-8bf3-46757c31501f", "phoneNumber": "+15045550131"}', '{America/Chicago,America/Chicago}', 'She asked for a call about the red logger, and her last email waits for an answer.', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'Sales assistant (assistant.example)', 'waiting', null, null, null, null, '2026-11-20 16:01:00+00', '2026-11-27 07:46:29.832+00');
insert into calls ("account_id", "id", "assistant_id", "rep_id", "prospect_id", "person_id", "campaign_id", "step_id", "attempt", "from_number", "to_number", "call_type", "status", "outcome", "outcome_reason", "outcome_advice", "held_by", "person_name", "person_email", "person_timezone", "data", "extracted_data", "call_transfer", "duration_seconds", "summary", "transcript", "recording_url", "cost_amount", "cost_currency", "end_reason", "started_at", "ended_at", "not_before", "provider", "provider_call_id", "placed_at", "postponements", "due_at", "lease_until", "epoch", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0f5e-7429-835b-3f6fd35cb795', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-4eb6-77db-8d69-d4444331515c', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '1', '+442079460018', '+46313900615', 'outbound', 'ended', 'no_answer', null, null, null, 'Åsa Lindhagen', 'asa.lindhagen@lindhagens-mejeri.example', 'Europe/Stockholm', null, null, null, '0', null, null, null, null, null, null, null, '2026-11-15 09:05:00+00', null, null, null, null, '0', null, null, '0', '2026-11-15 09:05:00+00', '2026-11-15 09:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-14b2-717c-8614-e9e57e9485ba', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-f16e-7069-85e2-00a029860f33', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '1', '+442079460018', '+18195550118', 'outbound', 'ended', 'busy', null, null, null, 'Geneviève Desrochers', 'genevieve.desrochers@lac-vert.example', 'America/Toronto', null, null, null, '0', null, null, null, null, null, null, null, '2026-11-15 14:10:00+00', null, null, null, null, '0', null, null, '0', '2026-11-15 14:10:00+00', '2026-11-15 14:10:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1c59-7e48-8eff-7b586d2f10fc', '019b0000-3ba7-76c7-8bf3-46757c31501f', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-8844-7585-8eaa-dad58f6f3d65', null, null, null, null, '+15045550131', '+12025550147', 'inbound', 'ended', 'answered', null, null, null, 'Thérèse Robichaux', 'therese.robichaux@bayouverte.example', 'America/Chicago', null, null, null, '21', 'Thérèse Robichaux called back: one of four loggers showed red. She wants to talk to Tomás.', '[{"at": 0, "role": "assistant", "text": "Acme Cold Chain, this is Juno, an AI assistant. How can I help?"}, {"at": 5.3, "role": "person", "text": "You can get me Tomás. I have three green ones and a red one."}, {"at": 10.4, "role": "assistant", "text": "He is on the road. May I tell him which block the red one came from?"}, {"at": 16, "role": "person", "text": "He can read it in the report. Tell him to call Thérèse."}]', null, null, null, null, '2026-11-18 20:22:00+00', '2026-11-18 20:22:21+00', null, null, null, null, '0', null, null, '0', '2026-11-18 20:22:00+00', '2026-11-18 20:22:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4caf-73f8-8106-df6578ee7cba', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-d56b-7a2f-86a8-df68c805dc3f', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '2', '+442079460018', '+46313900622', 'outbound', 'ended', 'withdrawn', 'prospect_paused', null, null, 'Göran Sjöstrand', 'goran.sjostrand@lindhagens-mejeri.example', 'Europe/Stockholm', null, null, null, null, null, null, null, null, null, null, null, '2026-11-18 08:05:00+00', null, null, null, null, '0', null, null, '0', '2026-11-18 08:05:00+00', '2026-11-18 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6a14-7f5e-8416-2d3815b9c9a1', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-ef96-790f-8548-c19b8630fbf0', null, null, null, null, 'web', '+442079460018', 'web', 'ended', 'answered', null, null, null, 'Gareth Thistlewood', 'gareth.thistlewood@halden-pryce.example', 'Europe/London', null, null, null, '20', 'Gareth Thistlewood asked on the website how the certificates are delivered.', '[{"at": 0, "role": "assistant", "text": "Hello, this is Ari, an AI assistant. What would you like to know?"}, {"at": 5.4, "role": "person", "text": "Whether the certificate is in the report, or somewhere I have to sign in."}, {"at": 11.5, "role": "assistant", "text": "It is in the report, on the second page. You sign in nowhere."}, {"at": 16.6, "role": "person", "text": "That is the right answer."}]', null, null, null, null, '2026-11-19 11:47:00+00', '2026-11-19 11:47:20+00', null, null, null, null, '0', null, null, '0', '2026-11-19 11:47:00+00', '2026-11-19 11:47:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-86f9-7cec-84f0-4bc45145e360', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-4eb6-77db-8d69-d4444331515c', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '2', '+442079460018', '+46313900615', 'outbound', 'ended', 'voicemail', null, null, null, 'Åsa Lindhagen', 'asa.lindhagen@lindhagens-mejeri.example', 'Europe/Stockholm', null, null, null, '14', 'A mailbox answered; the assistant left a message.', '[{"at": 0, "role": "person", "text": "Hej, du har kommit till Åsa Lindhagen. Lämna ett meddelande efter tonen."}, {"at": 5.9, "role": "assistant", "text": "Hello. This is Ari, an AI assistant. I am calling for Mia Lindqvist, who will write to you. Goodbye."}]', null, null, null, null, '2026-11-16 09:20:00+00', '2026-11-16 09:20:14+00', null, null, null, null, '0', null, null, '0', '2026-11-16 09:20:00+00', '2026-11-16 09:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8d91-78a1-85c4-ffc85ca5984c', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e1c1-7a54-8e19-7efbe27d05f8', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '1', '+442079460018', '+46701740618', 'outbound', 'ended', 'answered', null, null, null, 'Elsa Öberg', 'elsa.oberg@lindhagens-mejeri.example', 'Europe/Stockholm', null, null, null, '24', 'Elsa Öberg buys for the spring and asked for a price for forty loggers by email.', '[{"at": 0, "role": "person", "text": "Elsa Öberg."}, {"at": 1.6, "role": "assistant", "text": "Good morning. This is Ari, an AI assistant, calling for Mia Lindqvist of Acme Cold Chain about her email."}, {"at": 9.9, "role": "person", "text": "The thermometers. What do forty of them cost for the spring?"}, {"at": 15, "role": "assistant", "text": "Mia will send you the price for forty by email today. Is that all right?"}, {"at": 20.9, "role": "person", "text": "By email, yes. Thank you."}]', '/demo/recordings/019b0000-8d91-78a1-85c4-ffc85ca5984c.wav', null, null, null, '2026-11-15 09:30:00+00', '2026-11-15 09:30:24+00', null, null, null, null, '0', null, null, '0', '2026-11-15 09:30:00+00', '2026-11-15 09:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b202-7116-8785-3cff2d48130c', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-70d7-7087-8987-d50ec2fc9529', null, null, null, null, '+442079460018', '+353209110145', 'outbound', 'queued', null, null, null, null, 'Pádraig Ó Súilleabháin', 'padraig.osuilleabhain@clonrath.example', 'Europe/Dublin', null, null, null, null, null, null, null, null, null, null, null, null, '2026-11-22 10:00:00+00', null, null, null, '0', '2026-11-22 10:00:00+00', null, '0', '2026-11-20 17:00:00+00', '2026-11-20 17:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b305-7fdb-8952-982d082b7110', '019b0000-3ba7-76c7-8bf3-46757c31501f', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-d618-7751-8c29-5af58c3d7d39', null, null, null, null, '+12025550147', '+15035550144', 'outbound', 'ended', 'refused', 'do_not_contact', null, null, 'Naomi Tanaka-Reyes', 'naomi.tanaka-reyes@cascadia-blood.example', 'America/Los_Angeles', null, null, null, null, null, null, null, null, null, null, null, '2026-11-18 17:15:00+00', null, null, null, null, '0', null, null, '0', '2026-11-18 17:15:00+00', '2026-11-18 17:15:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-babd-786d-8525-f87b1dfe8bce', '019b0000-a7d3-726e-87e5-bfcdc79ce48c', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-d892-7740-8698-ebac9d565acd', null, '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '1', '+442079460018', '+18195550123', 'outbound', 'ended', 'failed', 'The line is out of service.', null, null, 'Rénald Thériault', 'renald.theriault@lac-vert.example', 'America/Toronto', null, null, null, null, null, null, null, null, null, null, null, '2026-11-15 14:40:00+00', null, null, null, null, '0', null, null, '0', '2026-11-15 14:40:00+00', '2026-11-15 14:40:00+00');
insert into campaign_knowledge ("account_id", "campaign_id", "offer", "answers", "next_step", "tone", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0a50-7519-82bf-a55566ecf4ec', 'Ten temperature loggers on loan for two weeks, at no cost. Afterwards 14 EUR a logger, from 100 on 11 EUR.', 'The loggers need no network: a reader at the far end turns each into a one-page report. The battery lasts a year down to −30 °C.', 'Shall I send the ten loggers this week? All I need is an address.', 'Short and matter-of-fact.', '2026-11-07 08:00:00+00', '2026-11-07 08:00:00+00');
insert into campaign_reps ("account_id", "campaign_id", "rep_id", "position") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-cb80-7e9d-8477-feccbd21fc5a', '019b0000-c49f-7927-83d2-4ce6f0511374', '1');
insert into campaign_step_variants ("account_id", "id", "step_id", "position", "subject", "body", "weight", "removed_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-a9e5-7660-8efe-e6c1833ac538', '019b0000-d46e-7387-859a-9fb68e5d3ed0', '1', 'Eleven kilometres a round', 'Hello {{ firstName }},

Fleets the size of the one at {{ company }} save eleven kilometres a round with us, measured over a year.

Half an hour next week?

{{ senderName }}
Globex Routing', '1', null, '2026-10-22 09:45:00+00', '2026-10-22 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0fce-71c2-858f-5c2c0ee6ea44', '019b0000-7189-7827-85fd-8667500fef9c', '1', null, 'Hello {{ firstName }},

{one thing I left out|I forgot to say}: the loggers need no app and no network. The reader at the other end is all.

{{ senderName }}
Acme Cold Chain', '1', null, '2026-11-20 09:45:00+00', '2026-11-20 09:45:00+00');
insert into campaign_steps ("account_id", "id", "campaign_id", "position", "channel", "delay_amount", "delay_unit", "thread", "accept_within_days", "assistant_id", "call_data", "on_answered", "retries", "retry_after_amount", "retry_after_unit", "winner", "winner_tests", "removed_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-b7f4-7726-8680-2d9eebdd2678', '019b0000-cb80-7e9d-8477-feccbd21fc5a', '1', 'email', '0', 'minutes', 'new', null, null, null, null, null, null, null, null, '0', null, '2026-11-15 09:45:00+00', '2026-11-15 09:45:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-d46e-7387-859a-9fb68e5d3ed0', '019b0000-d90e-7f55-879b-9fd20000d5c6', '1', 'email', '0', 'minutes', 'new', null, null, null, null, null, null, null, null, '0', null, '2026-10-22 09:45:00+00', '2026-10-22 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-04fb-702c-82d1-12bc7e029478', '019b0000-4b08-7331-8f2e-607cba6293bf', '2', 'email', '4', 'days', 'same', null, null, null, null, null, null, null, null, '0', null, '2026-11-02 09:45:00+00', '2026-11-02 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-25f6-7bc6-87e4-346f4292d157', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '2', 'linkedin_message', '1', 'days', 'new', '30', null, null, null, null, null, null, null, '0', null, '2026-11-09 09:45:00+00', '2026-11-09 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6487-7d7e-8e3e-6919d1097bd4', '019b0000-210f-765d-838a-cb3c839c82c6', '2', 'call', '2', 'days', 'new', null, '019b0000-a7d3-726e-87e5-bfcdc79ce48c', null, 'stop', '1', '1', 'days', null, '0', null, '2026-11-12 09:45:00+00', '2026-11-12 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7189-7827-85fd-8667500fef9c', '019b0000-24bb-7864-8a3e-b34b6647391d', '2', 'email', '3', 'minutes', 'same', null, null, null, null, null, null, null, null, '0', null, '2026-11-20 09:45:00+00', '2026-11-20 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7c5c-7687-8723-ff991376a765', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '1', 'linkedin_connect', '0', 'minutes', 'new', null, null, null, null, null, null, null, null, '0', null, '2026-11-09 09:45:00+00', '2026-11-09 09:45:00+00');
insert into campaigns ("account_id", "id", "name", "description", "status", "is_archived", "is_evergreen", "skip_active_elsewhere", "stop_company_on_reply", "auto_winner", "winners_checked_at", "health", "schedule", "new_prospects_per_day", "begun_on", "begun_count", "begins_from", "launched_at", "completed_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-cb80-7e9d-8477-feccbd21fc5a', 'Spring tour', 'Not before March.', 'draft', 'false', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, null, null, '2026-11-15 09:45:00+00', '2026-11-15 09:45:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-d90e-7f55-879b-9fd20000d5c6', 'Shorter rounds', 'Route planning for fleets of ten to fifty lorries.', 'paused', 'false', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-10-25 07:20:00+00', null, '2026-10-22 09:45:00+00', '2026-10-25 10:42:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0a50-7519-82bf-a55566ecf4ec', 'Seafood exporters', 'Paused until winter prices are set.', 'paused', 'false', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-11-09 07:20:00+00', null, '2026-11-07 09:45:00+00', '2026-11-09 10:08:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-210f-765d-838a-cb3c839c82c6', 'Email first, then a call', 'An AI assistant calls two days after the email.', 'active', 'false', 'true', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-11-13 07:20:00+00', null, '2026-11-12 09:45:00+00', '2026-11-13 07:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-24bb-7864-8a3e-b34b6647391d', 'Two-week logger trial', 'Sends an email every few seconds while you watch; recipients reply.', 'active', 'false', 'true', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-11-21 09:00:00+00', null, '2026-11-20 09:45:00+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3174-790e-8878-818a5f9bb27e', 'Nachlese Kühlkettentag Hamburg', 'Gespräche vom Stand weiterführen.', 'completed', 'true', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-08-31 07:20:00+00', null, '2026-08-30 09:45:00+00', '2026-09-04 06:58:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4212-738b-825f-d655f7994b4a', 'Dairies, winter round', 'Planned for January.', 'draft', 'false', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, null, null, '2026-11-17 09:45:00+00', '2026-11-17 09:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4b08-7331-8f2e-607cba6293bf', 'Pharma and vaccine carriers', 'Quality and supply chain managers who sign off shipments.', 'active', 'false', 'true', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-11-05 07:20:00+00', null, '2026-11-02 09:45:00+00', '2026-11-05 07:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', 'LinkedIn outreach, eastern markets', 'A connection request, then a message.', 'active', 'false', 'true', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-11-10 07:20:00+00', null, '2026-11-09 09:45:00+00', '2026-11-10 07:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-bf13-7e68-8059-0bc493eb3795', 'Brewers and winemakers', 'Spring stock and heat damage in transit.', 'completed', 'false', 'false', 'false', 'false', null, null, null, null, null, null, '0', null, '2026-10-08 07:20:00+00', null, '2026-10-05 09:45:00+00', '2026-10-17 09:04:00+00');
insert into companies ("account_id", "id", "name", "domain", "website", "industries", "logo_url", "city", "state", "country", "custom", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-3061-772c-82df-d5c3394812e9', 'Halden & Pryce Hospital Supplies', 'halden-pryce.example', 'https://www.halden-pryce.example/', '{"Medical supplies"}', null, 'Leeds', 'England', 'United Kingdom', '{}', '2026-08-25 08:01:00+00', '2026-08-25 08:01:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-7bea-754a-8dde-7c9225207969', 'Kühlwerk Hansa Spedition', 'kuehlwerk-hansa.example', 'https://www.kuehlwerk-hansa.example/', '{"Refrigerated transport"}', null, 'Hamburg', null, 'Germany', '{}', '2026-08-25 08:00:00+00', '2026-08-25 08:00:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-a523-73b5-83c4-5371be1a80fe', 'Chłodnia Wrzosowa', 'chlodnia-wrzosowa.example', 'https://www.chlodnia-wrzosowa.example/', '{"Cold storage"}', null, 'Gdańsk', null, 'Poland', '{}', '2026-08-25 08:02:00+00', '2026-08-25 08:02:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-d9a0-7da9-845c-f283cd8e9275', 'Prairie Lark Dairy Cooperative', 'prairielark.example', 'https://www.prairielark.example/', '{Dairy}', null, 'Madison', 'Wisconsin', 'United States', '{}', '2026-08-25 08:03:00+00', '2026-08-25 08:03:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-031c-7715-869b-f9c64466cb94', 'Érablière du Lac-Vert', 'lac-vert.example', 'https://www.lac-vert.example/', '{"Food production"}', null, 'Sherbrooke', 'Quebec', 'Canada', '{}', '2026-08-25 08:24:00+00', '2026-08-25 08:24:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0f4f-735f-8004-59e983f1f068', '한강바이오물류', 'hangang-bio.example', 'https://www.hangang-bio.example/', '{"Vaccine logistics"}', null, 'Seoul', null, 'South Korea', '{}', '2026-08-25 08:31:00+00', '2026-08-25 08:31:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2127-7df1-868c-07fa486e29e0', 'Halden & Pryce Hospital Supplies', 'halden-pryce.example', 'https://www.halden-pryce.example/', '{"Medical supplies"}', null, 'Leeds', 'England', 'United Kingdom', '{}', '2026-08-25 08:07:00+00', '2026-08-25 08:07:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-233c-7e5a-8da7-8b7564c649af', 'Nordvik Sjømat', 'nordvik-sjomat.example', 'https://www.nordvik-sjomat.example/', '{Seafood}', null, 'Ålesund', 'Møre og Romsdal', 'Norway', '{}', '2026-08-25 08:02:00+00', '2026-08-25 08:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2f40-79f7-8865-84f5c669ea0d', 'Clonrath Creamery', 'clonrath.example', 'https://www.clonrath.example/', '{Dairy}', null, 'Cork', null, 'Ireland', '{}', '2026-08-25 08:08:00+00', '2026-08-25 08:08:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3414-7baf-8648-beb48b649f01', 'Laboratorios Jacaranda', 'lab-jacaranda.example', 'https://www.lab-jacaranda.example/', '{Pharmaceuticals}', null, 'Guadalajara', 'Jalisco', 'Mexico', '{}', '2026-08-25 08:27:00+00', '2026-08-25 08:27:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-41b2-7b9d-8f8c-6b661a20700d', 'ТОВ «Крижаний Шлях»', 'kryzhanyi-shliakh.example', 'https://www.kryzhanyi-shliakh.example/', '{"Refrigerated transport"}', null, 'Lviv', null, 'Ukraine', '{}', '2026-08-25 08:15:00+00', '2026-08-25 08:15:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-58d1-733a-8747-37c88b796535', 'Brasserie Val-Doré', 'brasserie-valdore.example', 'https://www.brasserie-valdore.example/', '{Brewing}', null, 'Liège', null, 'Belgium', '{}', '2026-08-25 08:05:00+00', '2026-08-25 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6982-7d31-8b4d-88289bd2485b', 'Molkerei Hallerbach', 'molkerei-hallerbach.example', 'https://www.molkerei-hallerbach.example/', '{Dairy}', null, 'Kempten', 'Bavaria', 'Germany', '{}', '2026-08-25 08:00:00+00', '2026-08-25 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6d12-7a83-888f-4f5fd9e42f63', 'Chłodnia Wrzosowa', 'chlodnia-wrzosowa.example', 'https://www.chlodnia-wrzosowa.example/', '{"Cold storage"}', null, 'Gdańsk', null, 'Poland', '{}', '2026-08-25 08:12:00+00', '2026-08-25 08:12:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6eb3-78fd-8ebf-24b052c135a5', 'نسيم للتبريد والنقل', 'naseem-cooling.example', 'https://www.naseem-cooling.example/', '{"Refrigerated transport"}', null, 'Amman', null, 'Jordan', '{}', '2026-08-25 08:35:00+00', '2026-08-25 08:35:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7673-7454-8300-c29007572695', 'მთის წყარო', 'mtis-tskaro.example', 'https://www.mtis-tskaro.example/', '{Dairy}', null, 'Tbilisi', null, 'Georgia', '{}', '2026-08-25 08:37:00+00', '2026-08-25 08:37:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7ea1-74f1-87f6-122c510b39e4', 'Bayou Verte Seafood', 'bayouverte.example', 'https://www.bayouverte.example/', '{Seafood}', null, 'New Orleans', 'Louisiana', 'United States', '{}', '2026-08-25 08:22:00+00', '2026-08-25 08:22:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8378-7758-8a89-85a733226e2a', 'Adega da Ribeira Clara', 'ribeiraclara.example', 'https://www.ribeiraclara.example/', '{Wine}', null, 'Peso da Régua', null, 'Portugal', '{}', '2026-08-25 08:10:00+00', '2026-08-25 08:10:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8cf3-75a5-88e9-a9543e1efc0a', 'Cascadia Blood & Tissue Network', 'cascadia-blood.example', 'https://www.cascadia-blood.example/', '{"Blood services"}', null, 'Portland', 'Oregon', 'United States', '{}', '2026-08-25 08:23:00+00', '2026-08-25 08:23:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8f8d-71fc-87b4-fead1055ca0b', 'Laboratoires Aubrévie', 'aubrevie.example', 'https://www.aubrevie.example/', '{Pharmaceuticals}', null, 'Lyon', null, 'France', '{}', '2026-08-25 08:04:00+00', '2026-08-25 08:04:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-a0e7-7879-87a8-18dc233373fe', 'CoolHub Ìlú', 'coolhub-ilu.example', 'https://www.coolhub-ilu.example/', '{"Cold storage"}', null, 'Lagos', null, 'Nigeria', '{}', '2026-08-25 08:42:00+00', '2026-08-25 08:42:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b778-7b88-8237-5980b65be149', 'शीतल डेयरी', 'sheetal-dairy.example', 'https://www.sheetal-dairy.example/', '{Dairy}', null, 'Pune', 'Maharashtra', 'India', '{}', '2026-08-25 08:33:00+00', '2026-08-25 08:33:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-c289-79ef-8193-264d13545dac', 'Three Rivers Vaccine Logistics', 'threerivers-vaccine.example', 'https://www.threerivers-vaccine.example/', '{"Vaccine logistics"}', null, 'Pittsburgh', 'Pennsylvania', 'United States', '{}', '2026-08-25 08:20:00+00', '2026-08-25 08:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-ce9f-7f17-8a10-20b88b5e2817', 'Lindhagens Mejeri', 'lindhagens-mejeri.example', 'https://www.lindhagens-mejeri.example/', '{Dairy}', null, 'Göteborg', null, 'Sweden', '{}', '2026-08-25 08:06:00+00', '2026-08-25 08:06:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d237-704e-8f27-bdf5df6f7a1e', 'காவேரி குளிர் போக்குவரத்து', 'kaveri-cold.example', 'https://www.kaveri-cold.example/', '{"Vaccine logistics"}', null, 'Chennai', 'Tamil Nadu', 'India', '{}', '2026-08-25 08:34:00+00', '2026-08-25 08:34:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e8e1-7e22-816b-35de1768b7fc', '雪見乳業', 'yukimi-nyugyo.example', 'https://www.yukimi-nyugyo.example/', '{Dairy}', null, 'Sapporo', 'Hokkaido', 'Japan', '{}', '2026-08-25 08:30:00+00', '2026-08-25 08:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-ed10-796a-8354-766bbfe580a9', '北湾冷链物流', 'beiwan-lenglian.example', 'https://www.beiwan-lenglian.example/', '{"Refrigerated transport"}', null, 'Qingdao', 'Shandong', 'China', '{}', '2026-08-25 08:29:00+00', '2026-08-25 08:29:00+00');
insert into consents ("account_id", "id", "phone", "name", "kind", "covers", "proof", "source", "given_at", "recorded_by_id", "withdrawn_at", "withdrawn_by_id", "withdrawal_reason", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0731-7484-8835-9432a2d655bf', '+16085550126', 'Mai Vang', 'written', 'ai_voice_marketing', 'Ticked on the form: “Acme Cold Chain may call me about its loggers, also with an AI voice.”', 'Form on the website', '2026-08-25 08:00:00+00', null, null, null, null, '2026-08-25 08:20:00+00', '2026-08-25 08:20:00+00');
insert into conversation_tags ("account_id", "tag_id", "id", "rep_id", "last_message_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-2b48-7566-8bd9-a9f27f958c03', '019b0000-fb5d-762d-812f-e7c9b246a6f6', '019b0000-c49f-7927-83d2-4ce6f0511374', '2026-10-29 14:55:00+00');
insert into conversations ("account_id", "id", "channel", "person_id", "prospect_id", "campaign_id", "rep_id", "last_message_id", "last_message_at", "last_written_id", "last_received_id", "intent", "turn", "has_drafts", "has_unconfirmed", "needs_approval", "is_unread", "done_at", "snoozed_until", "decided_at", "assignee_id", "refreshed_in", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-cebc-7b00-8068-55ca1f759994', 'linkedin', '019b0000-20b3-71a0-8d42-d074f46e8795', '019b0000-6a3e-7e77-8299-cab9e1b77fd1', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-0842-734d-8691-c669e4e98236', '2026-11-02 08:12:00+00', '019b0000-0842-734d-8691-c669e4e98236', '019b0000-0842-734d-8691-c669e4e98236', null, 'ours', 'false', 'false', 'false', 'true', null, null, null, null, '779', '2026-11-27 07:46:29.886+00', '2026-11-27 07:46:29.886+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-fb5d-762d-812f-e7c9b246a6f6', 'email', '019b0000-e4c0-7ecf-8b8e-65440b7eacfd', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-e271-708e-8547-1e22537175e7', '2026-10-29 14:55:00+00', '019b0000-e271-708e-8547-1e22537175e7', '019b0000-e271-708e-8547-1e22537175e7', null, 'ours', 'false', 'false', 'false', 'true', null, null, null, null, '779', '2026-11-27 07:46:29.886+00', '2026-11-27 07:46:29.886+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-118b-7939-87d6-a2279be04a80', 'email', '019b0000-9982-7077-87eb-9d5fbd239c82', '019b0000-0617-7ca9-8e5f-c56b7d4069e4', '019b0000-0a50-7519-82bf-a55566ecf4ec', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-9292-75a1-8501-5d37fe6790c7', '2026-11-17 07:20:00+00', '019b0000-9292-75a1-8501-5d37fe6790c7', '019b0000-9292-75a1-8501-5d37fe6790c7', 'question', 'ours', 'false', 'false', 'false', 'true', null, null, null, null, '777', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-23a3-7f13-8da3-6f535da6b3d3', 'email', '019b0000-2f72-7b05-8232-e284bab5745b', '019b0000-b327-734b-880f-bfb7430b4ccf', '019b0000-bf13-7e68-8059-0bc493eb3795', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-2cfb-7d74-8b00-86ca5a5b5cb3', '2026-10-11 08:49:00+00', '019b0000-2cfb-7d74-8b00-86ca5a5b5cb3', '019b0000-7e59-78ef-85ab-3c452f338c19', 'question', 'theirs', 'false', 'false', 'false', 'false', null, null, null, null, '777', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6418-7cb1-8a93-ec140693e55c', 'email', '019b0000-379d-72c0-87da-b62740f8bbae', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-6ea1-7018-8431-0c1a558eb347', '2026-11-06 13:11:00+00', '019b0000-cf17-7c21-8374-69bbcfba1e9d', '019b0000-6ea1-7018-8431-0c1a558eb347', 'auto', 'nobody', 'false', 'false', 'false', 'true', null, null, null, null, '777', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00');
insert into custom_fields ("account_id", "id", "key", "label", "applies_to", "type", "choices", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000030', 'plan', 'Current plan', 'person', 'choice', '{Free,Team}', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into dkim_keys ("account_id", "id", "domain_id", "selector", "public_key", "private_key", "status", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000006', '019b1000-0000-7000-8000-000000000005', 'overture1', 'public', '\x7365616c6564', 'signing', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into domains ("account_id", "id", "domain", "checks", "checked_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000005', 'acme.example', '[{"name": "spf", "status": "ok"}]', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into email_message_aliases ("account_id", "message_id", "email_message_id", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '<replaced@mail.acme.example>', '019b0000-0065-7127-89df-05facdb6c2ed', '2026-11-27 07:46:30.66+00');
insert into email_message_tags ("account_id", "tag_id", "id", "thread_id", "campaign_id", "prospect_id", "rep_id", "kind", "sent_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-2b48-7566-8bd9-a9f27f958c03', '019b0000-0753-72d9-89b4-57d373144aaf', '019b0000-fb5d-762d-812f-e7c9b246a6f6', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-c49f-7927-83d2-4ce6f0511374', 'campaign sent', '2026-10-25 10:20:00+00');
insert into email_messages ("account_id", "id", "thread_id", "campaign_id", "prospect_id", "rep_id", "mailbox_id", "step_id", "variant_id", "type", "status", "delivery_status", "delivery_reason", "received_kind", "subject", "body", "body_format", "new_text", "html", "attachments", "sender", "recipients", "reply_to", "message_id", "in_reply_to", "reference_ids", "sent_at", "is_last", "tags", "thread_seen_at", "approval_request", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-0031-787e-8830-2ca016eb8b4a', '019b0000-d558-7946-8b4e-e6123467e4b8', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c5ab-7ed3-8fed-cdb8b5197639', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', '019b0000-d46e-7387-859a-9fb68e5d3ed0', '019b0000-a9e5-7660-8efe-e6c1833ac538', 'campaign', 'sent', null, null, null, 'Eleven kilometres a round', 'Hello Gareth,

Fleets the size of the one at Halden & Pryce Hospital Supplies save eleven kilometres a round with us, measured over a year.

Half an hour next week?

Viktor Saarinen
Globex Routing

Reply "stop" to opt out of our emails.
https://overture.example/u/demo

Globex Routing, Satamakuja 4, Helsinki, Finland', 'text', null, null, null, '{"name": "Viktor Saarinen", "email": "viktor@globex.example"}', '{"to": [{"name": "Gareth Thistlewood", "email": "gareth.thistlewood@halden-pryce.example"}]}', null, '<c61b56429892ba63ec53b2e13e88f8e5@globex.example>', null, '{}', '2026-10-25 08:55:00+00', 'true', '{}', null, null, '2026-10-25 08:55:00+00', '2026-10-25 08:55:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-0753-72d9-89b4-57d373144aaf', '019b0000-fb5d-762d-812f-e7c9b246a6f6', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', '019b0000-d46e-7387-859a-9fb68e5d3ed0', '019b0000-a9e5-7660-8efe-e6c1833ac538', 'campaign', 'sent', null, null, null, 'Eleven kilometres a round', 'Hello DeShawn,

Fleets the size of the one at Prairie Lark Dairy Cooperative save eleven kilometres a round with us, measured over a year.

Half an hour next week?

Viktor Saarinen
Globex Routing

Reply "stop" to opt out of our emails.
https://overture.example/u/demo

Globex Routing, Satamakuja 4, Helsinki, Finland', 'text', null, null, null, '{"name": "Viktor Saarinen", "email": "viktor@globex.example"}', '{"to": [{"name": "DeShawn Rutledge", "email": "deshawn.rutledge@prairielark.example"}]}', null, '<d4117ccbcba4c53e6b1f1cce1f35e5c9@globex.example>', null, '{}', '2026-10-25 10:20:00+00', 'false', '{"Demo booked"}', null, null, '2026-10-25 10:20:00+00', '2026-10-25 10:20:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-21bf-7aad-839d-5655b2789cee', '019b0000-fb5d-762d-812f-e7c9b246a6f6', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', null, null, 'manual', 'sent', null, null, null, 'Re: Eleven kilometres a round', 'We are from Finland, DeShawn: gravel in February is our home ground. Tuesday at nine, your time?', 'text', null, null, null, '{"name": "Viktor Saarinen", "email": "viktor@globex.example"}', '{"to": [{"name": "DeShawn Rutledge", "email": "deshawn.rutledge@prairielark.example"}]}', null, '<019b0000-21bf-7aad-839d-5655b2789cee@globex.example>', '<019b0000-7708-7939-8795-01c75a4c7549@prairielark.example>', '{<d4117ccbcba4c53e6b1f1cce1f35e5c9@globex.example>,<019b0000-7708-7939-8795-01c75a4c7549@prairielark.example>}', '2026-10-29 07:31:00+00', 'false', '{"Demo booked"}', null, null, '2026-10-29 07:31:00+00', '2026-10-29 07:31:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-7708-7939-8795-01c75a4c7549', '019b0000-fb5d-762d-812f-e7c9b246a6f6', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', null, null, 'received', 'sent', null, null, 'reply', 'Re: Eleven kilometres a round', 'Eleven kilometers is six point eight miles. If you can do it on gravel in February I am listening.', 'text', 'Eleven kilometers is six point eight miles. If you can do it on gravel in February I am listening.', null, '[]', '{"name": "DeShawn Rutledge", "email": "deshawn.rutledge@prairielark.example"}', '{"to": [{"name": "Viktor Saarinen", "email": "viktor@globex.example"}]}', null, '<019b0000-7708-7939-8795-01c75a4c7549@prairielark.example>', '<d4117ccbcba4c53e6b1f1cce1f35e5c9@globex.example>', '{<d4117ccbcba4c53e6b1f1cce1f35e5c9@globex.example>}', '2026-10-28 16:09:00+00', 'false', '{"Demo booked"}', null, null, '2026-10-28 16:09:00+00', '2026-10-28 16:09:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0065-7127-89df-05facdb6c2ed', '019b0000-30d7-7361-8a38-1d556b62a76b', '019b0000-3174-790e-8878-818a5f9bb27e', '019b0000-2529-7f3c-8213-f5de2b6bb6f4', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', '019b0000-adfa-7814-83ad-3921a34731db', '019b0000-462a-74d7-8f92-a30c731d7e06', 'campaign', 'sent', null, null, null, 'Unser Gespräch auf dem Kühlkettentag', 'Guten Tag Sebastian Kögel,

danke für Ihren Besuch an unserem Stand. Wie versprochen fasse ich zusammen, was ein Logger in jeder zehnten Sendung bei Molkerei Hallerbach zeigen würde: welche Strecke, welcher Tag, wie viele Minuten außerhalb des Bereichs.

Passt Ihnen ein Telefonat in der kommenden Woche?

Mia Lindqvist
Acme Cold Chain

Not interested? Reply "stop" and we will not email you again.
https://overture.example/u/demo

Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'text', null, null, null, '{"name": "Mia Lindqvist", "email": "mia@acme.example"}', '{"to": [{"name": "Sebastian Kögel", "email": "sebastian.koegel@molkerei-hallerbach.example"}]}', null, '<6604a075ec0f8b0cadf48d743cdfd800@acme.example>', null, '{}', '2026-08-31 08:04:00+00', 'true', '{}', null, null, '2026-08-31 08:04:00+00', '2026-08-31 08:04:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-08b0-7968-8cfd-acf1976f9a0e', '019b0000-70fc-7290-86e6-9a570032f5fe', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-d618-7751-8c29-5af58c3d7d39', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', null, null, 'received', 'sent', null, null, 'unsubscribe', 'Re: Who signs off a warm parcel at Cascadia Blood & Tissue Network?', 'Please take me off your list. We build our own loggers.

Naomi Tanaka-Reyes', 'text', 'Please take me off your list. We build our own loggers.

Naomi Tanaka-Reyes', null, '[]', '{"name": "Naomi Tanaka-Reyes", "email": "naomi.tanaka-reyes@cascadia-blood.example"}', '{"to": [{"name": "Amara Eze", "email": "amara@acme.example"}]}', null, '<019b0000-08b0-7968-8cfd-acf1976f9a0e@cascadia-blood.example>', '<4171a3a0d53c56d87e8f38b40ea03ff2@acme.example>', '{<4171a3a0d53c56d87e8f38b40ea03ff2@acme.example>}', '2026-11-09 17:26:00+00', 'true', '{}', null, null, '2026-11-09 17:26:00+00', '2026-11-09 17:26:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0d4c-7f53-892b-6e8ef15f7f24', '019b0000-f050-7435-8aa9-3ca56d1a61ae', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-ef96-790f-8548-c19b8630fbf0', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', null, null, 'reply_agent', 'draft', null, null, null, 'Re: Who signs off a warm parcel at Halden & Pryce Hospital Supplies?', 'Hello Gareth,

Here is the certificate of device 0417-2285 with the report it belongs to. The three points are on the second page.

Tomás', 'text', null, null, null, '{"name": "Tomás Arrieta", "email": "tomas@acme.example"}', '{"to": [{"name": "Gareth Thistlewood", "email": "gareth.thistlewood@halden-pryce.example"}]}', null, '<019b0000-0d4c-7f53-892b-6e8ef15f7f24@acme.example>', '<019b0000-7d3a-7a5a-8c08-dec8de4d993f@halden-pryce.example>', '{<0c243959e4f941e31d8fc1eea88a425b@acme.example>,<35e170b14aa3e7c6c97fb23956e5bb73@acme.example>,<019b0000-56cd-71ad-8162-d5f7184801d8@halden-pryce.example>,<019b0000-d24e-7434-80ae-a373d741cc10@acme.example>,<019b0000-7d3a-7a5a-8c08-dec8de4d993f@halden-pryce.example>}', '2026-11-20 06:30:00+00', 'true', '{Technical}', '2026-11-20 06:30:00+00', null, '2026-11-20 06:30:00+00', '2026-11-20 06:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1010-7f1a-8f60-aecd68505097', '019b0000-4b32-7f48-87c2-d12d0880d7e1', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-a59b-7ec0-8f84-bf9cb3533b61', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', null, null, 'received', 'sent', null, null, 'reply', 'Re: Who signs off a warm parcel at 한강바이오물류?', '네, 부탁드립니다. 백신 운송 기준 2–8 °C 견본이면 좋겠습니다.', 'text', '네, 부탁드립니다. 백신 운송 기준 2–8 °C 견본이면 좋겠습니다.', null, '[]', '{"name": "하은 김", "email": "haeun.kim@hangang-bio.example"}', '{"to": [{"name": "Amara Eze", "email": "amara@acme.example"}]}', null, '<019b0000-1010-7f1a-8f60-aecd68505097@hangang-bio.example>', '<019b0000-33d1-710a-8505-27ed32cb11fd@acme.example>', '{<94bbba4bf97c3b062ab27e78bf8eb7a0@acme.example>,<d11ed0eae7a6275fcc26de321a646ecf@acme.example>,<019b0000-64b5-7285-84f2-111b229fa4f0@hangang-bio.example>,<019b0000-33d1-710a-8505-27ed32cb11fd@acme.example>}', '2026-11-15 00:40:00+00', 'true', '{Interested}', null, null, '2026-11-15 00:40:00+00', '2026-11-15 00:40:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-12ff-7b0a-871a-d833ced5dce4', '019b0000-a43d-7f46-880c-8a04f311726c', '019b0000-bf13-7e68-8059-0bc493eb3795', '019b0000-78db-7b9d-8b15-2e7f888a0568', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', null, null, 'received', 'sent', null, null, 'reply', 'Re: What Adega da Ribeira Clara tastes like after a hot lorry', 'Convencido. Ficamos com vinte. Para onde mando a encomenda?', 'text', 'Convencido. Ficamos com vinte. Para onde mando a encomenda?', null, '[]', '{"name": "João Vasconcelos Leão", "email": "joao.vasconcelos@ribeiraclara.example"}', '{"to": [{"name": "Tomás Arrieta", "email": "tomas@acme.example"}]}', null, '<019b0000-12ff-7b0a-871a-d833ced5dce4@ribeiraclara.example>', '<019b0000-dc8c-747f-8090-a66e21504722@acme.example>', '{<33cb4964d12015a8f90376668aed8b6a@acme.example>,<019b0000-98dd-74a0-87d3-3dad36bb2a3a@ribeiraclara.example>,<019b0000-dc8c-747f-8090-a66e21504722@acme.example>}', '2026-10-17 09:04:00+00', 'false', '{Customer}', null, null, '2026-10-17 09:04:00+00', '2026-10-17 09:04:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-54ac-7a1a-8223-5a8b4126872e', '019b0000-7413-7bd4-8ad6-6d74fa5b3f58', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-c5c8-77b4-890e-6b77c0759d0b', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', null, null, 'received', 'sent', null, null, 'reply', 'Re: Release, hold or destroy?', 'Not me, I only pay for it. Gareth Thistlewood runs the cold chain here; tell him I sent you.', 'text', 'Not me, I only pay for it. Gareth Thistlewood runs the cold chain here; tell him I sent you.', null, '[]', '{"name": "Oluwaseun Adeyemi-Clarke", "email": "oluwaseun.adeyemi-clarke@halden-pryce.example"}', '{"to": [{"name": "Mia Lindqvist", "email": "mia@acme.example"}]}', null, '<019b0000-54ac-7a1a-8223-5a8b4126872e@halden-pryce.example>', '<088219b6ea26a6ac0da7c9e3bb5b4b92@acme.example>', '{<c970cadcc5b37b30c0b47245394070d7@acme.example>,<088219b6ea26a6ac0da7c9e3bb5b4b92@acme.example>}', '2026-11-10 11:02:00+00', 'false', '{Referred}', null, null, '2026-11-10 11:02:00+00', '2026-11-10 11:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-58b4-73ea-8333-935e34d3f5bd', '019b0000-70fc-7290-86e6-9a570032f5fe', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-d618-7751-8c29-5af58c3d7d39', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', null, null, 'manual', 'draft', 'suppressed', 'naomi.tanaka-reyes@cascadia-blood.example is on the Do Not Contact list', null, 'Re: Who signs off a warm parcel at Cascadia Blood & Tissue Network?', 'Done, Naomi, and sorry for the noise. Good luck with your own.', 'text', null, null, null, '{"name": "Amara Eze", "email": "amara@acme.example"}', '{"to": [{"name": "Naomi Tanaka-Reyes", "email": "naomi.tanaka-reyes@cascadia-blood.example"}]}', null, '<019b0000-58b4-73ea-8333-935e34d3f5bd@acme.example>', '<019b0000-08b0-7968-8cfd-acf1976f9a0e@cascadia-blood.example>', '{<4171a3a0d53c56d87e8f38b40ea03ff2@acme.example>,<019b0000-08b0-7968-8cfd-acf1976f9a0e@cascadia-blood.example>}', '2026-11-09 18:02:00+00', 'true', '{}', '2026-11-09 18:02:00+00', null, '2026-11-09 18:02:00+00', '2026-11-09 18:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6795-7c90-8022-0c34e21f0b46', '019b0000-af2a-7e6f-88a3-224cd3ca67aa', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-1466-7547-88f2-f5aee3342de7', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', null, null, 'manual', null, 'failed', '552 5.3.4 Message size exceeds fixed limit', null, 'Re: Who signs off a warm parcel at ТОВ «Крижаний Шлях»?', 'Пані Оксано, ось обіцяний приклад звіту (додаток на 31 МБ).', 'text', null, null, null, '{"name": "Amara Eze", "email": "amara@acme.example"}', '{"to": [{"name": "Оксана Гнатюк", "email": "oksana.hnatiuk@kryzhanyi-shliakh.example"}]}', null, '<019b0000-6795-7c90-8022-0c34e21f0b46@acme.example>', '<019b0000-982d-7d70-8804-b740d447ebb7@acme.example>', '{<3fc6d839c21f9d50246b1a06ee1171e0@acme.example>,<3efc9be6473bbcd87f3ce1d12aca3d02@acme.example>,<019b0000-68ff-712e-8d23-0937df68aed4@kryzhanyi-shliakh.example>,<019b0000-982d-7d70-8804-b740d447ebb7@acme.example>}', '2026-11-13 08:00:00+00', 'false', '{Technical}', null, null, '2026-11-13 08:00:00+00', '2026-11-13 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6ea1-7018-8431-0c1a558eb347', '019b0000-6418-7cb1-8a93-ec140693e55c', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', null, null, 'received', 'sent', null, null, 'auto_reply', 'Re: Who signs off a warm parcel at Three Rivers Vaccine Logistics?', 'I am on leave for three weeks and read no mail. For anything about a shipment under way, call dispatch.

This is an automatic answer.', 'text', 'I am on leave for three weeks and read no mail. For anything about a shipment under way, call dispatch.

This is an automatic answer.', null, '[]', '{"name": "Marcus Whitfield", "email": "marcus.whitfield@threerivers-vaccine.example"}', '{"to": [{"name": "Mia Lindqvist", "email": "mia@acme.example"}]}', null, '<019b0000-6ea1-7018-8431-0c1a558eb347@threerivers-vaccine.example>', '<5552c6cb81ed34b424459f1322628c11@acme.example>', '{<5552c6cb81ed34b424459f1322628c11@acme.example>}', '2026-11-06 13:11:00+00', 'true', '{}', null, null, '2026-11-06 13:11:00+00', '2026-11-06 13:11:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7d3a-7a5a-8c08-dec8de4d993f', '019b0000-f050-7435-8aa9-3ca56d1a61ae', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-ef96-790f-8548-c19b8630fbf0', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', null, null, 'received', 'sent', null, null, 'reply', 'Re: Who signs off a warm parcel at Halden & Pryce Hospital Supplies?', 'Yes, send one. Any device will do.', 'text', 'Yes, send one. Any device will do.', null, '[]', '{"name": "Gareth Thistlewood", "email": "gareth.thistlewood@halden-pryce.example"}', '{"to": [{"name": "Tomás Arrieta", "email": "tomas@acme.example"}]}', null, '<019b0000-7d3a-7a5a-8c08-dec8de4d993f@halden-pryce.example>', '<019b0000-d24e-7434-80ae-a373d741cc10@acme.example>', '{<0c243959e4f941e31d8fc1eea88a425b@acme.example>,<35e170b14aa3e7c6c97fb23956e5bb73@acme.example>,<019b0000-56cd-71ad-8162-d5f7184801d8@halden-pryce.example>,<019b0000-d24e-7434-80ae-a373d741cc10@acme.example>}', '2026-11-11 09:15:00+00', 'true', '{Technical}', null, null, '2026-11-11 09:15:00+00', '2026-11-11 09:15:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9b36-73b1-8512-e8a82294b779', '019b0000-6130-7d01-8d10-2fb85e22731f', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-0c13-77ac-84e1-aebf59bdc297', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '019b0000-a4a7-71a1-8f92-d7aa9ddacba9', '019b0000-a28a-788e-8f39-b97b6c496cc4', 'campaign', null, 'failed', '550 5.1.1 No such user here', null, 'Release, hold or destroy?', 'Hello Priscilla,

11 °C instead of 8, a phone photo of a dial, and an hour to decide: that is how most warm parcels are judged.

Our 18 g logger gives whoever decides at Three Rivers Vaccine Logistics a signed report with the minutes already added up. Is that you?

Tomás Arrieta
Acme Cold Chain

Not interested? Reply "stop" and we will not email you again.
https://overture.example/u/demo

Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'text', null, null, null, '{"name": "Tomás Arrieta", "email": "tomas@acme.example"}', '{"to": [{"name": "Priscilla Ng", "email": "priscilla.ng@threerivers-vaccine.example"}]}', null, '<7d39f404d3e47b49fbf6d18f15ef5ee3@acme.example>', null, '{}', '2026-11-06 07:47:00+00', 'false', '{}', null, null, '2026-11-06 07:47:00+00', '2026-11-06 07:47:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b107-7f61-8991-dc4e4862e0ed', '019b0000-56d0-7a48-81db-ac7a0d89b9b4', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-662f-7370-89d8-c21a4825b1e6', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', null, null, 'manual', null, 'unconfirmed', 'the mail server did not answer after the message was handed over', null, 'Re: Release, hold or destroy?', 'مرحباً ليلى،

نعم، يعمل الجهاز حتى ٧٠ درجة مئوية. يسعدني أن أرسل لك جهازين لتجربتهما على الحدود.

مع التحية', 'text', null, null, null, '{"name": "Tomás Arrieta", "email": "tomas@acme.example"}', '{"to": [{"name": "ليلى الخطيب", "email": "layla.alkhatib@naseem-cooling.example"}]}', null, '<019b0000-b107-7f61-8991-dc4e4862e0ed@acme.example>', '<019b0000-db2f-77ac-84ef-67cdd36dd54d@naseem-cooling.example>', '{<63c6451c659ff150347b1fed0bcd0874@acme.example>,<dcd31f3b30ea11082d8b7ae350200bc0@acme.example>,<019b0000-db2f-77ac-84ef-67cdd36dd54d@naseem-cooling.example>}', '2026-11-16 09:05:00+00', 'false', '{}', null, null, '2026-11-16 09:05:00+00', '2026-11-16 09:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-c574-72b8-8a4a-ad0476563bd7', '019b0000-66be-723a-88bc-d6a16719de9b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-419e-72b3-88e6-6aece6db37a2', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '019b0000-a4a7-71a1-8f92-d7aa9ddacba9', '019b0000-a28a-788e-8f39-b97b6c496cc4', 'campaign', 'sent', 'bounced', 'citlali.arriaga@lab-jacaranda.example could not be reached: hard (5.2.1)', null, 'Release, hold or destroy?', 'Hello Citlali,

11 °C instead of 8, a phone photo of a dial, and an hour to decide: that is how most warm parcels are judged.

Our 18 g logger gives whoever decides at Laboratorios Jacaranda a signed report with the minutes already added up. Is that you?

Tomás Arrieta
Acme Cold Chain

Not interested? Reply "stop" and we will not email you again.
https://overture.example/u/demo

Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'text', null, null, null, '{"name": "Tomás Arrieta", "email": "tomas@acme.example"}', '{"to": [{"name": "Citlali Arriaga", "email": "citlali.arriaga@lab-jacaranda.example"}]}', null, '<8b01c8bedcb4996c426b5cb0b39a9c8c@acme.example>', null, '{}', '2026-11-06 09:29:00+00', 'true', '{}', null, null, '2026-11-06 09:29:00+00', '2026-11-06 09:29:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-cf17-7c21-8374-69bbcfba1e9d', '019b0000-6418-7cb1-8a93-ec140693e55c', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', '019b0000-a4a7-71a1-8f92-d7aa9ddacba9', '019b0000-a57a-74c6-8b4e-e24b40444dd4', 'campaign', 'sent', null, null, null, 'Who signs off a warm parcel at Three Rivers Vaccine Logistics?', 'Hello Marcus,

When a parcel arrives at 11 °C instead of 8, somebody has to decide within the hour: release, hold or destroy. Most people I ask decide on a phone photo of a dial.

Our logger weighs 18 g, travels in the parcel and gives that person a signed report, with the minutes out of range already added up. Calibration is traceable, and the certificate is part of the report.

Is that decision yours at Three Rivers Vaccine Logistics, or whose is it?

Mia Lindqvist
Acme Cold Chain

Not interested? Reply "stop" and we will not email you again.
https://overture.example/u/demo

Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'text', null, null, null, '{"name": "Mia Lindqvist", "email": "mia@acme.example"}', '{"to": [{"name": "Marcus Whitfield", "email": "marcus.whitfield@threerivers-vaccine.example"}]}', null, '<5552c6cb81ed34b424459f1322628c11@acme.example>', null, '{}', '2026-11-06 07:30:00+00', 'false', '{}', null, null, '2026-11-06 07:30:00+00', '2026-11-06 07:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-dfcc-71e9-8cfa-b7292fdd235b', '019b0000-70fc-7290-86e6-9a570032f5fe', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-d618-7751-8c29-5af58c3d7d39', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', '019b0000-a4a7-71a1-8f92-d7aa9ddacba9', '019b0000-a57a-74c6-8b4e-e24b40444dd4', 'campaign', 'sent', null, null, null, 'Who signs off a warm parcel at Cascadia Blood & Tissue Network?', 'Hello Naomi,

When a parcel arrives at 11 °C instead of 8, somebody has to decide within the hour: release, hold or destroy. Most people I ask decide on a phone photo of a dial.

Our logger weighs 18 g, travels in the parcel and gives that person a signed report, with the minutes out of range already added up. Calibration is traceable, and the certificate is part of the report.

Is that decision yours at Cascadia Blood & Tissue Network, or whose is it?

Amara Eze
Acme Cold Chain

Not interested? Reply "stop" and we will not email you again.
https://overture.example/u/demo

Acme Cold Chain, 12 Quayside Row, London, United Kingdom', 'text', null, null, null, '{"name": "Amara Eze", "email": "amara@acme.example"}', '{"to": [{"name": "Naomi Tanaka-Reyes", "email": "naomi.tanaka-reyes@cascadia-blood.example"}]}', null, '<4171a3a0d53c56d87e8f38b40ea03ff2@acme.example>', null, '{}', '2026-11-06 08:04:00+00', 'false', '{}', null, null, '2026-11-06 08:04:00+00', '2026-11-06 08:04:00+00');
insert into email_sends ("account_id", "message_id", "mailbox_id", "campaign_id", "prospect_id", "step_id", "state", "recipient_emails", "is_repeat", "attempts", "due_at", "epoch", "dot_pending_at", "ended_at", "response", "queue_id", "hard_bounced_at", "complained_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-0031-787e-8830-2ca016eb8b4a', '019b0000-463c-708f-8fdc-070282747363', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c5ab-7ed3-8fed-cdb8b5197639', '019b0000-d46e-7387-859a-9fb68e5d3ed0', 'sent', '{gareth.thistlewood@halden-pryce.example}', 'false', '1', '2026-11-27 07:46:29.886+00', '0', null, '2026-10-25 08:55:00+00', '250 2.0.0 queued', null, null, null, '2026-10-25 08:55:00+00', '2026-10-25 08:55:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-21bf-7aad-839d-5655b2789cee', '019b0000-463c-708f-8fdc-070282747363', null, null, null, 'sent', '{deshawn.rutledge@prairielark.example}', 'false', '1', '2026-11-27 07:46:29.886+00', '0', null, '2026-10-29 07:31:00+00', '250 2.0.0 queued', null, null, null, '2026-10-29 07:31:00+00', '2026-10-29 07:31:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6795-7c90-8022-0c34e21f0b46', '019b0000-d021-7161-886a-60e969e5509f', null, null, null, 'failed', '{oksana.hnatiuk@kryzhanyi-shliakh.example}', 'false', '1', '2026-11-27 07:46:29.832+00', '0', null, '2026-11-13 08:00:00+00', '552 5.3.4 Message size exceeds fixed limit', null, null, null, '2026-11-13 08:00:00+00', '2026-11-13 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b107-7f61-8991-dc4e4862e0ed', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', null, null, null, 'unconfirmed', '{layla.alkhatib@naseem-cooling.example}', 'false', '1', '2026-11-27 07:46:29.832+00', '0', null, '2026-11-16 09:05:00+00', 'the mail server did not answer after the message was handed over', null, null, null, '2026-11-16 09:05:00+00', '2026-11-16 09:05:00+00');
insert into email_threads ("account_id", "id", "subject", "person_id", "prospect_id", "campaign_id", "rep_id", "mailbox_id", "tags", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-2edb-7550-8636-fa8d4fcbe2ec', 'Eleven kilometres a round', '019b0000-cd9e-745d-8668-fe5a5084645a', '019b0000-fbea-7203-8eb1-93059bc5e445', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', '{}', '2026-10-25 10:03:00+00', '2026-10-25 10:03:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-d558-7946-8b4e-e6123467e4b8', 'Eleven kilometres a round', '019b0000-c4ad-7a13-881c-df0dece9deac', '019b0000-c5ab-7ed3-8fed-cdb8b5197639', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', '{}', '2026-10-25 08:55:00+00', '2026-10-25 08:55:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-fb5d-762d-812f-e7c9b246a6f6', 'Eleven kilometres a round', '019b0000-e4c0-7ecf-8b8e-65440b7eacfd', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', '{"Demo booked"}', '2026-10-25 10:20:00+00', '2026-10-29 14:55:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-30d7-7361-8a38-1d556b62a76b', 'Unser Gespräch auf dem Kühlkettentag', '019b0000-5e9e-7493-8bac-0e2c00a6cfa6', '019b0000-2529-7f3c-8213-f5de2b6bb6f4', '019b0000-3174-790e-8878-818a5f9bb27e', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', '{}', '2026-08-31 08:04:00+00', '2026-08-31 08:04:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4b32-7f48-87c2-d12d0880d7e1', 'Who signs off a warm parcel at 한강바이오물류?', '019b0000-3088-7071-8796-0529cb52c0a9', '019b0000-a59b-7ec0-8f84-bf9cb3533b61', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', '{Interested}', '2026-11-06 09:46:00+00', '2026-11-15 00:40:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-56d0-7a48-81db-ac7a0d89b9b4', 'Release, hold or destroy?', '019b0000-a104-7c6b-8a95-85a2da4b81d1', '019b0000-662f-7370-89d8-c21a4825b1e6', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '{}', '2026-11-07 07:47:00+00', '2026-11-16 09:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6130-7d01-8d10-2fb85e22731f', 'Release, hold or destroy?', '019b0000-3303-7887-8f6c-f3994fd22dc5', '019b0000-0c13-77ac-84e1-aebf59bdc297', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '{}', '2026-11-06 07:47:00+00', '2026-11-06 07:47:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6418-7cb1-8a93-ec140693e55c', 'Who signs off a warm parcel at Three Rivers Vaccine Logistics?', '019b0000-379d-72c0-87da-b62740f8bbae', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', '{}', '2026-11-06 07:30:00+00', '2026-11-06 13:11:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-66be-723a-88bc-d6a16719de9b', 'Release, hold or destroy?', '019b0000-d5ff-7035-8426-73c320b99ecb', '019b0000-419e-72b3-88e6-6aece6db37a2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '{}', '2026-11-06 09:29:00+00', '2026-11-06 09:29:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-70fc-7290-86e6-9a570032f5fe', 'Who signs off a warm parcel at Cascadia Blood & Tissue Network?', '019b0000-1cb2-773d-8502-481c602e333b', '019b0000-d618-7751-8c29-5af58c3d7d39', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', '{}', '2026-11-06 08:04:00+00', '2026-11-09 18:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7413-7bd4-8ad6-6d74fa5b3f58', 'Release, hold or destroy?', '019b0000-1617-7bc5-8d52-929c81f52482', '019b0000-c5c8-77b4-890e-6b77c0759d0b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', '{Referred}', '2026-11-05 08:21:00+00', '2026-11-10 11:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-a43d-7f46-880c-8a04f311726c', 'What Adega da Ribeira Clara tastes like after a hot lorry', '019b0000-8655-7c12-8a5c-449078c0f782', '019b0000-78db-7b9d-8b15-2e7f888a0568', '019b0000-bf13-7e68-8059-0bc493eb3795', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '{Customer}', '2026-10-08 08:04:00+00', '2026-10-17 09:50:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-af2a-7e6f-88a3-224cd3ca67aa', 'Who signs off a warm parcel at ТОВ «Крижаний Шлях»?', '019b0000-2641-715b-8f48-677cb0f194a1', '019b0000-1466-7547-88f2-f5aee3342de7', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', '{Technical}', '2026-11-05 09:46:00+00', '2026-11-13 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-f050-7435-8aa9-3ca56d1a61ae', 'Who signs off a warm parcel at Halden & Pryce Hospital Supplies?', '019b0000-9d92-7656-8779-9d952f9ace46', '019b0000-ef96-790f-8548-c19b8630fbf0', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '{Technical}', '2026-11-05 08:38:00+00', '2026-11-20 06:30:00+00');
insert into events ("account_id", "tx", "position", "id", "event_type", "object_id", "data", "created_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '779', '1', '01a21bf8-579f-7cd2-b392-b0d03d52be6e', 'campaign.created', '019b0000-d90e-7f55-879b-9fd20000d5c6', null, '2026-11-27 07:46:29.886+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '786', '367', '01a21bf8-5aae-70e7-86e4-ae1d133140a9', 'problem.opened', '019b1000-0000-7000-8000-000000000050', '{"id": "019b1000-0000-7000-8000-000000000050", "kind": "sending_paused", "message": "All sending is paused.", "waiting": 1, "createdAt": "2026-11-27T07:46:30.660Z", "updatedAt": "2026-11-27T07:46:30.660Z", "objectType": "problem"}', '2026-11-27 07:46:30.66+00');
insert into export_pieces ("account_id", "export_id", "number", "text", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000040', '1', 'identifier
never@acme.example
', '2026-11-27 07:46:30.66+00');
insert into exports ("account_id", "id", "user_id", "kind", "scope", "campaign_id", "status", "failure", "until", "last_at", "last_id", "row_count", "bytes", "pieces", "lease_until", "epoch", "expires_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000040', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'opt_outs', 'all', null, 'finished', null, '2026-11-27 07:46:30.66+00', null, null, '1', '30', '1', null, '0', '2026-11-28 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into idempotency_keys ("account_id", "user_id", "key", "request_hash", "answer", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'import-1', '\x1f58b9145b24d108d7ac38887338b3ea3229833b9c1e418250343f907bfd1047', 'sealed', '2026-11-27 07:46:30.66+00');
insert into invitations ("account_id", "id", "email", "role", "invited_by", "created_user_id", "expires_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000003', 'new@acme.example', 'manager', '019b0000-fc9e-7c3e-842d-7872eaf8a521', null, '2026-12-04 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into linkedin_accounts ("account_id", "id", "rep_id", "provider", "secret", "base_url", "provider_account_id", "api_key", "member_id", "status", "status_reason", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000007', '019b0000-80b3-794e-85c9-6792ac3e4b2a', 'unipile', '\x7365616c6564', 'https://api.unipile.example', 'acc_1', '\x7365616c6564', 'member-rep', 'working', null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into linkedin_connections ("account_id", "rep_id", "person_id", "invited_at", "accepted_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-41eb-71c1-85d8-e536a253c87b', '2026-11-13 07:25:00+00', '2026-11-19 05:00:00+00', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-cbf5-7a2c-8160-dd77add95f13', '2026-11-14 08:30:00+00', null, '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00');
insert into linkedin_conversations ("account_id", "id", "conversation_id", "chat_id", "person_id", "prospect_id", "campaign_id", "rep_id", "tags", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-cebc-7b00-8068-55ca1f759994', '2-GD5DlykgMpyCS5bBxO6FDY80eZN3FZpo==', null, '019b0000-20b3-71a0-8d42-d074f46e8795', '019b0000-6a3e-7e77-8299-cab9e1b77fd1', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', '{}', '2026-11-01 09:00:00+00', '2026-11-02 08:12:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-33b4-7177-81f8-7c3fba525473', '2-pPz9tiYMHAk9gih9gj5REZ7iuIy8-Lc-==', null, '019b0000-60b5-75a5-8183-d74e8df0fe3d', '019b0000-78f7-7865-8e16-f3be03035539', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '{}', '2026-11-15 08:05:00+00', '2026-11-16 23:52:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-58c9-7b4e-83eb-3bd2562299e5', '2-AhWDMALtcdzvCibrhZQ3vTrwU5jmXoSL==', null, '019b0000-5078-7d30-8068-eb0023957193', '019b0000-d0c5-738d-8c11-b7ec0c9eeef2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', '{Interested}', '2026-11-08 15:20:00+00', '2026-11-20 23:40:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8efc-7470-8138-90524660a230', '2-BksBzOmBDuFMbik5IiTzfS12Lte6vawa==', null, '019b0000-484f-7938-8776-06d614dc2759', '019b0000-e957-7a87-8cdf-55edd5684a3b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', '{"Meeting booked"}', '2026-11-07 10:02:00+00', '2026-11-20 10:15:00+00');
insert into linkedin_members ("account_id", "member_id", "person_id", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', 'member-1', '019b0000-c3fd-7e5c-8af7-b386d70f4be9', '2026-11-27 07:46:30.66+00');
insert into linkedin_message_tags ("account_id", "tag_id", "id", "prospect_id", "campaign_id", "rep_id", "status", "kind", "happened_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fbb3-7d66-88ee-c58cb9db990b', '019b0000-2583-707c-8d39-968a1087d1bf', '019b0000-d0c5-738d-8c11-b7ec0c9eeef2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', 'sent', 'received sent unread', '2026-11-20 23:05:00+00');
insert into linkedin_messages ("account_id", "id", "conversation_record_id", "conversation_id", "provider_message_id", "prospect_id", "campaign_id", "rep_id", "text", "type", "status", "is_unread", "happened_at", "tags", "conversation_seen_at", "approval_request", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-0842-734d-8691-c669e4e98236', '019b0000-cebc-7b00-8068-55ca1f759994', '2-GD5DlykgMpyCS5bBxO6FDY80eZN3FZpo==', null, '019b0000-6a3e-7e77-8299-cab9e1b77fd1', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', 'All of them. I like pencils.', 'received', 'sent', 'true', '2026-11-02 08:12:00+00', '{}', null, null, '2026-11-02 08:12:00+00', '2026-11-02 08:12:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-c082-7c45-83ab-844379450f4b', '019b0000-cebc-7b00-8068-55ca1f759994', '2-GD5DlykgMpyCS5bBxO6FDY80eZN3FZpo==', null, '019b0000-6a3e-7e77-8299-cab9e1b77fd1', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c49f-7927-83d2-4ce6f0511374', 'Hello Łukasz, how many rounds do you plan by hand in Gdańsk?', 'manual', 'sent', 'false', '2026-11-01 09:00:00+00', '{}', null, null, '2026-11-01 09:00:00+00', '2026-11-01 09:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-01b6-706d-8eee-d5ff53a8f278', '019b0000-33b4-7177-81f8-7c3fba525473', '2-pPz9tiYMHAk9gih9gj5REZ7iuIy8-Lc-==', null, '019b0000-78f7-7865-8e16-f3be03035539', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '佐々木様、はじめまして。冬の道内配送で、牛乳が凍ってしまうことはございませんか。', 'campaign', 'sent', 'false', '2026-11-15 08:05:00+00', '{}', null, null, '2026-11-15 08:05:00+00', '2026-11-15 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-02b3-7386-894f-73c5cb4a1587', '019b0000-33b4-7177-81f8-7c3fba525473', '2-pPz9tiYMHAk9gih9gj5REZ7iuIy8-Lc-==', null, '019b0000-78f7-7865-8e16-f3be03035539', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '佐々木様、ありがとうございます。見本をお送りいたします。零下の時間は二ページ目にございます。', 'reply_agent', 'draft', 'false', '2026-11-16 23:52:00+00', '{}', '2026-11-16 23:52:00+00', null, '2026-11-16 23:52:00+00', '2026-11-16 23:52:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2583-707c-8d39-968a1087d1bf', '019b0000-58c9-7b4e-83eb-3bd2562299e5', '2-AhWDMALtcdzvCibrhZQ3vTrwU5jmXoSL==', null, '019b0000-d0c5-738d-8c11-b7ec0c9eeef2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', 'Sure. Coffee would be better, but send it.', 'received', 'sent', 'true', '2026-11-20 23:05:00+00', '{Interested}', null, null, '2026-11-20 23:05:00+00', '2026-11-20 23:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-66af-78bb-8f45-b3bc24d8f3b8', '019b0000-8efc-7470-8138-90524660a230', '2-BksBzOmBDuFMbik5IiTzfS12Lte6vawa==', null, '019b0000-e957-7a87-8cdf-55edd5684a3b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-eba6-753e-829c-07b39cced769', 'Thank you for Friday, Adébísí. The two loggers for the motorcycles leave today; which address should they go to?', 'manual', 'draft', 'false', '2026-11-20 10:15:00+00', '{"Meeting booked"}', '2026-11-20 10:15:00+00', null, '2026-11-20 10:15:00+00', '2026-11-20 10:15:00+00');
insert into linkedin_sends ("account_id", "task_id", "linkedin_account_id", "kind", "state", "due_at", "epoch", "attempts", "asked_at", "response", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2910-70ce-84f2-dee32bf1c844', '019b1000-0000-7000-8000-000000000007', 'message', 'sent', '2026-11-27 07:46:30.66+00', '1', '1', '2026-11-27 07:46:30.66+00', null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into live_accounts ("account_id", "until") values
('019b0000-fa12-754c-8299-70514b1f16c3', '2026-11-27 07:46:30.66+00');
insert into mailbox_attempts ("account_id", "mailbox_id", "message_id", "epoch", "at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e035-7eed-81c5-b760821af82f', '019b0000-0065-7127-89df-05facdb6c2ed', '1', '2026-11-27 07:46:30.66+00');
insert into mailbox_folders ("account_id", "mailbox_id", "path", "uid_validity", "last_uid", "trying_uid", "tries", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1750-75c5-8b4d-4b20c9ed82f7', 'INBOX', '1700000000', '42', '43', '1', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into mailbox_readings ("account_id", "mailbox_id", "host", "port", "tls", "login", "password", "status", "status_reason", "read_from", "last_read_at", "due_at", "epoch", "failures", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1750-75c5-8b4d-4b20c9ed82f7', 'imap.acme.example', '993', 'implicit', 'mia@acme.example', '\x7365616c6564', 'reading', null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '0', '0', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into mailbox_skips ("account_id", "mailbox_id", "path", "uid_validity", "uid", "reason", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1750-75c5-8b4d-4b20c9ed82f7', 'INBOX', '1700000000', '41', 'unreadable', '2026-11-27 07:46:30.66+00');
insert into mailboxes ("account_id", "id", "rep_id", "kind", "email", "sender_name", "smtp_host", "smtp_port", "smtp_tls", "smtp_user", "smtp_password", "status", "status_reason", "verified_at", "inbound_key_number", "plus_addressing", "daily_cap", "min_gap_seconds", "ramp_start", "ramp_increase", "ramp_since", "full_until", "rests_until", "rests_after", "fault_count", "retry_at", "paused_at", "pause_reason", "resumed_at", "removed_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-463c-708f-8fdc-070282747363', '019b0000-c49f-7927-83d2-4ce6f0511374', 'sandbox', 'viktor@globex.example', 'Viktor Saarinen', null, null, null, null, null, 'active', null, null, '1', 'false', null, '0', null, null, null, null, null, null, '0', null, null, null, null, null, '2026-08-24 08:00:00+00', '2026-08-24 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1750-75c5-8b4d-4b20c9ed82f7', '019b0000-bd82-7328-8dd3-a4663e288998', 'smtp', 'ines@acme.example', 'Inês Faria', 'mail.acme.example', '587', 'starttls', null, null, 'failing', 'The server refused the user name or password: 535 5.7.8 Authentication credentials invalid', null, '1', 'false', null, '0', null, null, null, null, null, null, '3', '2026-11-21 15:00:00+00', null, null, null, null, '2026-08-24 08:03:00+00', '2026-08-24 08:03:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', '019b0000-7dbe-7db3-8094-b131262aa90a', 'sandbox', 'tomas@acme.example', 'Tomás Arrieta', null, null, null, null, null, 'active', null, null, '1', 'false', null, '0', null, null, null, null, null, null, '0', null, null, null, null, null, '2026-08-24 08:01:00+00', '2026-08-24 08:01:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d021-7161-886a-60e969e5509f', '019b0000-80b3-794e-85c9-6792ac3e4b2a', 'sandbox', 'amara@acme.example', 'Amara Eze', null, null, null, null, null, 'active', null, null, '1', 'false', null, '0', null, null, null, null, null, null, '0', null, null, null, null, null, '2026-08-24 08:02:00+00', '2026-08-24 08:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e035-7eed-81c5-b760821af82f', '019b0000-eba6-753e-829c-07b39cced769', 'sandbox', 'mia@acme.example', 'Mia Lindqvist', null, null, null, null, null, 'active', null, null, '1', 'false', null, '0', null, null, null, null, null, null, '0', null, null, null, null, null, '2026-08-24 08:00:00+00', '2026-08-24 08:00:00+00');
insert into meeting_webhooks ("account_id", "provider", "signing_secret", "last_received_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', 'cal_com', '\x7365616c6564', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into meetings ("account_id", "id", "prospect_id", "person_id", "campaign_id", "rep_id", "source", "external_id", "status", "starts_at", "booked_at", "notes", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000032', '019b0000-0617-7ca9-8e5f-c56b7d4069e4', '019b0000-9982-7077-87eb-9d5fbd239c82', '019b0000-0a50-7519-82bf-a55566ecf4ec', '019b0000-7dbe-7db3-8094-b131262aa90a', 'cal_com', 'booking-1', 'booked', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', 'A demo', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into members ("account_id", "user_id", "role", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-a7f1-71ca-813b-2b63a7b12542', 'owner', '2026-11-27 07:46:29.828+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0b0e-763b-87ee-6dab3312e497', 'viewer', '2026-11-27 07:46:29.827+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2641-7a56-8ffc-c42e6e8bfd69', 'admin', '2026-11-27 07:46:29.827+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-bc85-7d03-89a8-05cbca1ba689', 'manager', '2026-11-27 07:46:29.827+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d9f1-7c8a-8258-972b49e71347', 'member', '2026-11-27 07:46:29.827+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'owner', '2026-11-27 07:46:29.827+00', '2026-11-27 07:46:29.823+00');
insert into notes ("account_id", "id", "person_id", "text", "author_id", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000031', '019b0000-00d0-798f-8851-7ee01559cda4', 'Met at a fair', '019b0000-fc9e-7c3e-842d-7872eaf8a521', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into notification_emails ("account_id", "id", "user_id", "digest_on", "state", "attempts", "due_at", "lease_until", "epoch", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000060', '019b0000-fc9e-7c3e-842d-7872eaf8a521', '2026-11-27', 'sent', '0', '2026-11-27 07:46:30.66+00', null, '0', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into notification_settings ("account_id", "user_id", "kinds", "digest_hour", "timezone", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fc9e-7c3e-842d-7872eaf8a521', '{"reply": {"email": "digest"}}', '7', null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into notifications ("account_id", "id", "user_id", "kind", "event_key", "object_type", "object_id", "title", "text", "is_in_app", "is_mailed", "email_id", "read_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000061', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'problem', 'problem 1', 'problem', '019b1000-0000-7000-8000-000000000050', 'All sending is paused.', null, 'true', 'false', null, null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into oauth_clients ("id", "metadata", "connected_at", "created_at", "updated_at") values
('client-1', '{"client_name": "Assistant", "redirect_uris": ["https://assistant.example/callback"]}', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into oauth_grants ("id", "account_id", "user_id", "client_id", "client_name", "client_host", "scopes", "payload", "created_at", "updated_at", "last_used_at", "expires_at", "revoked_at") values
('019b1000-0000-7000-8000-000000000004', '019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'client-1', 'Assistant', 'assistant.example', '{read,write}', '{"openid": {"scope": "read write"}}', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', null, '2027-02-25 07:46:30.66+00', null);
insert into oauth_keys ("id", "private_jwk", "signs_from", "created_at") values
('key-1', '\x7365616c6564', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into oauth_records ("kind", "id_hash", "payload", "grant_id", "consumed_at", "expires_at") values
('RefreshToken', '\xd6cc0a088c07683c65cd266860cab8d94b3a1937b17420d9da30ca299c09fb77', '{"exp": 1}', '019b1000-0000-7000-8000-000000000004', null, '2027-02-25 07:46:30.66+00');
insert into opt_outs ("account_id", "id", "kind", "value", "name", "source", "added_by_id", "email_message_id", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-5e83-7496-889b-43181f1bb7d6', 'domain', 'acme.example', 'Acme', 'cli', null, null, '2026-10-23 18:30:00+00', '2026-10-23 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3d8d-706d-88c4-7c7458b00207', 'email', 'priscilla.ng@threerivers-vaccine.example', 'Priscilla Ng', 'bounce', null, '019b0000-9b36-73b1-8512-e8a82294b779', '2026-11-05 18:30:00+00', '2026-11-05 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-873a-7d85-88be-f558baab8e0b', 'phone', '+442079460991', 'Front desk, Larn House', 'api', null, null, '2026-10-12 18:30:00+00', '2026-10-12 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9f3d-748b-8239-e0123d84380f', 'sms', '+447700900991', 'Ewan Strachan', 'api', null, null, '2026-10-19 18:30:00+00', '2026-10-19 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e2a7-75a4-871b-1fd720119ce7', 'whatsapp', '+12025550199', 'Dolores Whitacre', 'api', null, null, '2026-10-31 18:30:00+00', '2026-10-31 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-f47e-7e6e-8fdd-c72931db1cd4', 'web_chat', 'visitor-4f1c', 'A visitor of the website', 'api', null, null, '2026-11-06 18:30:00+00', '2026-11-06 18:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-f885-7d42-8b81-03c25033c938', 'linkedin', 'https://www.linkedin.com/in/demo-vera-klimtova', 'Věra Klimtová', 'api', null, null, '2026-09-21 18:30:00+00', '2026-09-21 18:30:00+00');
insert into passkeys ("id", "user_id", "credential_id", "public_key", "counter", "transports", "name", "last_used_at", "created_at") values
('019b1000-0000-7000-8000-000000000002', '019b0000-fc9e-7c3e-842d-7872eaf8a521', '\x63726564656e7469616c', '\x6b6579', '7', '{internal,hybrid}', 'Laptop', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into person_activity ("account_id", "person_id", "last_contacted_at", "last_replied_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-20b3-71a0-8d42-d074f46e8795', '2026-11-01 09:00:00+00', '2026-11-02 08:12:00+00');
insert into person_aliases ("account_id", "kind", "value", "person_id", "duplicate_id", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', 'email', 'duplicate@person.example', '019b0000-00d0-798f-8851-7ee01559cda4', '019b1000-0000-7000-8000-000000000032', '2026-11-27 07:46:30.66+00');
insert into person_tags ("account_id", "tag_id", "id", "created_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0e57-754f-885c-41ec08509e52', '019b0000-00d0-798f-8851-7ee01559cda4', '2026-08-25 08:33:00+00');
insert into persons ("account_id", "id", "first_name", "last_name", "email", "linkedin_url", "phone", "title", "company_id", "city", "state", "country", "timezone", "photo_url", "owner_rep_id", "tags", "custom", "search_text", "erased_at", "merged_into_id", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-20b3-71a0-8d42-d074f46e8795', 'Łukasz', 'Wójtowicz', 'lukasz.wojtowicz@chlodnia-wrzosowa.example', 'https://www.linkedin.com/in/demo-lukasz-wojtowicz', null, 'Dyrektor operacyjny', '019b0000-a523-73b5-83c4-5371be1a80fe', 'Gdańsk', null, 'Poland', 'Europe/Warsaw', null, null, '{}', '{}', ' lukasz wojtowicz lukasz wojtowicz chlodnia wrzosowa example chlodnia wrzosowa', null, null, '2026-08-25 08:07:00+00', '2026-08-25 08:07:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-25c9-7a9f-8ca2-442f7cf9f1f4', 'Oluwaseun', 'Adeyemi-Clarke', 'oluwaseun.adeyemi-clarke@halden-pryce.example', 'https://www.linkedin.com/in/demo-oluwaseun-adeyemi-clarke', '+441134960122', 'Procurement Director', '019b0000-3061-772c-82df-d5c3394812e9', 'Leeds', 'England', 'United Kingdom', 'Europe/London', null, null, '{}', '{}', ' oluwaseun adeyemi clarke oluwaseun adeyemi clarke halden pryce example 441134960122 halden pryce hospital supplies', null, null, '2026-08-25 08:04:00+00', '2026-08-25 08:04:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-9192-747c-8589-6cc6f5b9b848', 'Swantje', 'Petersen', 'swantje.petersen@kuehlwerk-hansa.example', 'https://www.linkedin.com/in/demo-swantje-petersen', null, 'Disposition Kühlverkehre', '019b0000-7bea-754a-8dde-7c9225207969', 'Hamburg', null, 'Germany', 'Europe/Berlin', null, null, '{}', '{}', ' swantje petersen swantje petersen kuehlwerk hansa example kuhlwerk hansa spedition', null, null, '2026-08-25 08:02:00+00', '2026-08-25 08:02:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-c4ad-7a13-881c-df0dece9deac', 'Gareth', 'Thistlewood', 'gareth.thistlewood@halden-pryce.example', 'https://www.linkedin.com/in/demo-gareth-thistlewood', '+447700900155', 'Cold Chain Lead', '019b0000-3061-772c-82df-d5c3394812e9', 'Leeds', 'England', 'United Kingdom', 'Europe/London', null, null, '{}', '{}', ' gareth thistlewood gareth thistlewood halden pryce example 447700900155 halden pryce hospital supplies', null, null, '2026-08-25 08:05:00+00', '2026-08-25 08:05:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-cd9e-745d-8668-fe5a5084645a', 'Ruth Ann', 'Halvorsen', 'ruthann.halvorsen@prairielark.example', 'https://www.linkedin.com/in/demo-ruthann-halvorsen', '+16085550112', 'General Manager', '019b0000-d9a0-7da9-845c-f283cd8e9275', 'Madison', 'Wisconsin', 'United States', 'America/Chicago', null, null, '{}', '{}', ' ruth ann halvorsen ruthann halvorsen prairielark example 16085550112 prairie lark dairy cooperative', null, null, '2026-08-25 08:09:00+00', '2026-08-25 08:09:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-e4c0-7ecf-8b8e-65440b7eacfd', 'DeShawn', 'Rutledge', 'deshawn.rutledge@prairielark.example', 'https://www.linkedin.com/in/demo-deshawn-rutledge', '+16085550119', 'Fleet Manager', '019b0000-d9a0-7da9-845c-f283cd8e9275', 'Madison', 'Wisconsin', 'United States', 'America/Chicago', null, null, '{}', '{}', ' deshawn rutledge deshawn rutledge prairielark example 16085550119 prairie lark dairy cooperative', null, null, '2026-08-25 08:10:00+00', '2026-08-25 08:10:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-00d0-798f-8851-7ee01559cda4', 'Łukasz', 'Wójtowicz', 'lukasz.wojtowicz@chlodnia-wrzosowa.example', 'https://www.linkedin.com/in/demo-lukasz-wojtowicz', null, 'Dyrektor operacyjny', '019b0000-6d12-7a83-888f-4f5fd9e42f63', 'Gdańsk', null, 'Poland', 'Europe/Warsaw', null, '019b0000-7dbe-7db3-8094-b131262aa90a', '{}', '{"plan": "Team"}', ' lukasz wojtowicz lukasz wojtowicz chlodnia wrzosowa example chlodnia wrzosowa', null, null, '2026-08-25 08:33:00+00', '2026-08-25 08:33:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1617-7bc5-8d52-929c81f52482', 'Oluwaseun', 'Adeyemi-Clarke', 'oluwaseun.adeyemi-clarke@halden-pryce.example', 'https://www.linkedin.com/in/demo-oluwaseun-adeyemi-clarke', '+441134960122', 'Procurement Director', '019b0000-2127-7df1-868c-07fa486e29e0', 'Leeds', 'England', 'United Kingdom', 'Europe/London', null, null, '{}', '{}', ' oluwaseun adeyemi clarke oluwaseun adeyemi clarke halden pryce example 441134960122 halden pryce hospital supplies', null, null, '2026-08-25 08:20:00+00', '2026-08-25 08:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1cb2-773d-8502-481c602e333b', 'Naomi', 'Tanaka-Reyes', 'naomi.tanaka-reyes@cascadia-blood.example', 'https://www.linkedin.com/in/demo-naomi-tanaka-reyes', '+15035550144', 'Director of Distribution', '019b0000-8cf3-75a5-88e9-a9543e1efc0a', 'Portland', 'Oregon', 'United States', 'America/Los_Angeles', null, null, '{}', '{}', ' naomi tanaka reyes naomi tanaka reyes cascadia blood example 15035550144 cascadia blood tissue network', null, null, '2026-08-25 08:58:00+00', '2026-08-25 08:58:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2641-715b-8f48-677cb0f194a1', 'Оксана', 'Гнатюк', 'oksana.hnatiuk@kryzhanyi-shliakh.example', 'https://www.linkedin.com/in/demo-oksana-hnatiuk', null, 'Директорка з логістики', '019b0000-41b2-7b9d-8f8c-6b661a20700d', 'Lviv', null, 'Ukraine', 'Europe/Kyiv', null, null, '{}', '{}', ' оксана гнатюк oksana hnatiuk kryzhanyi shliakh example тов крижаний шлях', null, null, '2026-08-25 08:39:00+00', '2026-08-25 08:39:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2b56-7d88-8ae1-bfb43f0ed725', 'Thérèse', 'Robichaux', 'therese.robichaux@bayouverte.example', 'https://www.linkedin.com/in/demo-therese-robichaux', '+15045550131', 'Owner', '019b0000-7ea1-74f1-87f6-122c510b39e4', 'New Orleans', 'Louisiana', 'United States', 'America/Chicago', null, null, '{}', '{}', ' therese robichaux therese robichaux bayouverte example 15045550131 bayou verte seafood', null, null, '2026-08-25 08:56:00+00', '2026-08-25 08:56:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2f72-7b05-8232-e284bab5745b', 'Wouter', 'De Caluwé', 'wouter.decaluwe@brasserie-valdore.example', 'https://www.linkedin.com/in/demo-wouter-decaluwe', null, 'Verantwoordelijke logistiek', '019b0000-58d1-733a-8747-37c88b796535', 'Liège', null, 'Belgium', 'Europe/Brussels', null, null, '{}', '{}', ' wouter de caluwe wouter decaluwe brasserie valdore example brasserie val dore', null, null, '2026-08-25 08:15:00+00', '2026-08-25 08:15:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3088-7071-8796-0529cb52c0a9', '하은', '김', 'haeun.kim@hangang-bio.example', 'https://www.linkedin.com/in/demo-haeun-kim', null, '품질관리팀장', '019b0000-0f4f-735f-8004-59e983f1f068', 'Seoul', null, 'South Korea', 'Asia/Seoul', null, null, '{}', '{}', ' 하은 김 haeun kim hangang bio example 한강바이오물류', null, null, '2026-08-25 09:19:00+00', '2026-08-25 09:19:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3303-7887-8f6c-f3994fd22dc5', 'Priscilla', 'Ng', 'priscilla.ng@threerivers-vaccine.example', 'https://www.linkedin.com/in/demo-priscilla-ng', '+14125550140', 'Quality Lead', '019b0000-c289-79ef-8193-264d13545dac', 'Pittsburgh', 'Pennsylvania', 'United States', 'America/New_York', null, null, '{}', '{}', ' priscilla ng priscilla ng threerivers vaccine example 14125550140 three rivers vaccine logistics', null, null, '2026-08-25 08:52:00+00', '2026-08-25 08:52:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-379d-72c0-87da-b62740f8bbae', 'Marcus', 'Whitfield', 'marcus.whitfield@threerivers-vaccine.example', 'https://www.linkedin.com/in/demo-marcus-whitfield', '+14125550134', 'Cold Chain Engineer', '019b0000-c289-79ef-8193-264d13545dac', 'Pittsburgh', 'Pennsylvania', 'United States', 'America/New_York', null, null, '{}', '{}', ' marcus whitfield marcus whitfield threerivers vaccine example 14125550134 three rivers vaccine logistics', null, null, '2026-08-25 08:51:00+00', '2026-08-25 08:51:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4033-79e2-88c7-74908b5c955e', 'Geneviève', 'Desrochers', 'genevieve.desrochers@lac-vert.example', 'https://www.linkedin.com/in/demo-genevieve-desrochers', '+18195550118', 'Directrice générale', '019b0000-031c-7715-869b-f9c64466cb94', 'Sherbrooke', 'Quebec', 'Canada', 'America/Toronto', null, null, '{}', '{}', ' genevieve desrochers genevieve desrochers lac vert example 18195550118 erabliere du lac vert', null, null, '2026-08-25 09:01:00+00', '2026-08-25 09:01:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-41eb-71c1-85d8-e536a253c87b', '建宏', '刘', 'jianhong.liu@beiwan-lenglian.example', 'https://www.linkedin.com/in/demo-jianhong-liu', null, '运输经理', '019b0000-ed10-796a-8354-766bbfe580a9', 'Qingdao', 'Shandong', 'China', 'Asia/Shanghai', null, null, '{}', '{}', ' 建宏 刘 jianhong liu beiwan lenglian example 北湾冷链物流', null, null, '2026-08-25 09:14:00+00', '2026-08-25 09:14:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-484f-7938-8776-06d614dc2759', 'Adébísí', 'Ọláwálé', 'adebisi.olawale@coolhub-ilu.example', 'https://www.linkedin.com/in/demo-adebisi-olawale', null, 'Chief Operating Officer', '019b0000-a0e7-7879-87a8-18dc233373fe', 'Lagos', null, 'Nigeria', 'Africa/Lagos', null, null, '{}', '{}', ' adebisi olawale adebisi olawale coolhub ilu example coolhub ilu', null, null, '2026-08-25 09:44:00+00', '2026-08-25 09:44:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4aff-714a-89df-a02dfa06e91b', 'Étienne', 'Lacroix-Dufour', 'etienne.lacroix-dufour@aubrevie.example', 'https://www.linkedin.com/in/demo-etienne-lacroix-dufour', '+33465710317', 'Directeur supply chain', '019b0000-8f8d-71fc-87b4-fead1055ca0b', 'Lyon', null, 'France', 'Europe/Paris', null, null, '{}', '{}', ' etienne lacroix dufour etienne lacroix dufour aubrevie example 33465710317 laboratoires aubrevie', null, null, '2026-08-25 08:12:00+00', '2026-08-25 08:12:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-5078-7d30-8068-eb0023957193', 'Wesley', 'Okoro', 'wesley.okoro@cascadia-blood.example', 'https://www.linkedin.com/in/demo-wesley-okoro', '+15035550152', 'Transport Coordinator', '019b0000-8cf3-75a5-88e9-a9543e1efc0a', 'Portland', 'Oregon', 'United States', 'America/Los_Angeles', null, null, '{}', '{}', ' wesley okoro wesley okoro cascadia blood example 15035550152 cascadia blood tissue network', null, null, '2026-08-25 08:59:00+00', '2026-08-25 08:59:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-53d6-78c6-8362-121b479bb572', 'Göran', 'Sjöstrand', 'goran.sjostrand@lindhagens-mejeri.example', 'https://www.linkedin.com/in/demo-goran-sjostrand', '+46313900622', 'Kvalitetschef', '019b0000-ce9f-7f17-8a10-20b88b5e2817', 'Göteborg', null, 'Sweden', 'Europe/Stockholm', null, null, '{}', '{}', ' goran sjostrand goran sjostrand lindhagens mejeri example 46313900622 lindhagens mejeri', null, null, '2026-08-25 08:17:00+00', '2026-08-25 08:17:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-563c-71ce-8b11-667ccb6c1b38', 'Åsa', 'Lindhagen', 'asa.lindhagen@lindhagens-mejeri.example', 'https://www.linkedin.com/in/demo-asa-lindhagen', '+46313900615', 'VD', '019b0000-ce9f-7f17-8a10-20b88b5e2817', 'Göteborg', null, 'Sweden', 'Europe/Stockholm', null, null, '{}', '{}', ' asa lindhagen asa lindhagen lindhagens mejeri example 46313900615 lindhagens mejeri', null, null, '2026-08-25 08:16:00+00', '2026-08-25 08:16:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-5e9e-7493-8bac-0e2c00a6cfa6', 'Sebastian', 'Kögel', 'sebastian.koegel@molkerei-hallerbach.example', 'https://www.linkedin.com/in/demo-sebastian-koegel', null, 'Leiter Logistik', '019b0000-6982-7d31-8b4d-88289bd2485b', 'Kempten', 'Bavaria', 'Germany', 'Europe/Berlin', null, null, '{}', '{}', ' sebastian kogel sebastian koegel molkerei hallerbach example molkerei hallerbach', null, null, '2026-08-25 08:02:00+00', '2026-08-25 08:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-60b5-75a5-8183-d74e8df0fe3d', '陽子', '佐々木', 'yoko.sasaki@yukimi-nyugyo.example', 'https://www.linkedin.com/in/demo-yoko-sasaki', null, '品質保証部長', '019b0000-e8e1-7e22-816b-35de1768b7fc', 'Sapporo', 'Hokkaido', 'Japan', 'Asia/Tokyo', null, null, '{}', '{}', ' 陽子 佐々木 yoko sasaki yukimi nyugyo example 雪見乳業', null, null, '2026-08-25 09:16:00+00', '2026-08-25 09:16:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-61e0-776a-8af2-3b667659a66b', 'Jörg', 'Hallerbach', 'joerg.hallerbach@molkerei-hallerbach.example', 'https://www.linkedin.com/in/demo-joerg-hallerbach', '+498999998110', 'Geschäftsführer', '019b0000-6982-7d31-8b4d-88289bd2485b', 'Kempten', 'Bavaria', 'Germany', 'Europe/Berlin', null, null, '{}', '{}', ' jorg hallerbach joerg hallerbach molkerei hallerbach example 498999998110 molkerei hallerbach', null, null, '2026-08-25 08:00:00+00', '2026-08-25 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7ffc-7677-8e5d-55eb995b04a1', 'முருகன்', 'ராஜேந்திரன்', 'murugan.rajendran@kaveri-cold.example', 'https://www.linkedin.com/in/demo-murugan-rajendran', null, 'போக்குவரத்து மேலாளர்', '019b0000-d237-704e-8f27-bdf5df6f7a1e', 'Chennai', 'Tamil Nadu', 'India', 'Asia/Kolkata', null, null, '{}', '{}', ' முருகன் ராஜேந்திரன் murugan rajendran kaveri cold example காவேரி குளிர் போக்குவரத்து', null, null, '2026-08-25 09:28:00+00', '2026-08-25 09:28:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8655-7c12-8a5c-449078c0f782', 'João', 'Vasconcelos Leão', 'joao.vasconcelos@ribeiraclara.example', 'https://www.linkedin.com/in/demo-joao-vasconcelos', null, 'Enólogo', '019b0000-8378-7758-8a89-85a733226e2a', 'Peso da Régua', null, 'Portugal', 'Europe/Lisbon', null, null, '{}', '{}', ' joao vasconcelos leao joao vasconcelos ribeiraclara example adega da ribeira clara', null, null, '2026-08-25 08:28:00+00', '2026-08-25 08:28:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8c90-7e80-8964-d64d76ac6278', 'प्रिया', 'जोशी', 'priya.joshi@sheetal-dairy.example', 'https://www.linkedin.com/in/demo-priya-joshi', null, 'खरीद अधिकारी', '019b0000-b778-7b88-8237-5980b65be149', 'Pune', 'Maharashtra', 'India', 'Asia/Kolkata', null, null, '{}', '{}', ' प्रिया जोशी priya joshi sheetal dairy example शीतल डेयरी', null, null, '2026-08-25 09:26:00+00', '2026-08-25 09:26:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9982-7077-87eb-9d5fbd239c82', 'Ingrid', 'Bjørnstad', 'ingrid.bjornstad@nordvik-sjomat.example', 'https://www.linkedin.com/in/demo-ingrid-bjornstad', null, 'Kvalitetssjef', '019b0000-233c-7e5a-8da7-8b7564c649af', 'Ålesund', 'Møre og Romsdal', 'Norway', 'Europe/Oslo', null, null, '{}', '{}', ' ingrid bjornstad ingrid bjornstad nordvik sjomat example nordvik sjomat', null, null, '2026-08-25 08:06:00+00', '2026-08-25 08:06:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9d92-7656-8779-9d952f9ace46', 'Gareth', 'Thistlewood', 'gareth.thistlewood@halden-pryce.example', 'https://www.linkedin.com/in/demo-gareth-thistlewood', '+447700900155', 'Cold Chain Lead', '019b0000-2127-7df1-868c-07fa486e29e0', 'Leeds', 'England', 'United Kingdom', 'Europe/London', null, null, '{}', '{}', ' gareth thistlewood gareth thistlewood halden pryce example 447700900155 halden pryce hospital supplies', null, null, '2026-08-25 08:21:00+00', '2026-08-25 08:21:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-9f93-72a3-82ef-7eec77700507', 'Elsa', 'Öberg', 'elsa.oberg@lindhagens-mejeri.example', 'https://www.linkedin.com/in/demo-elsa-oberg', '+46701740618', 'Inköpschef', '019b0000-ce9f-7f17-8a10-20b88b5e2817', 'Göteborg', null, 'Sweden', 'Europe/Stockholm', null, null, '{}', '{}', ' elsa oberg elsa oberg lindhagens mejeri example 46701740618 lindhagens mejeri', null, null, '2026-08-25 08:18:00+00', '2026-08-25 08:18:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-a104-7c6b-8a95-85a2da4b81d1', 'ليلى', 'الخطيب', 'layla.alkhatib@naseem-cooling.example', 'https://www.linkedin.com/in/demo-layla-alkhatib', null, 'مديرة الجودة', '019b0000-6eb3-78fd-8ebf-24b052c135a5', 'Amman', null, 'Jordan', 'Asia/Amman', null, null, '{}', '{}', ' ليلى الخطيب layla alkhatib naseem cooling example نسيم للتبريد والنقل', null, null, '2026-08-25 09:29:00+00', '2026-08-25 09:29:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b5e3-7b13-8973-75095e84a120', 'Pádraig', 'Ó Súilleabháin', 'padraig.osuilleabhain@clonrath.example', 'https://www.linkedin.com/in/demo-padraig-osuilleabhain', '+353209110145', 'Transport Manager', '019b0000-2f40-79f7-8865-84f5c669ea0d', 'Cork', null, 'Ireland', 'Europe/Dublin', null, null, '{}', '{}', ' padraig o suilleabhain padraig osuilleabhain clonrath example 353209110145 clonrath creamery', null, null, '2026-08-25 08:23:00+00', '2026-08-25 08:23:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-c3fd-7e5c-8af7-b386d70f4be9', 'கவிதா', 'சுப்பிரமணியன்', 'kavitha.subramanian@kaveri-cold.example', 'https://www.linkedin.com/in/demo-kavitha-subramanian', null, 'தர மேலாளர்', '019b0000-d237-704e-8f27-bdf5df6f7a1e', 'Chennai', 'Tamil Nadu', 'India', 'Asia/Kolkata', null, null, '{}', '{}', ' கவிதா சுப்பிரமணியன் kavitha subramanian kaveri cold example காவேரி குளிர் போக்குவரத்து', null, null, '2026-08-25 09:27:00+00', '2026-08-25 09:27:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-cbf5-7a2c-8160-dd77add95f13', 'さくら', '中村', 'sakura.nakamura@yukimi-nyugyo.example', 'https://www.linkedin.com/in/demo-sakura-nakamura', null, '購買担当', '019b0000-e8e1-7e22-816b-35de1768b7fc', 'Sapporo', 'Hokkaido', 'Japan', 'Asia/Tokyo', null, null, '{}', '{}', ' さくら 中村 sakura nakamura yukimi nyugyo example 雪見乳業', null, null, '2026-08-25 09:18:00+00', '2026-08-25 09:18:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d5ff-7035-8426-73c320b99ecb', 'Citlali', 'Arriaga', 'citlali.arriaga@lab-jacaranda.example', 'https://www.linkedin.com/in/demo-citlali-arriaga', null, 'Coordinadora de almacén', '019b0000-3414-7baf-8648-beb48b649f01', 'Guadalajara', 'Jalisco', 'Mexico', 'America/Mexico_City', null, null, '{}', '{}', ' citlali arriaga citlali arriaga lab jacaranda example laboratorios jacaranda', null, null, '2026-08-25 09:10:00+00', '2026-08-25 09:10:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e89e-7120-8acf-6070cf4657e7', 'Rénald', 'Thériault', 'renald.theriault@lac-vert.example', 'https://www.linkedin.com/in/demo-renald-theriault', '+18195550123', 'Chef des expéditions', '019b0000-031c-7715-869b-f9c64466cb94', 'Sherbrooke', 'Quebec', 'Canada', 'America/Toronto', null, null, '{}', '{}', ' renald theriault renald theriault lac vert example 18195550123 erabliere du lac vert', null, null, '2026-08-25 09:02:00+00', '2026-08-25 09:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-f93e-751b-8526-c014194f98f3', 'გიორგი', 'ბერიძე', 'giorgi.beridze@mtis-tskaro.example', 'https://www.linkedin.com/in/demo-giorgi-beridze', null, 'ლოგისტიკის ხელმძღვანელი', '019b0000-7673-7454-8300-c29007572695', 'Tbilisi', null, 'Georgia', 'Asia/Tbilisi', null, null, '{}', '{}', ' გიორგი ბერიძე giorgi beridze mtis tskaro example მთის წყარო', null, null, '2026-08-25 09:35:00+00', '2026-08-25 09:35:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000032', null, null, null, null, null, null, null, null, null, null, null, null, null, '{}', '{}', ' ', '2026-11-27 07:46:30.66+00', '019b0000-00d0-798f-8851-7ee01559cda4', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into problems ("account_id", "id", "kind", "about_id", "details", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000050', 'sending_paused', '019b0000-fa12-754c-8299-70514b1f16c3', '{"kind": "sending_paused", "message": "All sending is paused.", "waiting": 1}', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into prospects ("account_id", "id", "campaign_id", "person_id", "rep_id", "mailbox_id", "status", "status_reason", "steps_done", "began_at", "waits_since", "next_step_at", "away_until", "intent", "lease_until", "lease_epoch", "is_duplicate", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-3765-715a-839b-8d9eebb53600', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-9192-747c-8589-6cc6f5b9b848', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', 'completed', null, '1', null, null, null, null, null, null, '0', 'false', '2026-10-22 09:50:00.002+00', '2026-10-25 08:04:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-5926-72b7-8854-3732fe1d16a8', '019b0000-cb80-7e9d-8477-feccbd21fc5a', '019b0000-e4c0-7ecf-8b8e-65440b7eacfd', '019b0000-c49f-7927-83d2-4ce6f0511374', null, 'pending', null, '0', null, null, '2026-11-15 09:50:00.001+00', null, null, null, '0', 'false', '2026-11-15 09:50:00.001+00', '2026-11-15 09:50:00.001+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-6a3e-7e77-8299-cab9e1b77fd1', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-20b3-71a0-8d42-d074f46e8795', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', 'replied', null, '1', null, null, null, null, null, null, '0', 'false', '2026-10-22 09:50:00.007+00', '2026-11-02 08:12:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-a21f-72cf-878e-6324ce26cf90', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-e4c0-7ecf-8b8e-65440b7eacfd', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', 'replied', null, '1', null, null, null, null, null, null, '0', 'false', '2026-10-22 09:50:00.01+00', '2026-10-29 14:55:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-c5ab-7ed3-8fed-cdb8b5197639', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-c4ad-7a13-881c-df0dece9deac', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', 'completed', null, '1', null, null, null, null, null, null, '0', 'false', '2026-10-22 09:50:00.005+00', '2026-10-25 08:55:00+00'),
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-fbea-7203-8eb1-93059bc5e445', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-cd9e-745d-8668-fe5a5084645a', '019b0000-c49f-7927-83d2-4ce6f0511374', '019b0000-463c-708f-8fdc-070282747363', 'completed', null, '1', null, null, null, null, null, null, '0', 'false', '2026-10-22 09:50:00.009+00', '2026-10-25 10:03:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0617-7ca9-8e5f-c56b7d4069e4', '019b0000-0a50-7519-82bf-a55566ecf4ec', '019b0000-9982-7077-87eb-9d5fbd239c82', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'replied', null, '1', null, null, null, null, 'question', null, '0', 'false', '2026-11-07 09:50:00+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0c13-77ac-84e1-aebf59bdc297', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-3303-7887-8f6c-f3994fd22dc5', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'bounced', '550 5.1.1 No such user here', '0', null, null, null, null, null, null, '0', 'false', '2026-11-02 09:50:00.013+00', '2026-11-06 07:47:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1064-7330-8f6d-282d2ff58b84', '019b0000-3174-790e-8878-818a5f9bb27e', '019b0000-61e0-776a-8af2-3b667659a66b', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'opted_out', 'reply', '1', null, null, null, null, 'opt_out', null, '0', 'false', '2026-08-30 09:50:00+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-1466-7547-88f2-f5aee3342de7', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-2641-715b-8f48-677cb0f194a1', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', 'replied', null, '2', null, null, null, null, 'question', null, '0', 'false', '2026-11-02 09:50:00.008+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2009-7753-88d5-276fa8661179', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-8c90-7e80-8964-d64d76ac6278', '019b0000-eba6-753e-829c-07b39cced769', null, 'active', null, '1', null, null, '2026-11-27 08:00:00+00', null, null, null, '0', 'false', '2026-11-09 09:50:00.01+00', '2026-11-09 09:50:00.01+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2528-7b7c-8bd4-1793a472ec65', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-7ffc-7677-8e5d-55eb995b04a1', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'paused', 'manual', '1', null, null, '2026-11-07 07:40:00+00', null, null, null, '0', 'false', '2026-11-02 09:50:00.024+00', '2026-11-07 07:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2529-7f3c-8213-f5de2b6bb6f4', '019b0000-3174-790e-8878-818a5f9bb27e', '019b0000-5e9e-7493-8bac-0e2c00a6cfa6', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'completed', null, '1', null, null, null, null, null, null, '0', 'false', '2026-08-30 09:50:00.002+00', '2026-08-31 08:04:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2cd3-7f6d-82ae-9813faf2a96f', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-41eb-71c1-85d8-e536a253c87b', '019b0000-80b3-794e-85c9-6792ac3e4b2a', null, 'active', null, '1', null, null, null, null, null, null, '0', 'false', '2026-11-09 09:50:00.003+00', '2026-11-09 09:50:00.003+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-3975-7412-8325-50b1abb31e66', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-4aff-714a-89df-a02dfa06e91b', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', null, '2', null, null, null, null, 'interested', null, '0', 'false', '2026-11-02 09:50:00+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-419e-72b3-88e6-6aece6db37a2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-d5ff-7035-8426-73c320b99ecb', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'bounced', 'hard_bounce', '1', null, null, null, null, null, null, '0', 'false', '2026-11-02 09:50:00.019+00', '2026-11-06 09:29:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-379d-72c0-87da-b62740f8bbae', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'out_of_office', null, '1', null, null, '2026-11-27 08:00:00+00', '2026-11-27 08:00:00+00', 'auto', null, '0', 'false', '2026-11-02 09:50:00.012+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-4eb6-77db-8d69-d4444331515c', '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-563c-71ce-8b11-667ccb6c1b38', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'completed', null, '2', null, null, null, null, null, null, '0', 'false', '2026-11-12 09:50:00+00', '2026-11-16 09:20:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-662f-7370-89d8-c21a4825b1e6', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-a104-7c6b-8a95-85a2da4b81d1', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'replied', null, '2', null, null, null, null, 'question', null, '0', 'false', '2026-11-02 09:50:00.025+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-70d7-7087-8987-d50ec2fc9529', '019b0000-4212-738b-825f-d655f7994b4a', '019b0000-b5e3-7b13-8973-75095e84a120', '019b0000-80b3-794e-85c9-6792ac3e4b2a', null, 'pending', null, '0', null, null, '2026-11-17 09:50:00.001+00', null, null, null, '0', 'false', '2026-11-17 09:50:00.001+00', '2026-11-17 09:50:00.001+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-74e9-7408-8e9c-30ac7c05af08', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-f93e-751b-8526-c014194f98f3', '019b0000-eba6-753e-829c-07b39cced769', null, 'active', null, '0', null, null, null, null, null, null, '0', 'false', '2026-11-09 09:50:00.012+00', '2026-11-09 09:50:00.012+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-78db-7b9d-8b15-2e7f888a0568', '019b0000-bf13-7e68-8059-0bc493eb3795', '019b0000-8655-7c12-8a5c-449078c0f782', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'replied', null, '1', null, null, null, null, 'question', null, '0', 'false', '2026-10-05 09:50:00.002+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-78f7-7865-8e16-f3be03035539', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-60b5-75a5-8183-d74e8df0fe3d', '019b0000-80b3-794e-85c9-6792ac3e4b2a', null, 'replied', null, '2', null, null, null, null, null, null, '0', 'false', '2026-11-09 09:50:00.005+00', '2026-11-16 23:48:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-8844-7585-8eaa-dad58f6f3d65', '019b0000-0a50-7519-82bf-a55566ecf4ec', '019b0000-2b56-7d88-8ae1-bfb43f0ed725', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', 'replied', null, '1', null, null, null, null, 'question', null, '0', 'false', '2026-11-07 09:50:00.005+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-a59b-7ec0-8f84-bf9cb3533b61', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-3088-7071-8796-0529cb52c0a9', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', 'replied', null, '2', null, null, null, null, 'question', null, '0', 'false', '2026-11-02 09:50:00.02+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-b327-734b-880f-bfb7430b4ccf', '019b0000-bf13-7e68-8059-0bc493eb3795', '019b0000-2f72-7b05-8232-e284bab5745b', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', null, '1', null, null, null, null, 'question', null, '0', 'false', '2026-10-05 09:50:00.001+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-c5c8-77b4-890e-6b77c0759d0b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-1617-7bc5-8d52-929c81f52482', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', null, '2', null, null, null, null, 'wrong_person', null, '0', 'false', '2026-11-02 09:50:00.003+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d0c5-738d-8c11-b7ec0c9eeef2', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-5078-7d30-8068-eb0023957193', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', null, '1', null, null, null, null, null, null, '0', 'false', '2026-11-02 09:50:00.015+00', '2026-11-20 23:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d56b-7a2f-86a8-df68c805dc3f', '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-53d6-78c6-8362-121b479bb572', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'paused', 'manual', '1', null, null, '2026-11-13 07:57:00+00', null, null, null, '0', 'false', '2026-11-12 09:50:00.001+00', '2026-11-18 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d618-7751-8c29-5af58c3d7d39', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-1cb2-773d-8502-481c602e333b', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-d021-7161-886a-60e969e5509f', 'opted_out', 'reply', '1', null, null, null, null, 'opt_out', null, '0', 'false', '2026-11-02 09:50:00.014+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-d892-7740-8698-ebac9d565acd', '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-e89e-7120-8acf-6070cf4657e7', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'completed', null, '2', null, null, null, null, null, null, '0', 'false', '2026-11-12 09:50:00.004+00', '2026-11-16 15:50:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e1c1-7a54-8e19-7efbe27d05f8', '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-9f93-72a3-82ef-7eec77700507', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', 'answered_call', '1', null, null, null, null, null, null, '0', 'false', '2026-11-12 09:50:00.002+00', '2026-11-15 09:30:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-e957-7a87-8cdf-55edd5684a3b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-484f-7938-8776-06d614dc2759', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-e035-7eed-81c5-b760821af82f', 'replied', null, '1', null, null, null, null, null, null, '0', 'false', '2026-11-02 09:50:00.03+00', '2026-11-09 06:12:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-ef96-790f-8548-c19b8630fbf0', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-9d92-7656-8779-9d952f9ace46', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'replied', null, '2', null, null, null, null, 'interested', null, '0', 'false', '2026-11-02 09:50:00.004+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-f16e-7069-85e2-00a029860f33', '019b0000-210f-765d-838a-cb3c839c82c6', '019b0000-4033-79e2-88c7-74908b5c955e', '019b0000-7dbe-7db3-8094-b131262aa90a', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'completed', null, '2', null, null, null, null, null, null, '0', 'false', '2026-11-12 09:50:00.003+00', '2026-11-16 15:20:00+00');
insert into received_mails ("account_id", "id", "fingerprint", "mailbox_id", "kind", "bounce_class", "about_id", "campaign_id", "prospect_id", "received_at", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-7708-7939-8795-01c75a4c7549', '\x98c1bcf4d1f1506c51ce30890f616d7561d42df7c3042d0feba5e775398641c7', '019b0000-463c-708f-8fdc-070282747363', 'reply', null, '019b0000-0753-72d9-89b4-57d373144aaf', '019b0000-d90e-7f55-879b-9fd20000d5c6', '019b0000-a21f-72cf-878e-6324ce26cf90', '2026-10-28 16:09:00+00', '2026-11-27 07:46:29.886+00', '2026-11-27 07:46:29.886+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-08b0-7968-8cfd-acf1976f9a0e', '\xae15cfb5dacae27273c82f7b6a938e0d4c831018ed8168215cdcdc51c23f1561', '019b0000-d021-7161-886a-60e969e5509f', 'unsubscribe', null, '019b0000-dfcc-71e9-8cfa-b7292fdd235b', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-d618-7751-8c29-5af58c3d7d39', '2026-11-09 17:26:00+00', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-6ea1-7018-8431-0c1a558eb347', '\xd4d1bb81cffa5556a14366b26f2165dbef018c5cf1c379b71c542f87005b9579', '019b0000-e035-7eed-81c5-b760821af82f', 'auto_reply', null, '019b0000-cf17-7c21-8374-69bbcfba1e9d', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-4bfd-7a9a-8362-29ef9623c1a6', '2026-11-06 13:11:00+00', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-ba12-7b5f-874e-40d3557b581b', '\xf1bfa90cd28ff3196a0d5dbc1f5ec6b24fc6ca0a7f9a4953d5d61bb2b7fc5378', '019b0000-aa7d-7dbc-89d3-ddf10aaa6ece', 'bounce', 'hard', '019b0000-c574-72b8-8a4a-ad0476563bd7', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-419e-72b3-88e6-6aece6db37a2', '2026-11-06 09:30:00+00', '2026-11-27 07:46:29.832+00', '2026-11-27 07:46:29.832+00');
insert into recovery_codes ("user_id", "code_hash") values
('019b0000-fc9e-7c3e-842d-7872eaf8a521', '\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3');
insert into reply_agents ("account_id", "provider", "model", "base_url", "api_key", "is_enabled", "input_price", "output_price", "daily_replies", "autopilot_intents", "autopilot_delay_minutes", "autopilot_daily_cap", "verified_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', 'simulated', 'simulated', null, null, 'true', '1.000000', '5.000000', '200', '{}', '30', '20', '2026-11-20 08:00:00+00', '2026-11-20 08:00:00+00', '2026-11-20 08:00:00+00');
insert into reps ("account_id", "id", "name", "signature", "owned_by_id", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-c49f-7927-83d2-4ce6f0511374', 'Viktor Saarinen', null, '019b0000-a7f1-71ca-813b-2b63a7b12542', '2026-08-24 08:00:00+00', '2026-08-24 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-7dbe-7db3-8094-b131262aa90a', 'Tomás Arrieta', null, '019b0000-d9f1-7c8a-8258-972b49e71347', '2026-08-24 08:01:00+00', '2026-08-24 08:01:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-80b3-794e-85c9-6792ac3e4b2a', 'Amara Eze', null, '019b0000-2641-7a56-8ffc-c42e6e8bfd69', '2026-08-24 08:02:00+00', '2026-08-24 08:02:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-bd82-7328-8dd3-a4663e288998', 'Inês Faria', null, '019b0000-2641-7a56-8ffc-c42e6e8bfd69', '2026-08-24 08:03:00+00', '2026-08-24 08:03:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-eba6-753e-829c-07b39cced769', 'Mia Lindqvist', null, '019b0000-bc85-7d03-89a8-05cbca1ba689', '2026-08-24 08:00:00+00', '2026-08-24 08:00:00+00');
insert into saved_views ("account_id", "id", "owner_id", "kind", "name", "filters", "columns", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000034', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'people', 'Hot leads', '{"tag": "Hot lead"}', '{company,phone}', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into sessions ("token_hash", "id", "user_id", "user_agent", "address", "created_at", "authenticated_at", "last_seen_at", "expires_at") values
('\x3f3af1ecebbd1410ab417ec0d27bbfcb5d340e177ae159b59fc8626c2dfd9175', '019b1000-0000-7000-8000-000000000001', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'Firefox', '192.0.2.1', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00', '2026-12-27 07:46:30.66+00');
insert into sign_in_attempts ("token_hash", "kind", "user_id", "payload", "expires_at") values
('\xc7ce66d0fb14e3c2d4d920918cc6cc7e488668b08dddeb7b85e44de3b9f3eb01', 'second_factor', '019b0000-fc9e-7c3e-842d-7872eaf8a521', '{"step": 1}', '2026-11-27 07:56:30.66+00');
insert into single_sign_ons ("account_id", "issuer", "client_id", "client_secret", "domain", "domain_verified_at", "is_required", "new_member_role", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', 'https://id.acme.example', 'overture', '\x7365616c6564', 'acme.example', '2026-11-27 07:46:30.66+00', 'false', 'member', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into snippets ("account_id", "id", "owner_id", "name", "text", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000033', '019b0000-fc9e-7c3e-842d-7872eaf8a521', 'Book a call', 'Would Thursday suit you, {{ firstName }}?', '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into tags ("account_id", "id", "name", "created_at", "updated_at") values
('019b0000-cbe0-7e32-894c-98a1742740e2', '019b0000-2b48-7566-8bd9-a9f27f958c03', 'Demo booked', '2026-08-25 08:00:00+00', '2026-08-25 08:00:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-0e57-754f-885c-41ec08509e52', 'Customer', '2026-08-25 08:05:00+00', '2026-08-25 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-fbb3-7d66-88ee-c58cb9db990b', 'Interested', '2026-08-25 08:00:00+00', '2026-08-25 08:00:00+00');
insert into tasks ("account_id", "id", "rep_id", "campaign_id", "prospect_id", "person_id", "step_id", "variant_id", "linkedin_message_id", "channel", "title", "text", "status", "status_reason", "due_at", "ended_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-00d5-7263-80f9-9fa6bcdbd10a', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-2cd3-7f6d-82ae-9813faf2a96f', '019b0000-41eb-71c1-85d8-e536a253c87b', '019b0000-7c5c-7687-8723-ff991376a765', '019b0000-eecf-76b6-8e42-984c330c4202', null, 'linkedin_connect', null, 'Hello 建宏, we measure what happens to cold goods on their way. May we connect?', 'completed', null, '2026-11-11 07:45:00+00', '2026-11-13 07:25:00+00', '2026-11-11 07:45:00+00', '2026-11-13 07:25:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-27d2-7451-877b-ba4c1ede359f', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-74e9-7408-8e9c-30ac7c05af08', '019b0000-f93e-751b-8526-c014194f98f3', '019b0000-7c5c-7687-8723-ff991376a765', '019b0000-eecf-76b6-8e42-984c330c4202', null, 'linkedin_connect', null, 'Hello გიორგი, we measure what happens to cold goods on their way. May we connect?', 'open', null, '2026-11-11 07:45:00+00', null, '2026-11-11 07:45:00+00', '2026-11-11 07:45:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-2910-70ce-84f2-dee32bf1c844', '019b0000-80b3-794e-85c9-6792ac3e4b2a', '019b0000-9cb2-7b4b-8c12-fe55e3fb67a9', '019b0000-78f7-7865-8e16-f3be03035539', '019b0000-60b5-75a5-8183-d74e8df0fe3d', '019b0000-25f6-7bc6-87e4-346f4292d157', '019b0000-3aca-7aed-8f65-6204fa895d9b', null, 'linkedin_message', null, 'Thank you for connecting, 陽子. On which leg does 雪見乳業 not know the temperature?', 'completed', null, '2026-11-15 08:05:00+00', '2026-11-15 08:05:00+00', '2026-11-15 08:05:00+00', '2026-11-15 08:05:00+00'),
('019b0000-fa12-754c-8299-70514b1f16c3', '019b0000-67af-7933-8144-cdf66a4cd567', '019b0000-eba6-753e-829c-07b39cced769', '019b0000-4b08-7331-8f2e-607cba6293bf', '019b0000-e957-7a87-8cdf-55edd5684a3b', '019b0000-484f-7938-8776-06d614dc2759', null, null, '019b0000-66af-78bb-8f45-b3bc24d8f3b8', 'linkedin_message', null, 'Thank you for Friday, Adébísí. The two loggers for the motorcycles leave today; which address should they go to?', 'open', null, '2026-11-20 10:15:00+00', null, '2026-11-20 10:15:00+00', '2026-11-20 10:15:00+00');
insert into users ("id", "email", "name", "password_hash", "email_verified_at", "created_at", "updated_at") values
('019b0000-0b0e-763b-87ee-6dab3312e497', 'viewer@demo.example', 'Jun Watanabe', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-2641-7a56-8ffc-c42e6e8bfd69', 'admin@demo.example', 'Amara Eze', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-a7f1-71ca-813b-2b63a7b12542', 'rival@demo.example', 'Viktor Saarinen', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-bc85-7d03-89a8-05cbca1ba689', 'manager@demo.example', 'Mia Lindqvist', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-d9f1-7c8a-8258-972b49e71347', 'member@demo.example', 'Tomás Arrieta', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00'),
('019b0000-fc9e-7c3e-842d-7872eaf8a521', 'owner@demo.example', 'Noor Haddad', '$argon2id$v=19$m=19456,t=2,p=1$cwjxFrN9urLC3htmALNgVQ$QnLOiSf7zDEeG4CdSb0xeKW2q4ODQK9ZJCX0VgiFbs4', '2026-11-27 07:46:29.826+00', '2026-11-27 07:46:29.823+00', '2026-11-27 07:46:29.823+00');
insert into webhook_deliveries ("account_id", "id", "webhook_id", "event_id", "event_type", "object_id", "data", "status", "attempts", "attempted_at", "due_at", "response_status", "response", "error", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000009', '019b1000-0000-7000-8000-000000000008', '019b1000-0000-7000-8000-00000000000a', 'prospect.replied', '019b0000-0617-7ca9-8e5f-c56b7d4069e4', '{"objectType": "prospect"}', 'delivered', '1', '2026-11-27 07:46:30.66+00', '-infinity', '204', null, null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
insert into webhooks ("account_id", "id", "url", "event_types", "description", "is_enabled", "disabled_reason", "secret", "previous_secret", "previous_secret_ends_at", "failures", "failing_since", "last_error", "last_delivered_at", "lease_until", "epoch", "served_at", "created_at", "updated_at") values
('019b0000-fa12-754c-8299-70514b1f16c3', '019b1000-0000-7000-8000-000000000008', 'https://hooks.acme.example/overture', '{prospect.*,email.received}', 'CRM', 'true', null, '\x7365616c6564', null, null, '0', null, null, '2026-11-27 07:46:30.66+00', null, '0', null, '2026-11-27 07:46:30.66+00', '2026-11-27 07:46:30.66+00');
set local session_replication_role = origin;
