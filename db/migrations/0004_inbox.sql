-- The inbox: email threads and messages, their way to the mail server, LinkedIn conversations and messages, tags.
-- Each filter of a list has an index in the list's own order, so that a page costs the same wherever it lies. For
-- filters that come together there are the indexes by kind: type, status and place in the thread in one word, of which
-- there are seventeen, so that a page is the merge of the few ranges that its filters leave. LinkedIn's kinds tell
-- type, status and whether it is unread.

create table tags (
  account_id uuid not null references accounts,
  id         uuid not null,
  name       text not null,
  name_key   text not null generated always as (lower(name)) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, name_key)
);
create index tags_by_time on tags (account_id, created_at desc, id desc);
call make_tenant_table('tags');

create table email_threads (
  account_id  uuid not null references accounts,
  id          uuid not null,
  subject     text not null,
  person_id   uuid,
  prospect_id uuid,
  campaign_id uuid,
  rep_id      uuid,
  mailbox_id  uuid,
  -- Names of its tags, copied to each of its messages for the list.
  tags        text[] not null default '{}',
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index email_threads_by_prospect on email_threads (account_id, prospect_id);
call make_tenant_table('email_threads');

create table email_messages (
  account_id       uuid not null references accounts,
  id               uuid not null,
  thread_id        uuid not null,
  campaign_id      uuid,
  step_id          uuid,
  prospect_id      uuid,
  rep_id           uuid,
  mailbox_id       uuid,
  type             text not null check (type in ('manual', 'campaign', 'reply_agent', 'received')),
  -- Null while an outgoing message is not yet with the mail server.
  status           text check (status in ('sent', 'draft')),
  delivery_status  text check (delivery_status in ('queued', 'sending', 'unconfirmed', 'failed', 'suppressed')),
  delivery_reason  text,
  subject          text not null,
  body             text not null,
  -- Said when it is written: a name with a tag in it must not turn a plain mail into HTML.
  body_format      text not null default 'text' check (body_format in ('text', 'html')),
  sender           jsonb,
  recipients       jsonb not null,
  message_id       text not null,
  in_reply_to      text,
  reference_ids    text[] not null default '{}',
  -- Where answers to a received message are wanted, when that is not its sender.
  reply_to         jsonb,
  sent_at          timestamptz(3) not null,
  -- The last of its thread among those of the same status.
  is_last          boolean not null default false,
  kind             text not null generated always as
                     (type || case status when 'sent' then ' sent' when 'draft' then ' draft' else ' unsent' end
                           || case when is_last then ' last' else '' end) stored,
  tags             text[] not null default '{}',
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, thread_id) references email_threads (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  check (not is_last or status is not null),
  check (type <> 'received' or status = 'sent')
);
create index email_messages_by_time on email_messages (account_id, sent_at desc, id desc);
create index email_messages_by_thread on email_messages (account_id, thread_id, sent_at desc, id desc);
create index email_messages_by_campaign on email_messages (account_id, campaign_id, sent_at desc, id desc);
create index email_messages_by_prospect on email_messages (account_id, prospect_id, sent_at desc, id desc);
create index email_messages_by_rep on email_messages (account_id, rep_id, sent_at desc, id desc);
create index email_messages_by_status on email_messages (account_id, status, sent_at desc, id desc);
create index email_messages_by_rep_and_campaign on email_messages (account_id, rep_id, campaign_id, sent_at desc, id desc);
create index email_messages_by_type on email_messages (account_id, type, sent_at desc, id desc);
create index email_messages_by_kind on email_messages (account_id, kind, sent_at desc, id desc);
create index email_messages_by_campaign_and_kind on email_messages (account_id, campaign_id, kind, sent_at desc, id desc);
create index email_messages_by_rep_and_kind on email_messages (account_id, rep_id, kind, sent_at desc, id desc);
create index email_messages_by_rep_and_campaign_and_kind on email_messages (account_id, rep_id, campaign_id, kind, sent_at desc, id desc);
create index email_messages_last on email_messages (account_id, status, sent_at desc, id desc) where is_last;
create unique index email_messages_one_last on email_messages (account_id, thread_id, status) where is_last;
create index email_messages_by_message_id on email_messages (account_id, message_id);
call make_tenant_table('email_messages');

-- What a list needs to know of each tagged message, under the names that email_messages has: a tag's messages are
-- read from here, in the list's order.
create table email_message_tags (
  account_id  uuid not null references accounts,
  tag_id      uuid not null,
  id          uuid not null,
  thread_id   uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  rep_id      uuid,
  kind        text not null,
  sent_at     timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references email_messages (account_id, id) on delete cascade
);
create index email_message_tags_by_time on email_message_tags (account_id, tag_id, sent_at desc, id desc);
create index email_message_tags_by_kind on email_message_tags (account_id, tag_id, kind, sent_at desc, id desc);
create index email_message_tags_by_rep on email_message_tags (account_id, tag_id, rep_id, sent_at desc, id desc);
create index email_message_tags_by_rep_and_kind on email_message_tags (account_id, tag_id, rep_id, kind, sent_at desc, id desc);
create index email_message_tags_by_rep_and_campaign on email_message_tags (account_id, tag_id, rep_id, campaign_id, sent_at desc, id desc);
create index email_message_tags_by_campaign on email_message_tags (account_id, tag_id, campaign_id, sent_at desc, id desc);
create index email_message_tags_by_thread on email_message_tags (account_id, tag_id, thread_id, sent_at desc, id desc);
create index email_message_tags_by_prospect on email_message_tags (account_id, tag_id, prospect_id, sent_at desc, id desc);
create index email_message_tags_by_message on email_message_tags (account_id, id);
call make_tenant_table('email_message_tags');

-- The way of one message to its mail server. `dot_pending` is committed before the final dot may leave; whoever
-- finds it after a crash cannot know whether it left, so nothing is ever sent again from there by itself.
create table email_sends (
  account_id       uuid not null references accounts,
  message_id       uuid not null,
  mailbox_id       uuid not null,
  campaign_id      uuid,
  prospect_id      uuid,
  step_id          uuid,
  state            text not null check (state in ('queued', 'claimed', 'dot_pending', 'sent', 'refused', 'failed', 'unconfirmed')),
  -- All addresses it goes to, in canonical form: what an opt-out looks for.
  recipient_emails text[] not null,
  attempts         integer not null default 0,
  -- When somebody has to look at it again: the time to send it when queued, the end of the lease afterwards.
  due_at           timestamptz(3) not null default now(),
  -- Grows with each claim; work done under an older one is void.
  epoch            bigint not null default 0,
  dot_pending_at   timestamptz(3),
  ended_at         timestamptz(3),
  response         text,
  queue_id         text,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, message_id),
  -- A step is sent to a prospect at most once.
  unique (account_id, prospect_id, step_id),
  foreign key (account_id, message_id) references email_messages (account_id, id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id)
);
create index email_sends_due on email_sends (due_at) where state in ('queued', 'claimed', 'dot_pending');
create index email_sends_in_flight on email_sends (account_id) where state = 'dot_pending';
create index email_sends_by_mailbox on email_sends (account_id, mailbox_id) where state in ('queued', 'claimed', 'dot_pending');
create index email_sends_by_campaign on email_sends (account_id, campaign_id) where state in ('queued', 'claimed', 'dot_pending');
call make_tenant_table('email_sends');
create policy engine on email_sends to overture_engine using (true);
grant select (account_id, message_id, mailbox_id, campaign_id, state, due_at, epoch, attempts) on email_sends to overture_engine;
grant update (state, due_at, epoch, attempts, updated_at) on email_sends to overture_engine;

