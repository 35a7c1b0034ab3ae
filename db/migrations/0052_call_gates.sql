-- Before an assistant dials: how often a number may call and be called in a day, one call at a time for a person, and
-- what holds or refuses a call, in words that tell what to do.

alter table assistants
  -- In any 24 hours, attempts counted.
  add column daily_cap            integer not null default 100 check (daily_cap between 1 and 10000),
  add column daily_cap_per_number integer not null default 3 check (daily_cap_per_number between 1 and 20);

alter table calls
  add column held_by        text,
  add column outcome_advice text;

create index calls_by_caller on calls (account_id, from_number, placed_at desc) where placed_at is not null;
create index calls_by_called on calls (account_id, to_number, placed_at desc) where placed_at is not null;
create index calls_under_way on calls (account_id, id) where status in ('dialing', 'in_progress');
