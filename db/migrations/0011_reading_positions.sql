-- One mail that can't be read must not keep its mailbox from being read: how often the next mail of a folder was begun
-- and not done is counted, and what is left out in the end stands here with the reason.

alter table mailbox_folders
  add column trying_uid bigint,
  add column tries      integer not null default 0;

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

-- Sends that nobody knows the end of are looked for in the folder of sent mail.
create index email_sends_unconfirmed on email_sends (account_id, mailbox_id, ended_at) where state = 'unconfirmed';
