-- What a person decides about a send whose end nobody knows, and the ids that servers gave to our messages.

-- Sent again by a person's choice after an end that nobody knows: its step is over already, whatever becomes of it now.
alter table email_sends add column is_repeat boolean not null default false;

-- Few by their nature, and looked for among all messages.
create index email_messages_unconfirmed on email_messages (account_id, sent_at desc, id desc)
 where delivery_status = 'unconfirmed';

-- Other Message-IDs of our messages: some servers put their own in place of ours, and answers then name that.
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
