-- The domains that mail is sent from: what their DNS was found to say, and the keys they sign with.

create table domains (
  account_id uuid not null references accounts,
  id         uuid not null,
  domain     text not null,
  -- What the last look at its DNS found, as the API shows it.
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
  -- Encrypted; gone once the key signs no more.
  private_key bytea,
  -- Waiting until its record is seen in DNS, then signing, then retired by the next one.
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

insert into domains (account_id, id, domain)
select account_id, gen_random_uuid(), split_part(email, '@', 2)
  from mailboxes
 where kind = 'smtp' and removed_at is null
 group by account_id, split_part(email, '@', 2);
