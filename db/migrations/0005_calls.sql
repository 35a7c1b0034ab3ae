-- Assistants and the calls they place.

create table assistants (
  account_id    uuid not null references accounts,
  id            uuid not null,
  name          text not null,
  provider      text not null default 'simulated' check (provider in ('simulated')),
  rep_id        uuid,
  from_number   text not null,
  first_message text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
create index assistants_by_time on assistants (account_id, created_at desc, id desc);
call make_tenant_table('assistants');

create table calls (
  account_id       uuid not null references accounts,
  id               uuid not null,
  assistant_id     uuid,
  rep_id           uuid,
  prospect_id      uuid,
  from_number      text not null,
  to_number        text not null,
  call_type        text not null check (call_type in ('inbound', 'outbound', 'web')),
  status           text not null check (status in ('queued', 'dialing', 'in_progress', 'ended')),
  outcome          text check (outcome in ('answered', 'voicemail', 'no_answer', 'busy', 'failed', 'refused')),
  outcome_reason   text,
  person_name      text,
  person_email     text,
  person_timezone  text,
  data             jsonb,
  call_transfer    jsonb,
  duration_seconds integer check (duration_seconds >= 0),
  summary          text,
  transcript       jsonb,
  recording_url    text,
  started_at       timestamptz(3),
  ended_at         timestamptz(3),
  -- Waits until then for the calling hours of the person called.
  not_before       timestamptz(3),
  provider         text,
  provider_call_id text,
  -- When the provider was asked to dial; committed before it is asked, so that no call is ever placed twice.
  placed_at        timestamptz(3),
  -- When the engine has to look at it again; null once it has ended.
  due_at           timestamptz(3),
  lease_until      timestamptz(3),
  epoch            bigint not null default 0,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, assistant_id) references assistants (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  check ((status = 'ended') = (outcome is not null))
);
create index calls_by_time on calls (account_id, created_at desc, id desc);
create index calls_by_prospect on calls (account_id, prospect_id, created_at desc, id desc);
create index calls_by_assistant on calls (account_id, assistant_id, created_at desc, id desc);
create index calls_by_assistant_and_status on calls (account_id, assistant_id, status, created_at desc, id desc);
create index calls_by_status on calls (account_id, status, created_at desc, id desc);
create index calls_by_rep on calls (account_id, rep_id, created_at desc, id desc);
create index calls_by_rep_and_status on calls (account_id, rep_id, status, created_at desc, id desc);
create index calls_due on calls (due_at) where due_at is not null;
create unique index calls_by_provider_id on calls (account_id, provider, provider_call_id);
call make_tenant_table('calls');
create policy engine on calls to overture_engine using (true);
grant select (account_id, id, due_at, lease_until, epoch) on calls to overture_engine;
grant update (lease_until, epoch) on calls to overture_engine;
