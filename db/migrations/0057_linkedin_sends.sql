-- Where a rep's LinkedIn is connected through a provider that acts, invitations and messages are sent by the engine in
-- place of the rep. What nobody can know of afterwards is shown to the rep, and never tried again by itself.

create table linkedin_sends (
  account_id          uuid not null references accounts,
  task_id             uuid not null,
  linkedin_account_id uuid not null,
  kind                text not null check (kind in ('invitation', 'message')),
  state               text not null default 'queued' check (state in ('queued', 'claimed', 'sent', 'refused', 'unconfirmed')),
  due_at              timestamptz(3) not null,
  epoch               bigint not null default 0,
  attempts            integer not null default 0,
  -- When the provider was last asked to send it: what the caps count.
  asked_at            timestamptz(3),
  response            text,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (account_id, task_id),
  foreign key (account_id, task_id) references tasks (account_id, id) on delete cascade,
  foreign key (account_id, linkedin_account_id) references linkedin_accounts (account_id, id) on delete cascade
);
create index linkedin_sends_due on linkedin_sends (due_at) where state in ('queued', 'claimed');
create index linkedin_sends_asked on linkedin_sends (account_id, linkedin_account_id, kind, asked_at);
call make_tenant_table('linkedin_sends');
create policy engine on linkedin_sends to overture_engine using (true);
grant select (account_id, task_id, state, due_at, epoch, attempts) on linkedin_sends to overture_engine;
grant update (state, due_at, epoch, attempts) on linkedin_sends to overture_engine;
