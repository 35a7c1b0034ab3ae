-- A reply on LinkedIn is read and answered with a draft like one by mail: each row is of a message of either kind, and
-- `message_id` names it. The table is rewritten, which is soon done: it has a row for each reply.

alter table agent_replies drop constraint agent_replies_pkey;
alter table agent_replies
  alter column email_message_id drop not null,
  add column linkedin_message_id uuid,
  add column message_id uuid not null generated always as (coalesce(email_message_id, linkedin_message_id)) stored,
  add primary key (account_id, message_id),
  add foreign key (account_id, linkedin_message_id) references linkedin_messages (account_id, id) on delete cascade,
  add check (num_nonnulls(email_message_id, linkedin_message_id) = 1);

-- For what goes with its message.
create index agent_replies_by_email_message on agent_replies (account_id, email_message_id)
  where email_message_id is not null;
create index agent_replies_by_linkedin_message on agent_replies (account_id, linkedin_message_id)
  where linkedin_message_id is not null;

grant select (message_id, linkedin_message_id) on agent_replies to overture_engine;
