-- An assistant may ask for a call, and a person decides: what is asked for waits here until somebody does.

alter table accounts add column assistants_may_request_calls boolean not null default false;

create table call_requests (
  account_id      uuid not null references accounts,
  id              uuid not null,
  assistant_id    uuid not null,
  rep_id          uuid,
  prospect_id     uuid,
  -- As it is triggered once it is approved, with the numbers in the form in which they are dialed.
  call            jsonb not null,
  -- Every zone in which the owner of the number may be, and the one that was given.
  timezones       text[] not null,
  reason          text not null,
  requested_by_id uuid not null references users,
  -- The application or API token that asked in the user's name.
  requested_by_app text,
  -- One that waits for longer than seven days has expired, without anybody writing so.
  status          text not null default 'waiting' check (status in ('waiting', 'approved', 'declined')),
  decided_by_id   uuid references users,
  decided_at      timestamptz(3),
  decline_reason  text,
  call_id         uuid,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null default now(),
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
call make_tenant_table('call_requests');
