-- What comes back has a place: every mail that has to do with one of ours, once however often it is handed in, with
-- what it was taken for. The inbox shows what people wrote and what answers for them; reports of servers leave their
-- trace here and at the mail that they are about.

create table received_mails (
  account_id   uuid not null references accounts,
  -- That of the message under which the inbox shows it, where it does.
  id           uuid not null,
  -- SHA-256 of its Message-ID, or of all its bytes where it has none.
  fingerprint  bytea not null,
  mailbox_id   uuid not null,
  kind         text not null check (kind in ('reply', 'auto_reply', 'unsubscribe', 'bounce', 'complaint')),
  -- The worst that a bounce says of an address it was believed about.
  bounce_class text check (bounce_class in ('hard', 'soft', 'policy', 'unknown')),
  -- The mail of ours that it answers or is about.
  about_id     uuid,
  received_at  timestamptz(3) not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, fingerprint),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  -- A step that is taken back was never delivered, whatever somebody says of it.
  foreign key (account_id, about_id) references email_messages (account_id, id) on delete set null (about_id),
  check (bounce_class is null or kind = 'bounce')
);
create index received_mails_by_about on received_mails (account_id, about_id);
create index received_mails_of_policy on received_mails (account_id, mailbox_id, received_at) where bounce_class = 'policy';
call make_tenant_table('received_mails');

alter table email_messages
  add column received_kind text check (received_kind in ('reply', 'auto_reply', 'unsubscribe')),
  -- What its writer wrote anew, without what it answers.
  add column new_text text,
  -- Names, types and sizes.
  add column attachments jsonb,
  drop constraint email_messages_delivery_status_check,
  add constraint email_messages_delivery_status_check
      check (delivery_status in ('queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced'));

-- Until then nobody reads what is sent, as their automatic reply says.
alter table prospects add column away_until timestamptz(3);

alter table accounts
  -- Whose other sequences pause when somebody replies.
  add column reply_pauses text not null default 'person' check (reply_pauses in ('person', 'company_domain')),
  -- What is done when somebody asks in their own words for no more mail.
  add column unsubscribe_words text not null default 'mark' check (unsubscribe_words in ('mark', 'opt_out'));

alter table mailboxes
  -- Counted up, it makes the old address for pushed mail void.
  add column inbound_key_number integer not null default 1,
  -- Whether its server delivers name+anything@ to it.
  add column plus_addressing boolean not null default false;