create table linkedin_conversations (
  account_id      uuid not null references accounts,
  id              uuid not null,
  -- The provider's name of it: what the API calls conversationId.
  conversation_id text not null,
  person_id       uuid,
  prospect_id     uuid,
  campaign_id     uuid,
  rep_id          uuid,
  tags            text[] not null default '{}',
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, conversation_id),
  foreign key (account_id, person_id) references persons (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
call make_tenant_table('linkedin_conversations');

create table linkedin_messages (
  account_id             uuid not null references accounts,
  id                     uuid not null,
  conversation_record_id uuid not null,
  conversation_id        text not null,
  prospect_id            uuid,
  campaign_id            uuid,
  rep_id                 uuid,
  text                   text not null,
  type                   text not null check (type in ('manual', 'campaign', 'reply_agent', 'received')),
  status                 text not null check (status in ('sent', 'draft')),
  is_unread              boolean not null default false,
  happened_at            timestamptz(3) not null,
  kind                   text not null generated always as
                           (type || ' ' || status || case when is_unread then ' unread' else '' end) stored,
  tags                   text[] not null default '{}',
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, conversation_record_id) references linkedin_conversations (account_id, id),
  foreign key (account_id, prospect_id) references prospects (account_id, id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  foreign key (account_id, rep_id) references reps (account_id, id)
);
-- The list always filters by status.
create index linkedin_messages_by_time on linkedin_messages (account_id, status, happened_at desc, id desc);
create index linkedin_messages_by_prospect on linkedin_messages (account_id, prospect_id, status, happened_at desc, id desc);
create index linkedin_messages_by_campaign on linkedin_messages (account_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_messages_by_rep on linkedin_messages (account_id, rep_id, status, happened_at desc, id desc);
create index linkedin_messages_by_type on linkedin_messages (account_id, type, status, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_campaign on linkedin_messages (account_id, rep_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_messages_by_campaign_and_kind on linkedin_messages (account_id, campaign_id, kind, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_kind on linkedin_messages (account_id, rep_id, kind, happened_at desc, id desc);
create index linkedin_messages_by_rep_and_campaign_and_kind on linkedin_messages (account_id, rep_id, campaign_id, kind, happened_at desc, id desc);
create index linkedin_messages_unread on linkedin_messages (account_id, status, happened_at desc, id desc) where is_unread;
create index linkedin_messages_by_conversation on linkedin_messages (account_id, conversation_record_id, happened_at desc, id desc);
call make_tenant_table('linkedin_messages');

create table linkedin_message_tags (
  account_id  uuid not null references accounts,
  tag_id      uuid not null,
  id          uuid not null,
  prospect_id uuid,
  campaign_id uuid,
  rep_id      uuid,
  status      text not null,
  kind        text not null,
  happened_at timestamptz(3) not null,
  primary key (account_id, tag_id, id),
  foreign key (account_id, tag_id) references tags (account_id, id),
  foreign key (account_id, id) references linkedin_messages (account_id, id) on delete cascade
);
create index linkedin_message_tags_by_time on linkedin_message_tags (account_id, tag_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_rep on linkedin_message_tags (account_id, tag_id, rep_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_kind on linkedin_message_tags (account_id, tag_id, kind, happened_at desc, id desc);
create index linkedin_message_tags_by_rep_and_kind on linkedin_message_tags (account_id, tag_id, rep_id, kind, happened_at desc, id desc);
create index linkedin_message_tags_by_rep_and_campaign on linkedin_message_tags (account_id, tag_id, rep_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_campaign on linkedin_message_tags (account_id, tag_id, campaign_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_prospect on linkedin_message_tags (account_id, tag_id, prospect_id, status, happened_at desc, id desc);
create index linkedin_message_tags_by_message on linkedin_message_tags (account_id, id);
call make_tenant_table('linkedin_message_tags');
