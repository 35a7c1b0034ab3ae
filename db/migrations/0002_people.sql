-- Who is contacted and who must not be: companies, persons and the Do Not Contact list. Identifiers are kept in
-- canonical form, so that equality is identity.

-- 'a.b.example' -> {a.b.example, b.example, example}: an opted-out domain covers what lies below it.
create function domain_and_parents(domain text) returns text[]
  language sql immutable parallel safe
  return (
    select coalesce(array_agg(array_to_string(labels[i:], '.') order by i), '{}')
      from string_to_array(domain, '.') labels, generate_subscripts(labels, 1) i
  );

create table companies (
  account_id uuid not null references accounts,
  id         uuid not null,
  name       text,
  -- Names compare without letter case and white space around.
  name_key   text generated always as (lower(btrim(name))) stored,
  domain     text,
  website    text,
  industries text[] not null default '{}',
  logo_url   text,
  city       text,
  state      text,
  country    text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, domain)
);
create index companies_by_time on companies (account_id, created_at desc, id desc);
create index companies_by_name on companies (account_id, name_key);
call make_tenant_table('companies');

create table persons (
  account_id   uuid not null references accounts,
  id           uuid not null,
  first_name   text,
  last_name    text,
  name_key     text generated always as (lower(btrim(first_name)) || ' ' || lower(btrim(last_name))) stored,
  email        text,
  -- The domain backwards in byte order, so that a domain and all below it are one range of the index.
  domain_key   text collate "C" generated always as (reverse(split_part(email, '@', 2))) stored,
  linkedin_url text,
  phone        text,
  title        text,
  company_id   uuid,
  city         text,
  state        text,
  country      text,
  timezone     text,
  photo_url    text,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, email),
  unique (account_id, linkedin_url),
  foreign key (account_id, company_id) references companies (account_id, id)
);
create index persons_by_time on persons (account_id, created_at desc, id desc);
create index persons_by_phone on persons (account_id, phone) where phone is not null;
create index persons_by_name on persons (account_id, name_key) where name_key is not null;
create index persons_by_domain on persons (account_id, domain_key) where domain_key is not null;
create index persons_by_company on persons (account_id, company_id, created_at desc, id desc);
call make_tenant_table('persons');

create table opt_outs (
  account_id uuid not null references accounts,
  id         uuid not null,
  kind       text not null check (kind in ('email', 'linkedin', 'phone', 'domain', 'sms', 'whatsapp', 'web_chat')),
  value      text not null,
  name       text,
  -- Who or what put it there: api, import, reply, complaint, bounce, unsubscribe, cli
  source     text not null default 'api',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, kind, value)
);
create index opt_outs_by_time on opt_outs (account_id, created_at desc, id desc);
create index opt_outs_by_kind on opt_outs (account_id, kind, created_at desc, id desc);
call make_tenant_table('opt_outs');
