-- Mail that comes back: how each mailbox is read, what was read, and what the account wants done with it. Reading has
-- a table of its own, so that the claims of the readers, renewed all the time, never wait for who changes a mailbox.

create table mailbox_readings (
  account_id    uuid not null references accounts,
  mailbox_id    uuid not null,
  host          text not null,
  port          integer not null check (port between 1 and 65535),
  tls           text not null check (tls in ('implicit', 'starttls', 'none')),
  login         text not null,
  -- Encrypted with AES-256-GCM; account, mailbox and column are bound to it.
  password      bytea not null,
  status        text not null default 'waiting' check (status in ('waiting', 'reading', 'failing')),
  status_reason text,
  -- Mail that came before that day is left alone.
  read_from     timestamptz(3) not null,
  -- When the last look began that saw every folder: whatever had arrived by then is known.
  last_read_at  timestamptz(3),
  -- When somebody has to look at it again: the end of the lease while a process reads it.
  due_at        timestamptz(3) not null default now(),
  -- Grows with each claim and each change of the settings; who reads under an older one stops.
  epoch         bigint not null default 0,
  -- Since the last success: the wait before the next attempt grows with them.
  failures      integer not null default 0,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id)
);
create index mailbox_readings_due on mailbox_readings (due_at);
call make_tenant_table('mailbox_readings');
create policy engine on mailbox_readings to overture_engine using (true);
grant select (account_id, mailbox_id, due_at, epoch) on mailbox_readings to overture_engine;
grant update (due_at, epoch) on mailbox_readings to overture_engine;

-- How far each folder was read. UIDs mean something within one UIDVALIDITY alone (RFC 9051 section 2.3.1.1).
create table mailbox_folders (
  account_id   uuid not null references accounts,
  mailbox_id   uuid not null,
  path         text not null,
  uid_validity bigint not null,
  last_uid     bigint not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (account_id, mailbox_id, path),
  foreign key (account_id, mailbox_id) references mailbox_readings (account_id, mailbox_id) on delete cascade
);
call make_tenant_table('mailbox_folders');
