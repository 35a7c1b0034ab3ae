-- A step of a campaign may be a call by an assistant. It becomes a call like any other, which knows the step it is of and
-- which attempt at it. One that is taken back before it is dialed was no attempt: the step may be called for anew.

alter table campaign_steps
  drop constraint campaign_steps_channel_check,
  add constraint campaign_steps_channel_check check (channel in (
    'email', 'call', 'linkedin_connect', 'linkedin_message', 'linkedin_view', 'linkedin_like', 'task')),
  add column assistant_id       uuid,
  add column call_data          jsonb,
  add column on_answered        text check (on_answered in ('stop', 'continue')),
  add column retries            integer check (retries between 0 and 5),
  add column retry_after_amount integer check (retry_after_amount between 1 and 10000),
  add column retry_after_unit   text check (retry_after_unit in ('minutes', 'hours', 'days', 'business_days')),
  add constraint campaign_steps_call_check check (
    case when channel = 'call' then num_nulls(on_answered, retries, retry_after_amount, retry_after_unit) = 0
         else num_nonnulls(assistant_id, call_data, on_answered, retries, retry_after_amount, retry_after_unit) = 0 end),
  add foreign key (account_id, assistant_id) references assistants (account_id, id);

alter table calls
  add column campaign_id uuid,
  add column step_id     uuid,
  add column attempt     integer check (attempt > 0),
  add constraint calls_step_check check (
    num_nonnulls(campaign_id, step_id, attempt) = case when step_id is null then 0 else 3 end
    and (step_id is null or prospect_id is not null)),
  drop constraint calls_outcome_check,
  add constraint calls_outcome_check check (outcome in (
    'answered', 'voicemail', 'no_answer', 'busy', 'failed', 'refused', 'withdrawn'));
create unique index calls_of_steps on calls (account_id, prospect_id, step_id, attempt)
  where step_id is not null and outcome is distinct from 'withdrawn';
create index calls_by_campaign on calls (account_id, campaign_id, status) where campaign_id is not null;

-- Whoever answered, is out or paused is not dialed any more, whichever way that came to be known. A paused one is called
-- for anew once it goes on.
create function withdraw_calls() returns trigger language plpgsql as $$
begin
  update calls
     set status = 'ended', outcome = 'withdrawn', ended_at = now(),
         outcome_reason = case when new.status <> 'paused' then 'prospect_' || new.status
                               when new.status_reason = 'do_not_contact' then 'do_not_contact'
                               when new.status_reason = 'replied_elsewhere' then 'prospect_replied'
                               else 'prospect_paused' end,
         held_by = null, due_at = null, lease_until = null, updated_at = now()
   where account_id = new.account_id and prospect_id = new.id and step_id is not null and status = 'queued';
  if found and new.status = 'paused' then
    update prospects set next_step_at = coalesce(next_step_at, now()) where account_id = new.account_id and id = new.id;
  end if;
  return null;
end $$;
create trigger withdraw_calls after update of status on prospects
  for each row when (old.status <> new.status and new.status in ('replied', 'bounced', 'opted_out', 'failed', 'paused'))
  execute function withdraw_calls();
