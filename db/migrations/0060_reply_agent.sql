-- Replies are told apart, and a model may write drafts that answer them: what an account told of its model, what a
-- campaign's drafts may say, and each reply on its way through both.

create table reply_agents (
  account_id              uuid primary key references accounts,
  provider                text not null check (provider in ('openai', 'anthropic', 'openai_compatible', 'simulated')),
  model                   text not null,
  base_url                text,
  -- Encrypted with AES-256-GCM, bound to its account. A local server may want none.
  api_key                 bytea,
  is_enabled              boolean not null default true,
  -- US dollars for a million tokens, as the provider's price list has them.
  input_price             numeric(12, 6),
  output_price            numeric(12, 6),
  daily_replies           integer not null default 200 check (daily_replies > 0),
  autopilot_intents       text[] not null default '{}',
  autopilot_delay_minutes integer not null default 30 check (autopilot_delay_minutes > 0),
  autopilot_daily_cap     integer not null default 20 check (autopilot_daily_cap > 0),
  verified_at             timestamptz(3),
  created_at              timestamptz(3) not null default now(),
  updated_at              timestamptz(3) not null default now()
);
call make_tenant_table('reply_agents');

create table campaign_knowledge (
  account_id   uuid not null references accounts,
  campaign_id  uuid not null,
  offer        text,
  answers      text,
  next_step    text,
  tone         text,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id)
);
call make_tenant_table('campaign_knowledge');

-- A received mail that somebody wrote, made in the transaction that stored it.
create table agent_replies (
  account_id       uuid not null references accounts,
  email_message_id uuid not null,
  campaign_id      uuid,
  -- `pending` waits for the model, `scheduled` for the time at which autopilot sends its draft.
  state            text not null check (state in ('pending', 'scheduled', 'done', 'failed')),
  intent           text check (intent in ('interested', 'question', 'objection', 'not_now', 'wrong_person', 'opt_out', 'auto')),
  intent_by        text not null check (intent_by in ('rules', 'model')),
  not_now_until    date,
  referral         jsonb,
  -- Why there is no draft, why it failed, or why autopilot left the draft to a person.
  reason           text,
  -- The draft, as it was when it was written; it may be gone since.
  draft_id         uuid,
  drafted_at       timestamptz(3),
  sends_at         timestamptz(3),
  autopilot_sent_at timestamptz(3),
  model            text,
  -- When the model was asked last; written before it is.
  asked_at         timestamptz(3),
  input_tokens     integer not null default 0,
  output_tokens    integer not null default 0,
  cost_usd         numeric(14, 8),
  -- When it may be claimed; a claim lasts until then, and what is done under an older epoch is void.
  due_at           timestamptz(3),
  epoch            bigint not null default 0,
  attempts         integer not null default 0,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (account_id, email_message_id),
  foreign key (account_id, email_message_id) references email_messages (account_id, id) on delete cascade,
  foreign key (account_id, campaign_id) references campaigns (account_id, id),
  check ((state in ('pending', 'scheduled')) = (due_at is not null))
);
create index agent_replies_due on agent_replies (due_at) where state in ('pending', 'scheduled');
create index agent_replies_asked on agent_replies (account_id, asked_at) where asked_at is not null;
create index agent_replies_autopilot on agent_replies (account_id, autopilot_sent_at) where autopilot_sent_at is not null;
create index agent_replies_by_time on agent_replies (account_id, created_at desc, email_message_id desc);
call make_tenant_table('agent_replies');

create policy engine on agent_replies to overture_engine using (true);
grant select (account_id, email_message_id, state, due_at, epoch, attempts), update (due_at, epoch, attempts)
  on agent_replies to overture_engine;
