-- A campaign is a sequence: steps that wait for a delay after the one before, each a mail in one or more variants, in
-- the thread of the mails before it or in a new one. What was sent of a step or a variant outlives its removal, so both
-- keep their rows.

alter table campaign_steps
  add column delay_amount integer not null default 0 check (delay_amount between 0 and 10000),
  add column delay_unit   text not null default 'minutes' check (delay_unit in ('minutes', 'hours', 'days', 'business_days')),
  add column thread       text not null default 'new' check (thread in ('same', 'new')),
  -- A removed step's position is that of the last of the others before it.
  add column removed_at   timestamptz(3),
  drop constraint campaign_steps_account_id_campaign_id_position_key,
  drop constraint campaign_steps_position_check,
  add constraint campaign_steps_position_check check (position > 0 or removed_at is not null and position = 0);
create unique index campaign_steps_by_position on campaign_steps (account_id, campaign_id, position) where removed_at is null;
create index campaign_steps_by_campaign on campaign_steps (account_id, campaign_id);

create table campaign_step_variants (
  account_id uuid not null references accounts,
  id         uuid not null,
  step_id    uuid not null,
  position   integer not null,
  -- None when the step answers in the thread of the mails before it.
  subject    text,
  body       text not null,
  weight     integer not null check (weight between 0 and 1000),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, step_id) references campaign_steps (account_id, id) on delete cascade
);
create index campaign_step_variants_by_step on campaign_step_variants (account_id, step_id);

-- Forced, the policies would hide the rows from the tables' owner, too.
alter table campaign_steps no force row level security;
insert into campaign_step_variants (account_id, id, step_id, position, subject, body, weight, created_at, updated_at)
select account_id, gen_random_uuid(), id, 1, subject, body, 1, created_at, updated_at from campaign_steps;
alter table campaign_steps
  drop column subject,
  drop column body,
  force row level security;
call make_tenant_table('campaign_step_variants');

-- Since when the delay of the next step counts: the last step's sending, at first the adding.
alter table prospects add column waits_since timestamptz(3);

alter table email_messages add column variant_id uuid;
