-- Assistants speak through voice providers, and a call keeps what its provider tells of it.

alter table assistants
  drop constraint assistants_provider_check,
  add constraint assistants_provider_check check (provider in ('simulated', 'vapi', 'retell', 'http')),
  -- Whom the provider knows the assistant as: ids of its own, or the address of a voice stack.
  add column provider_settings    jsonb,
  -- Encrypted with AES-256-GCM; account and assistant are bound to them.
  add column api_key              bytea,
  add column callback_secret      bytea,
  add column disclosure           text,
  add column voicemail_message    text,
  add column max_duration_seconds integer check (max_duration_seconds between 30 and 7200),
  add column transfer_number      text,
  -- What the provider answered when it was last asked whether calls can be placed.
  add column status               text not null default 'active' check (status in ('unverified', 'active', 'failing')),
  add column status_reason        text,
  add column verified_at          timestamptz(3);

alter table calls
  add column extracted_data jsonb,
  add column cost_amount    numeric(14, 6) check (cost_amount >= 0),
  add column cost_currency  text,
  -- Why it ended, in the provider's own word.
  add column end_reason     text,
  -- How often its provider said that it is too busy to dial.
  add column postponements  integer not null default 0;

-- A provider that gives one id to two calls must not keep either from its end.
drop index calls_by_provider_id;
create index calls_by_provider_id on calls (account_id, provider, provider_call_id);
