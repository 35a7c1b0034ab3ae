-- Which mail of ours made somebody opt out: what a campaign's numbers tell of each step.

alter table opt_outs
  -- The message may be deleted and the entry stays, so it is no foreign key.
  add column email_message_id uuid;
create index opt_outs_by_message on opt_outs (account_id, email_message_id) where email_message_id is not null;
