-- Each change that an account may want to hear of is announced where it is stored: by triggers, so that no code that
-- changes these tables, today's or tomorrow's, can forget to. While nobody listens an announcement is one look at the
-- account's webhooks, and changes that are none of the events below never come to that: `when` tells them apart.

-- A uuid of version 7, as the server makes them.
create function new_id() returns uuid
  language sql volatile parallel safe
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid;

-- One event for each of these objects, to every webhook that wants it. Without the account in the session it finds none.
create function announce(account uuid, event text, objects uuid[], object_data text default null) returns void
  language plpgsql as $$
declare
  wanted text[] := array[event, split_part(event, '.', 1) || '.*'];
begin
  if not exists (select from webhooks w
                  where w.account_id = account and w.is_enabled and w.event_types && wanted) then
    return;
  end if;
  with events as materialized (
    select new_id() as id, object_id from unnest(objects) object_id),
  listeners as (
    -- One that is removed at this moment is waited for, and then gone.
    select w.id from webhooks w
     where w.account_id = account and w.is_enabled and w.event_types && wanted
       for key share)
  insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, data)
  select account, new_id(), l.id, e.id, event, e.object_id, object_data
    from listeners l
   cross join events e;
end $$;

-- Many at once, when they are imported.
create function announce_new_rows() returns trigger
  language plpgsql as $$
begin
  perform announce(account_id, tg_argv[0], array_agg(id order by id)) from new_rows group by account_id;
  return null;
end $$;
create trigger announce_created after insert on prospects
  referencing new table as new_rows for each statement execute function announce_new_rows('prospect.created');
create trigger announce_added after insert on opt_outs
  referencing new table as new_rows for each statement execute function announce_new_rows('opt_out.added');

create function announce_prospect() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'prospect.' || case when new.status in ('pending', 'active') then 'resumed' else new.status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_change after update of status on prospects
  for each row when (old.status <> new.status
                     and (new.status not in ('pending', 'active')
                          or old.status not in ('pending', 'active', 'out_of_office')))
  execute function announce_prospect();

create function announce_email() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'email.' || case when new.type = 'received' then 'received'
                                    when tg_op = 'UPDATE' and old.status = 'sent' then new.delivery_status
                                    when new.status = 'sent' then 'sent'
                                    else new.delivery_status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_arrival after insert on email_messages
  for each row when (new.status = 'sent')
  execute function announce_email();
create trigger announce_change after update of status, delivery_status on email_messages
  for each row when (new.status = 'sent' and old.status is distinct from 'sent'
                     or new.delivery_status in ('bounced', 'failed', 'unconfirmed')
                        and new.delivery_status is distinct from old.delivery_status)
  execute function announce_email();

create function announce_linkedin() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'linkedin.' || case when new.type = 'received' then 'received' else 'sent' end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on linkedin_messages
  for each row when (new.status = 'sent')
  execute function announce_linkedin();
create trigger announce_change after update of status on linkedin_messages
  for each row when (new.status = 'sent' and old.status <> 'sent')
  execute function announce_linkedin();

create function announce_call() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'call.' || case new.status when 'in_progress' then 'started' else new.status end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on calls
  for each row when (new.status = 'queued')
  execute function announce_call();
-- A call that was given up takes the truth when it comes after all: it has ended again, then.
create trigger announce_change after update of status, outcome on calls
  for each row when (new.status in ('in_progress', 'ended')
                     and (old.status, old.outcome) is distinct from (new.status, new.outcome))
  execute function announce_call();

create function announce_campaign() returns trigger
  language plpgsql as $$
begin
  perform announce(new.account_id,
                   'campaign.' || case when tg_op = 'INSERT' then 'created'
                                       when new.status <> 'active' then new.status
                                       when old.status = 'draft' then 'launched'
                                       else 'resumed' end,
                   array[new.id]);
  return null;
end $$;
create trigger announce_new after insert on campaigns
  for each row execute function announce_campaign();
create trigger announce_change after update of status on campaigns
  for each row when (old.status <> new.status)
  execute function announce_campaign();

-- What is gone can't be read later.
create function announce_removed_opt_out() returns trigger
  language plpgsql as $$
begin
  perform announce(old.account_id, 'opt_out.removed', array[old.id],
                   json_strip_nulls(json_build_object(
                     'id', old.id,
                     'objectType', 'communication_opt_out',
                     'createdAt', api_time(old.created_at),
                     'updatedAt', api_time(old.updated_at),
                     'identifier', old.value,
                     'identifierType', old.kind,
                     'name', old.name))::text);
  return null;
end $$;
create trigger announce_removed after delete on opt_outs
  for each row execute function announce_removed_opt_out();
