-- A LinkedIn draft that is sent becomes a task of its rep, as the messages of campaigns do: done by hand, or by the
-- connected account. It stays a draft until then.

alter table tasks
  alter column step_id drop not null,
  add column linkedin_message_id uuid,
  add foreign key (account_id, linkedin_message_id) references linkedin_messages (account_id, id) on delete cascade,
  add check (num_nonnulls(step_id, linkedin_message_id) = 1);
create index tasks_by_draft on tasks (account_id, linkedin_message_id) where linkedin_message_id is not null;
-- However often somebody presses.
create unique index tasks_open_draft on tasks (account_id, linkedin_message_id)
  where linkedin_message_id is not null and status = 'open';
