-- Messages come in from LinkedIn in three ways: recorded by people, out of its data export, and from where a rep's
-- account is connected. However often and in whichever order they come, each is there once, so messages and people keep
-- what the other side calls them.

create table linkedin_accounts (
  account_id          uuid not null references accounts,
  id                  uuid not null,
  rep_id              uuid not null,
  provider            text not null check (provider in ('webhook', 'unipile')),
  -- What calls that come in prove themselves with; encrypted.
  secret              bytea not null,
  base_url            text,
  provider_account_id text,
  api_key             bytea,
  -- What LinkedIn calls the rep.
  member_id           text,
  status              text not null default 'waiting' check (status in ('waiting', 'working', 'failing')),
  status_reason       text,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, id),
  -- One of each kind for a rep.
  unique (account_id, rep_id, provider),
  foreign key (account_id, rep_id) references reps (account_id, id),
  check (provider = 'webhook' or (base_url is not null and provider_account_id is not null and api_key is not null))
);
create index linkedin_accounts_by_time on linkedin_accounts (account_id, created_at desc, id desc);
call make_tenant_table('linkedin_accounts');

create table linkedin_members (
  account_id uuid not null references accounts,
  -- LinkedIn's own id of a person, which no change of their profile's address changes.
  member_id  text not null,
  person_id  uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, member_id),
  foreign key (account_id, person_id) references persons (account_id, id)
);
create index linkedin_members_by_person on linkedin_members (account_id, person_id);
call make_tenant_table('linkedin_members');

-- The chat as the provider calls it in its own interface, where that is not the conversation's name.
alter table linkedin_conversations add column chat_id text;
alter table linkedin_messages add column provider_message_id text;
create unique index linkedin_messages_by_provider on linkedin_messages (account_id, conversation_record_id, provider_message_id)
  where provider_message_id is not null;
