-- Steps of a campaign that a person does become tasks of the rep. An invitation on LinkedIn is remembered for rep and
-- person, because what is to be written afterwards waits until it is accepted.

alter table campaign_steps
  drop constraint campaign_steps_channel_check,
  add constraint campaign_steps_channel_check check (channel in (
    'email', 'linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')),
  add column accept_within_days integer
    check (accept_within_days between 1 and 365 and (accept_within_days is null) = (channel <> 'linkedin_message'));

create table tasks (
  account_id    uuid not null references accounts,
  id            uuid not null,
  rep_id        uuid not null,
  campaign_id   uuid not null,
  prospect_id   uuid not null,
  person_id     uuid not null,
  step_id       uuid not null,
  variant_id    uuid,
  channel       text not null check (channel in (
                  'linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')),
  text          text,
  status        text not null default 'open' check (status in ('open', 'completed', 'skipped', 'cancelled')),
  status_reason text,
  due_at        timestamptz(3) not null,
  ended_at      timestamptz(3),
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, id),
  -- A step is a prospect's once, as with mails.
  unique (account_id, prospect_id, step_id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  check ((status = 'open') = (ended_at is null))
);
create index tasks_by_time on tasks (account_id, due_at desc, id desc);
create index tasks_by_status on tasks (account_id, status, due_at desc, id desc);
create index tasks_by_rep on tasks (account_id, rep_id, due_at desc, id desc);
create index tasks_by_rep_and_status on tasks (account_id, rep_id, status, due_at desc, id desc);
create index tasks_by_campaign on tasks (account_id, campaign_id, status);
create index tasks_by_prospect on tasks (account_id, prospect_id, due_at desc, id desc);
call make_tenant_table('tasks');

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
create index linkedin_conversations_by_person on linkedin_conversations (account_id, person_id, rep_id);
create index linkedin_connections_by_person on linkedin_connections (account_id, person_id);
call make_tenant_table('linkedin_connections');

-- Whoever answered or is out has nothing to be done any more, whichever way that came to be known.
create function cancel_tasks() returns trigger language plpgsql as $$
begin
  update tasks
     set status = 'cancelled', status_reason = 'prospect_' || new.status, ended_at = now(), updated_at = now()
   where account_id = new.account_id and prospect_id = new.id and status = 'open';
  return null;
end $$;
create trigger cancel_tasks after update of status on prospects
  for each row when (old.status <> new.status and new.status in ('replied', 'bounced', 'opted_out', 'failed'))
  execute function cancel_tasks();
