-- Events leave the house: where an account wants them posted to, and each event on its way there.

create table webhooks (
  account_id           uuid not null references accounts,
  id                   uuid not null,
  url                  text not null,
  -- Event types, or `prospect.*` for all of a family.
  event_types          text[] not null check (event_types <> '{}'),
  description          text,
  is_enabled           boolean not null default true,
  -- Why it was switched off by itself.
  disabled_reason      text check (disabled_reason in ('gone', 'failing')),
  -- Encrypted with AES-256-GCM; account and webhook are bound to them.
  secret               bytea not null,
  previous_secret      bytea,
  previous_secret_ends_at timestamptz(3),
  -- Attempts in a row that failed, since when, and why the last one did.
  failures             integer not null default 0,
  failing_since        timestamptz(3),
  last_error           text,
  last_delivered_at    timestamptz(3),
  -- One process at a time posts to it; what it does under an older epoch is void.
  lease_until          timestamptz(3),
  epoch                bigint not null default 0,
  served_at            timestamptz(3),
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (account_id, id),
  check (not is_enabled or disabled_reason is null),
  check ((previous_secret is null) = (previous_secret_ends_at is null))
);
create index webhooks_by_time on webhooks (account_id, created_at desc, id desc);
call make_tenant_table('webhooks');

-- An event for one webhook: written in the transaction of the change itself.
create table webhook_deliveries (
  account_id      uuid not null references accounts,
  id              uuid not null,
  webhook_id      uuid not null,
  -- The same for all webhooks that get the event.
  event_id        uuid not null,
  event_type      text not null,
  object_id       uuid not null,
  -- The object as JSON, as it was at the first attempt; of one that is gone, as it was before.
  data            text,
  status          text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  attempted_at    timestamptz(3),
  -- The first attempt is due at once, by whatever clock.
  due_at          timestamptz(3) not null default '-infinity',
  response_status integer,
  response        text,
  error           text,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, due_at, id) where status = 'pending';
create index webhook_deliveries_by_time on webhook_deliveries (account_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_by_status on webhook_deliveries (account_id, webhook_id, status, created_at desc, id desc);
call make_tenant_table('webhook_deliveries');

create policy engine on webhooks to overture_engine using (true);
create policy engine on webhook_deliveries to overture_engine using (true);
grant select (account_id, id, is_enabled, lease_until, epoch, served_at), update (lease_until, epoch, served_at)
  on webhooks to overture_engine;
grant select (account_id, webhook_id, status, due_at, created_at) on webhook_deliveries to overture_engine;
