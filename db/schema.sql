-- Generated from the migrations by `npm run schema`; read it, never edit it.

CREATE OR REPLACE FUNCTION public.add_person_activity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into person_activity (account_id, person_id) select account_id, id from added;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.analyze_grown_tables()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
declare
  grown regclass;
begin
  for grown in
    select oid from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and pg_relation_size(oid) > (2 * relpages + 1) * current_setting('block_size')::bigint
  loop
    execute format('analyze (skip_locked) %s', grown);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION public.announce(account uuid, event text, objects uuid[], object_data text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  wanted text[] := array['*', event, split_part(event, '.', 1) || '.*'];
begin
  with recorded as (
    insert into events (account_id, id, event_type, object_id, data)
    select account, new_id(), event, about, object_data from unnest(objects) about
    returning id, object_id),
  listeners as (
    -- Waits for a webhook that is being deleted, which is then left out.
    select w.id from webhooks w
     where w.account_id = account and w.is_enabled and w.event_types && wanted
       for key share)
  insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, data)
  select account, new_id(), l.id, e.id, event, e.object_id, object_data
    from listeners l
   cross join recorded e;
  if exists (select from live_accounts where account_id = account and until > now()) then
    perform pg_notify('events_recorded', account::text);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_access_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('access_changed', '');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_approval_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id, tg_argv[0] || '.approval_requested', array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_call()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'call.' || case new.status when 'in_progress' then 'started' else new.status end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_campaign()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'campaign.' || case when tg_op = 'INSERT' then 'created'
                                       when new.status <> 'active' then new.status
                                       when old.status = 'draft' then 'launched'
                                       else 'resumed' end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_conversation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id, 'conversation.updated', array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'email.' || case when new.type = 'received' then 'received'
                                    when tg_op = 'UPDATE' and old.status = 'sent' then new.delivery_status
                                    when new.status = 'sent' then 'sent'
                                    else new.delivery_status end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_linkedin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'linkedin.' || case when new.type = 'received' then 'received' else 'sent' end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_mailbox()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'mailbox.' || case when old.paused_at is distinct from new.paused_at
                                        then case when new.paused_at is null then 'resumed' else 'paused' end
                                      when new.status = 'failing' then 'failing'
                                      else 'recovered' end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_meeting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'meeting.' || case when tg_op = 'INSERT' then 'booked'
                                      when new.status = 'cancelled' then 'cancelled'
                                      else 'rescheduled' end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_merge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id, 'person.merged', array[new.merged_into_id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_new_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(account_id, tg_argv[0], array_agg(id order by id)) from new_rows group by account_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_notifications()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('events_recorded', l.account_id || ' notifications')
     from live_accounts l
    where l.until > now() and l.account_id in (select account_id from changed_rows);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_problem()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform announce(new.account_id, 'problem.opened', array[new.id], problem_json(new));
  else
    perform announce(old.account_id, 'problem.resolved', array[old.id], problem_json(old));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_prospect()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'prospect.' || case when new.status in ('pending', 'active') then 'resumed' else new.status end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_removed_opt_out()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(old.account_id, 'opt_out.removed', array[old.id],
                   json_strip_nulls(json_build_object(
                     'id', old.id,
                     'objectType', 'communication_opt_out',
                     'createdAt', api_time(old.created_at),
                     'updatedAt', api_time(old.updated_at),
                     'identifier', old.value,
                     'identifierType', old.kind,
                     'name', old.name,
                     'source', old.source,
                     'addedById', old.added_by_id,
                     'addedBy', (select name from users where id = old.added_by_id)))::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_removed_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(account_id, tg_argv[0], array_agg(id order by id)) from old_rows group by account_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id,
                   'task.' || case new.status when 'open' then 'created' else new.status end,
                   array[new.id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.announce_winner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(new.account_id, 'campaign.variant_won', array[new.campaign_id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.api_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE OR REPLACE FUNCTION public.cancel_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with cancelled as (
    update tasks t
       set status = 'cancelled', status_reason = 'prospect_' || new.status, ended_at = now(), updated_at = now()
     where t.account_id = new.account_id and t.prospect_id = new.id and t.status = 'open' and t.title is null
       and (t.step_id is not null or new.status = 'opted_out')
       and not exists (select from linkedin_sends e
                        where e.account_id = t.account_id and e.task_id = t.id and e.state = 'unconfirmed')
    returning t.id)
  -- If the step is planned again, another rep may send it, or it may be done by hand, so this send must end.
  update linkedin_sends
     set state = 'refused', response = 'prospect_' || new.status, updated_at = now()
   where account_id = new.account_id and task_id in (select id from cancelled) and state = 'queued';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_from_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select type, campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, recipient_domain,
         case when type = 'campaign' and status = 'sent' then sent_at end
    into new.about_type, new.campaign_id, new.prospect_id, new.step_id, new.variant_id, new.rep_id, new.about_mailbox_id,
         new.recipient_domain, new.contacted_at
    from email_messages
   where account_id = new.account_id and id = new.about_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_intent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update prospects r
     set intent = new.intent, updated_at = now()
    from (select m.prospect_id from email_messages m
           where m.account_id = new.account_id and m.id = new.email_message_id
          union all
          select m.prospect_id from linkedin_messages m
           where m.account_id = new.account_id and m.id = new.linkedin_message_id) m
   where r.account_id = new.account_id and r.id = m.prospect_id and r.intent is distinct from new.intent
     and (new.intent <> 'auto' or r.intent is null);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_to_conversation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update conversations
     set person_id = new.person_id, prospect_id = new.prospect_id, campaign_id = new.campaign_id, rep_id = new.rep_id,
         updated_at = now()
   where account_id = new.account_id and id = new.id;
  if (new.tags, new.rep_id) is distinct from (old.tags, old.rep_id) then
    perform refresh_conversation_tags(new.account_id, new.id, new.tags);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.copy_to_received_mails()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Makes copy_from_message copy the columns again.
  update received_mails set about_id = about_id where account_id = new.account_id and about_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.current_account_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.account_id'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION public.current_user_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.user_id'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION public.domain_and_parents(domain text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT COALESCE(array_agg(array_to_string(labels.labels[i.i:], '.'::text) ORDER BY i.i), '{}'::text[]) AS "coalesce" FROM string_to_array(domain_and_parents.domain, '.'::text) labels(labels), LATERAL generate_subscripts(labels.labels, 1) i(i));

CREATE OR REPLACE FUNCTION public.end_connections_of_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with ended as (
    update oauth_grants set revoked_at = now(), updated_at = now()
     where account_id = old.account_id and user_id = old.user_id and revoked_at is null
 returning id)
  insert into audit_log (account_id, id, actor, action, object_type, object_id)
  select old.account_id, new_id(), 'system', 'disconnect', 'oauth_grant', id from ended;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.end_frozen_sessions()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  with frozen as materialized (
    select pid
      from pg_stat_activity
     where datname = current_database() and application_name in ('overture overture_app', 'overture overture_engine')
       and state = 'active' and wait_event = 'ClientRead'
       and state_change < clock_timestamp() - nullif(current_setting('statement_timeout'), '0')::interval)
  select count(*) filter (where pg_terminate_backend(pid)) from frozen
$function$;

CREATE OR REPLACE FUNCTION public.erased_identifier(outer_pad bytea, inner_pad bytea, account uuid, kind text, value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (kind = ANY (ARRAY['email'::text, 'linkedin'::text, 'phone'::text])) THEN ('erased:'::text || encode(sha256((outer_pad || sha256((inner_pad || convert_to(((((account || ' '::text) || kind) || ' '::text) || value), 'UTF8'::name))))), 'hex'::text)) ELSE NULL::text END;

CREATE OR REPLACE FUNCTION public.find_by_custom(given jsonb, max_rows integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
  select id from persons
   where account_id = current_account_id() and custom @> given and custom <> '{}' limit max_rows
$function$;

CREATE OR REPLACE FUNCTION public.find_by_words(searched regclass, query text, max_rows integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
declare
  words text := coalesce(
    (select string_agg(format('search_text like %L', pattern), ' and ') from unnest(word_patterns(query)) pattern), 'false');
begin
  return query execute format('select id from %s where account_id = $1 and %s limit $2', searched, words)
    using current_account_id(), max_rows;
  if not found then
    return query execute format(
      'select id from %s where account_id = $1 and $2 <%% search_text
        order by word_similarity($2, search_text) desc, id limit $3', searched)
      using current_account_id(), search_key(query), least(max_rows, 100);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.find_messages(searched regclass, query text, max_rows integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
AS $function$
declare
  words text := case searched
                  when 'email_messages'::regclass then 'message_words(subject, coalesce(new_text, body))'
                  else $sql$message_words('', text)$sql$
                end;
begin
  return query execute format(
    'select id from %s where account_id = $1 and type <> ''campaign'' and %s @@ $2 limit $3', searched, words)
    using current_account_id(), words_query(query), max_rows;
end $function$;

CREATE OR REPLACE FUNCTION public.find_newest_by_words(query text, min_found integer)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
AS $function$
  select array_agg(id)
    from (select id, search_text
            from persons
           where account_id = (select current_account_id())
           order by created_at desc, id desc
           limit 2000) newest
   where search_text like all ((select word_patterns(query))::text[])
  having count(*) >= min_found
$function$;

CREATE OR REPLACE FUNCTION public.follow_merge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.person_id := coalesce(
    (select merged_into_id from persons where account_id = new.account_id and id = new.person_id for key share),
    new.person_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.is_aside(message email_messages)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (((message).type = 'manual'::text) AND (EXISTS (SELECT FROM email_messages WHERE ((email_messages.account_id = (is_aside.message).account_id) AND (email_messages.thread_id = (is_aside.message).thread_id) AND (email_messages.type = 'received'::text)))) AND (NOT (EXISTS (SELECT FROM email_messages o WHERE ((o.account_id = (is_aside.message).account_id) AND (o.thread_id = (is_aside.message).thread_id) AND (o.type = ANY (ARRAY['received'::text, 'campaign'::text])) AND (list_addresses((COALESCE(((is_aside.message).recipients -> 'to'::text), '[]'::jsonb) || COALESCE(((is_aside.message).recipients -> 'cc'::text), '[]'::jsonb))) && list_addresses(((CASE o.type WHEN 'received'::text THEN (jsonb_build_array(o.sender) || COALESCE(o.reply_to, '[]'::jsonb)) ELSE '[]'::jsonb END || COALESCE((o.recipients -> 'to'::text), '[]'::jsonb)) || COALESCE((o.recipients -> 'cc'::text), '[]'::jsonb)))))))));

CREATE OR REPLACE FUNCTION public.is_irregular_after(earlier email_messages, later email_messages)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN ((NOT ((later).step_id IS DISTINCT FROM (earlier).step_id)) OR (NOT ((later).variant_id IS DISTINCT FROM (earlier).variant_id)) OR (((((later).campaign_id IS DISTINCT FROM (earlier).campaign_id) OR ((later).rep_id IS DISTINCT FROM (earlier).rep_id)) OR ((later).mailbox_id IS DISTINCT FROM (earlier).mailbox_id)) OR ((later).recipient_domain IS DISTINCT FROM (earlier).recipient_domain)));

CREATE OR REPLACE FUNCTION public.list_addresses(contacts jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN ARRAY(SELECT lower((contact.value ->> 'email'::text)) AS lower FROM jsonb_array_elements(list_addresses.contacts) contact(value));

CREATE OR REPLACE PROCEDURE public.make_search_function(IN search_function regprocedure)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('revoke execute on function %s from public', search_function);
  execute format('grant execute on function %s to overture_app', search_function);
  grant create on schema public to overture_search;
  execute format('alter function %s owner to overture_search', search_function);
  revoke create on schema public from overture_search;
end $procedure$;

CREATE OR REPLACE PROCEDURE public.make_tenant_table(IN tenant_table regclass)
 LANGUAGE plpgsql
AS $procedure$
declare
  primary_key name;
  definition text;
begin
  execute format('alter table %s enable row level security, force row level security', tenant_table);
  execute format(
    'create policy tenant on %s to overture_app using (account_id = (select current_account_id()))'
    ' with check (account_id = (select current_account_id()))', tenant_table);
  execute format('grant select, insert, update, delete on %s to overture_app', tenant_table);
  -- While a table is empty, all its indexes seem to cost the same, and the planner picks the newest one. Foreign-key
  -- checks keep that plan as long as the connection lives, so the primary key has to be the newest.
  select conname, pg_get_constraintdef(oid) into strict primary_key, definition
    from pg_constraint where conrelid = tenant_table and contype = 'p';
  execute format('alter table %s drop constraint %I, add constraint %2$I %3$s', tenant_table, primary_key, definition);
end $procedure$;

CREATE OR REPLACE FUNCTION public.message_words(subject text, body text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('simple'::regconfig, search_key(((subject || ' '::text) || "left"(body, 20000))));

CREATE OR REPLACE FUNCTION public.new_id()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE OR REPLACE FUNCTION public.person_search_text(first_name text, last_name text, email text, phone text, company text, aliases text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN search_key(concat_ws(' '::text, first_name, last_name, email, phone, company, aliases));

CREATE OR REPLACE FUNCTION public.place_sent_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  has_later boolean;
begin
  -- Without this lock, two emails to the prospect that are recorded at the same time would miss each other.
  perform pg_advisory_xact_lock(hashtextextended('emails to ' || new.prospect_id, 0));
  -- PostgreSQL computes this generated column only after the trigger.
  new.recipient_domain := lower(split_part(new.recipients #>> '{to,0,email}', '@', 2));
  select max(e.sent_at) filter (where is_earlier),
         coalesce(bool_or(is_irregular_after(e, new)) filter (where is_earlier), false),
         coalesce(bool_or(not is_earlier), false)
    into new.previous_sent_at, new.is_irregular, has_later
    from email_messages e
   cross join lateral (select (e.sent_at, e.id) < (new.sent_at, new.id) as is_earlier) c
   where e.account_id = new.account_id and e.prospect_id = new.prospect_id and e.type = 'campaign' and e.status = 'sent'
     and e.id <> new.id;
  -- Infinity makes place_sent_emails recompute all emails of the prospect.
  if has_later or tg_op = 'UPDATE' and old.status = 'sent' then new.previous_sent_at := 'infinity'; end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.place_sent_emails()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update email_messages m
     set previous_sent_at = c.previous_sent_at, is_irregular = c.is_irregular
    from email_messages l
   cross join lateral (
           select max(e.sent_at) as previous_sent_at, coalesce(bool_or(is_irregular_after(e, l)), false) as is_irregular
             from email_messages e
            where e.account_id = l.account_id and e.prospect_id = l.prospect_id and e.type = 'campaign' and e.status = 'sent'
              and (e.sent_at, e.id) < (l.sent_at, l.id)) c
   where l.account_id = coalesce(new.account_id, old.account_id) and l.prospect_id in (old.prospect_id, new.prospect_id)
     and l.type = 'campaign' and l.status = 'sent'
     and m.account_id = l.account_id and m.id = l.id
     and (m.previous_sent_at, m.is_irregular) is distinct from (c.previous_sent_at, c.is_irregular);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.problem_json(problem problems)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select (jsonb_build_object(
            'id', problem.id,
            'objectType', 'problem',
            'createdAt', api_time(problem.created_at),
            'updatedAt', api_time(problem.updated_at)) || problem.details)::text
$function$;

CREATE OR REPLACE FUNCTION public.record_activity(account uuid, persons uuid[], types text[], times timestamp with time zone[])
 RETURNS void
 LANGUAGE sql
AS $function$
  with locked as materialized (
    select last.*
      from (select person_id, max(at) filter (where type <> 'received') as contacted_at,
                   max(at) filter (where type = 'received') as replied_at
              from unnest(persons, types, times) message(person_id, type, at)
             where person_id is not null
             group by person_id
             order by person_id) last
     cross join lateral (
             select from person_activity where account_id = account and person_id = last.person_id limit 1 for update) activity)
  update person_activity a
     set last_contacted_at = greatest(a.last_contacted_at, locked.contacted_at),
         last_replied_at = greatest(a.last_replied_at, locked.replied_at)
    from locked
   where a.account_id = account and a.person_id = locked.person_id
     and (locked.contacted_at > a.last_contacted_at or locked.replied_at > a.last_replied_at)
$function$;

CREATE OR REPLACE FUNCTION public.record_email_activity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sent uuid[];
begin
  if tg_op = 'INSERT' then
    sent := array(select id from changed where status = 'sent');
  else
    sent := array(select c.id from changed c join previous p on p.account_id = c.account_id and p.id = c.id
                   where c.status = 'sent' and p.status is distinct from 'sent');
  end if;
  if sent = '{}' then return null; end if;
  perform record_activity(m.account_id, array_agg(coalesce(r.person_id, t.person_id)), array_agg(m.type), array_agg(m.sent_at))
     from changed m
     left join lateral (
            select person_id from prospects where account_id = m.account_id and id = m.prospect_id limit 1) r on true
     left join lateral (
            select person_id from email_threads where account_id = m.account_id and id = m.thread_id limit 1) t on true
    where m.id = any(sent)
    group by m.account_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.record_linkedin_activity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sent uuid[];
begin
  if tg_op = 'INSERT' then
    sent := array(select id from changed where status = 'sent');
  else
    sent := array(select c.id from changed c join previous p on p.account_id = c.account_id and p.id = c.id
                   where c.status = 'sent' and p.status <> 'sent');
  end if;
  if sent = '{}' then return null; end if;
  perform record_activity(m.account_id, array_agg(v.person_id), array_agg(m.type), array_agg(m.happened_at))
     from changed m
    cross join lateral (
            select person_id from linkedin_conversations
             where account_id = m.account_id and id = m.conversation_record_id limit 1) v
    where m.id = any(sent)
    group by m.account_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_activity_of_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.person_id is not null then perform refresh_person_activity(old.account_id, old.person_id); end if;
  if new.person_id is not null then perform refresh_person_activity(new.account_id, new.person_id); end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_classified_conversation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform refresh_conversation(new.account_id, 'email', m.thread_id, true)
     from email_messages m where m.account_id = new.account_id and m.id = new.email_message_id;
  perform refresh_conversation(new.account_id, 'linkedin', m.conversation_record_id, true)
     from linkedin_messages m where m.account_id = new.account_id and m.id = new.linkedin_message_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_conversation(account uuid, conversation_channel text, conversation uuid, may_create boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  previous conversations;
  thread record;
  facts record;
  is_new_reply boolean;
  is_new_message boolean;
begin
  select * into previous from conversations where account_id = account and id = conversation for update;
  if not found then
    if not may_create then return; end if;
    insert into conversations (account_id, id, channel, last_message_at)
    values (account, conversation, conversation_channel, now())
    on conflict do nothing;
    select * into previous from conversations where account_id = account and id = conversation for update;
  end if;
  if previous.refreshed_in = pg_current_xact_id() then return; end if;

  select t.* into thread
    from (select person_id, prospect_id, campaign_id, rep_id, tags from email_threads
           where conversation_channel = 'email' and account_id = account and id = conversation
          union all
          select person_id, prospect_id, campaign_id, rep_id, tags from linkedin_conversations
           where conversation_channel = 'linkedin' and account_id = account and id = conversation) t;

  with message as materialized (
    select id, type, status, received_kind, delivery_status, approval_request, false as is_unread, sent_at as at,
           thread_seen_at as seen_at, created_at, is_aside(m) as is_aside,
           case type when 'received' then (select intent from agent_replies where account_id = account and message_id = m.id) end as intent
      from email_messages m
     where conversation_channel = 'email' and account_id = account and thread_id = conversation
    union all
    select id, type, status, case type when 'received' then 'reply' end, null, approval_request, is_unread, happened_at,
           conversation_seen_at, created_at, false,
           case type when 'received' then (select intent from agent_replies where account_id = account and message_id = m.id) end
      from linkedin_messages m
     where conversation_channel = 'linkedin' and account_id = account and conversation_record_id = conversation),
  last as (
    select id, at from message order by status is not distinct from 'sent' desc, at desc, id desc limit 1),
  -- A campaign message is not an answer, so it counts only if there is no other message.
  written as (
    select *, row_number() over (order by type = 'campaign', at desc, id desc) as position from message
     where status = 'sent' and received_kind is distinct from 'auto_reply' and not is_aside),
  last_written as (
    select * from written where position = 1),
  -- Leaves out replies that only classification recognized as automatic.
  last_turn as (
    select type, received_kind, intent from written where intent is distinct from 'auto' order by position limit 1),
  last_received as (
    select id, at, received_kind from message where type = 'received' order by created_at desc, id desc limit 1),
  last_intent as (
    select intent from message where intent is not null order by at desc, id desc limit 1)
  select last.id as last_id, last.at as last_at, w.id as written_id, w.type as written_type,
         coalesce(w.seen_at, w.created_at) as written_at, r.id as received_id, r.received_kind, i.intent,
         -- True if a rep wrote in a mail program after the reply: such programs show replies before we receive them.
         coalesce(w.type = 'manual' and w.seen_at is null and w.at > r.at, false) as is_answered,
         case when t.type = 'received' and (t.received_kind = 'unsubscribe' or t.intent is not distinct from 'opt_out') then 'nobody'
              -- It is also their turn while our reply is queued.
              when t.type = 'received' then case when s.has_queued then 'theirs' else 'ours' end
              when t.type in ('manual', 'reply_agent') then 'theirs'
              else 'nobody' end as turn,
         s.*
    into facts
    from (select bool_or(type <> 'campaign') as has_more,
                 coalesce(bool_or(status = 'draft'), false) as has_drafts,
                 coalesce(bool_or(type <> 'campaign' and delivery_status in ('queued', 'sending') and not is_aside), false) as has_queued,
                 coalesce(bool_or(delivery_status = 'unconfirmed'), false) as has_unconfirmed,
                 coalesce(bool_or(approval_request is not null), false) as needs_approval,
                 bool_or(is_unread) as is_unread
            from message) s
    left join last on true
    left join last_written w on true
    left join last_turn t on true
    left join last_received r on true
    left join last_intent i on true;

  if facts.has_more is not true and not facts.has_unconfirmed then
    delete from conversations where account_id = account and id = conversation;
    return;
  end if;
  -- A reply may be stored after messages that were written later. Replies that were imported from LinkedIn are not new.
  is_new_reply := facts.received_id is distinct from previous.last_received_id
    and (conversation_channel = 'email' or facts.is_unread) and not facts.is_answered;
  -- A new message reopens the conversation, unless it is a campaign message, or one of ours that was queued before the
  -- conversation was marked as done or snoozed.
  is_new_message := is_new_reply and facts.received_kind is distinct from 'auto_reply'
    or facts.written_id is distinct from previous.last_written_id
       and (facts.written_type = 'received' or facts.written_type <> 'campaign' and facts.written_at > previous.decided_at);
  update conversations
     set person_id = thread.person_id, prospect_id = thread.prospect_id, campaign_id = thread.campaign_id, rep_id = thread.rep_id,
         last_message_id = facts.last_id, last_message_at = facts.last_at, last_written_id = facts.written_id,
         last_received_id = facts.received_id, intent = facts.intent, turn = facts.turn, has_drafts = facts.has_drafts,
         has_unconfirmed = facts.has_unconfirmed, needs_approval = facts.needs_approval,
         is_unread = case when conversation_channel = 'linkedin' then facts.is_unread
                          when is_new_reply then true
                          when facts.written_type in ('manual', 'reply_agent')
                               and facts.written_id is distinct from previous.last_written_id
                            then false
                          else previous.is_unread end,
         done_at = case when not is_new_message then previous.done_at end,
         snoozed_until = case when not is_new_message then previous.snoozed_until end,
         refreshed_in = pg_current_xact_id(), updated_at = now()
   where account_id = account and id = conversation;
  if thread.tags <> '{}' then perform refresh_conversation_tags(account, conversation, thread.tags); end if;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_conversation_tags(account uuid, conversation uuid, names text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  delete from conversation_tags t
   using tags g
   where t.account_id = account and t.id = conversation
     and g.account_id = t.account_id and g.id = t.tag_id and g.name <> all(names);
  insert into conversation_tags (account_id, tag_id, id, rep_id, last_message_at)
  select c.account_id, g.id, c.id, c.rep_id, c.last_message_at
    from conversations c join tags g on g.account_id = c.account_id and g.name = any(names)
   where c.account_id = account and c.id = conversation
  on conflict (account_id, tag_id, id)
  do update set rep_id = excluded.rep_id, last_message_at = excluded.last_message_at;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_email_conversation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    perform refresh_conversation(old.account_id, 'email', old.thread_id, false);
  else
    perform refresh_conversation(new.account_id, 'email', new.thread_id,
                                 new.type <> 'campaign' or new.delivery_status is not distinct from 'unconfirmed');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_linkedin_conversation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    perform refresh_conversation(old.account_id, 'linkedin', old.conversation_record_id, false);
  else
    perform refresh_conversation(new.account_id, 'linkedin', new.conversation_record_id, new.type <> 'campaign');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refresh_person_activity(account uuid, person uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  with emails as (
    select e.type, e.sent_at
      from prospects r join email_messages e on e.account_id = r.account_id and e.prospect_id = r.id
     where r.account_id = account and r.person_id = person and e.status = 'sent'
    union all
    select e.type, e.sent_at
      from email_threads h join email_messages e on e.account_id = h.account_id and e.thread_id = h.id
     where h.account_id = account and h.person_id = person and h.prospect_id is null and e.status = 'sent'),
  messages as (
    select type, sent_at as at from emails
    union all
    select m.type, m.happened_at
      from linkedin_conversations v
      join linkedin_messages m on m.account_id = v.account_id and m.conversation_record_id = v.id
     where v.account_id = account and v.person_id = person and m.status = 'sent'),
  last as (
    select coalesce(max(at) filter (where type <> 'received'), '-infinity') as contacted_at,
           coalesce(max(at) filter (where type = 'received'), '-infinity') as replied_at
      from messages)
  update person_activity
     set last_contacted_at = last.contacted_at, last_replied_at = last.replied_at
    from last
   where account_id = account and person_id = person
     and (last_contacted_at, last_replied_at) <> (last.contacted_at, last.replied_at)
$function$;

CREATE OR REPLACE FUNCTION public.remove_person_activity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from person_activity where account_id = new.account_id and person_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.search_key(text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (' '::text || btrim(regexp_replace(lower(unaccent('unaccent'::regdictionary, text)), '[[:punct:][:space:]]+'::text, ' '::text, 'g'::text)));

CREATE OR REPLACE FUNCTION public.set_failing_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.failing_since := case when new.status = 'failing' or new.failure_count > 0 then coalesce(new.failing_since, now()) end;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.set_opted_out_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.opted_out_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.set_search_text()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.search_text := person_search_text(new.first_name, new.last_name, new.email, new.phone,
    (select name from companies where account_id = new.account_id and id = new.company_id),
    case when tg_op = 'UPDATE' then
      (select string_agg(value, ' ') from person_aliases
        where account_id = new.account_id and person_id = new.id and kind <> 'linkedin') end);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.set_search_text_of_employees()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update persons set company_id = company_id where account_id = new.account_id and company_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.withdraw_calls()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.withdraw_consents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update consents c
     set withdrawn_at = now(), withdrawal_reason = 'opt_out', updated_at = now()
    from new_rows o
   where o.kind in ('phone', 'sms', 'whatsapp')
     and c.account_id = o.account_id and c.phone = o.value and c.withdrawn_at is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.word_patterns(query text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg(((CASE WHEN (length(word.word) < 3) THEN '% '::text ELSE '%'::text END || word.word) || '%'::text)) AS array_agg FROM string_to_table(CASE WHEN (word_patterns.query ~ '^[0-9 ()+./-]+$'::text) THEN regexp_replace(word_patterns.query, '^[^1-9]+(?=.)|[^0-9]'::text, ''::text, 'g'::text) ELSE btrim(search_key(word_patterns.query)) END, ' '::text) word(word));

CREATE OR REPLACE FUNCTION public.words_query(query text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN to_tsquery('simple'::regconfig, (replace(NULLIF(btrim(search_key(query)), ''::text), ' '::text, ' & '::text) || ':*'::text));

create table accounts (
  id uuid not null,
  number integer not null,
  name text not null,
  default_country text,
  timezone text not null default 'UTC'::text,
  postal_address text,
  opt_out_line text,
  reply_pauses text not null default 'person'::text,
  unsubscribe_words text not null default 'mark'::text,
  assistants_may_request_calls boolean not null default false,
  assistant_sends_need_approval boolean not null default false,
  max_bounce_percent numeric not null default 5,
  max_complaint_percent numeric not null default 0.3,
  max_attachment_megabytes integer not null default 5000,
  sending_paused_at timestamp(3) with time zone,
  sending_pause_reason text,
  sending_paused_by text,
  sending_paused_by_user_id uuid,
  problems_due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (number),
  CHECK (((max_attachment_megabytes >= 0) AND (max_attachment_megabytes <= 1000000))),
  CHECK (((max_bounce_percent >= (1)::numeric) AND (max_bounce_percent <= (100)::numeric))),
  CHECK (((max_complaint_percent >= 0.1) AND (max_complaint_percent <= (100)::numeric))),
  CHECK ((default_country ~ '^[A-Z]{2}$'::text)),
  CHECK ((reply_pauses = ANY (ARRAY['person'::text, 'company_domain'::text]))),
  CHECK ((unsubscribe_words = ANY (ARRAY['mark'::text, 'opt_out'::text])))
);
CREATE INDEX accounts_by_problems_due ON public.accounts USING btree (problems_due_at);
alter table accounts enable row level security, force row level security;
create policy claim on accounts for update to overture_engine using (true);
create policy engine on accounts for select to overture_engine using (true);
create policy sign_in on accounts for all to overture_auth using (true);
create policy tenant on accounts for all to overture_app using ((id = ( SELECT current_account_id() AS current_account_id)));
grant select, update on accounts to overture_app;
grant insert, select on accounts to overture_auth;
grant select (id, problems_due_at, sending_paused_at) on accounts to overture_engine;
grant update (problems_due_at) on accounts to overture_engine;

create table agent_replies (
  account_id uuid not null,
  message_id uuid not null generated always as (COALESCE(email_message_id, linkedin_message_id)) stored,
  email_message_id uuid,
  linkedin_message_id uuid,
  campaign_id uuid,
  state text not null,
  intent text,
  intent_by text not null,
  not_now_until date,
  referral jsonb,
  reason text,
  draft_id uuid,
  drafted_at timestamp(3) with time zone,
  sends_at timestamp(3) with time zone,
  autopilot_sent_at timestamp(3) with time zone,
  model text,
  requested_at timestamp(3) with time zone,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost_usd numeric(14,8),
  due_at timestamp(3) with time zone,
  epoch bigint not null default 0,
  attempts integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, message_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, email_message_id) REFERENCES email_messages(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, linkedin_message_id) REFERENCES linkedin_messages(account_id, id) ON DELETE CASCADE,
  CHECK (((state = ANY (ARRAY['pending'::text, 'scheduled'::text])) = (due_at IS NOT NULL))),
  CHECK ((intent = ANY (ARRAY['interested'::text, 'question'::text, 'objection'::text, 'not_now'::text, 'wrong_person'::text, 'opt_out'::text, 'auto'::text]))),
  CHECK ((intent_by = ANY (ARRAY['rules'::text, 'model'::text]))),
  CHECK ((num_nonnulls(email_message_id, linkedin_message_id) = 1)),
  CHECK ((state = ANY (ARRAY['pending'::text, 'scheduled'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX agent_replies_autopilot ON public.agent_replies USING btree (account_id, autopilot_sent_at) WHERE (autopilot_sent_at IS NOT NULL);
CREATE INDEX agent_replies_by_email_message ON public.agent_replies USING btree (account_id, email_message_id) WHERE (email_message_id IS NOT NULL);
CREATE INDEX agent_replies_by_linkedin_message ON public.agent_replies USING btree (account_id, linkedin_message_id) WHERE (linkedin_message_id IS NOT NULL);
CREATE INDEX agent_replies_by_time ON public.agent_replies USING btree (account_id, created_at DESC, email_message_id DESC);
CREATE INDEX agent_replies_due ON public.agent_replies USING btree (due_at) WHERE (state = ANY (ARRAY['pending'::text, 'scheduled'::text]));
CREATE INDEX agent_replies_requested ON public.agent_replies USING btree (account_id, requested_at) WHERE (requested_at IS NOT NULL);
alter table agent_replies enable row level security, force row level security;
create policy engine on agent_replies for all to overture_engine using (true);
create policy tenant on agent_replies for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on agent_replies to overture_app;
grant select (account_id, attempts, due_at, email_message_id, epoch, linkedin_message_id, message_id, state) on agent_replies to overture_engine;
grant update (attempts, due_at, epoch) on agent_replies to overture_engine;
CREATE TRIGGER copy_intent AFTER INSERT OR UPDATE OF intent ON public.agent_replies FOR EACH ROW WHEN ((new.intent IS NOT NULL)) EXECUTE FUNCTION copy_intent();
CREATE CONSTRAINT TRIGGER refresh_conversation AFTER INSERT OR UPDATE OF intent ON public.agent_replies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.intent IS NOT NULL)) EXECUTE FUNCTION refresh_classified_conversation();

create table api_tokens (
  id uuid not null,
  user_id uuid not null,
  parent_id uuid,
  name text not null,
  prefix text not null,
  token_hash bytea not null,
  is_read_only boolean not null default false,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (prefix),
  UNIQUE (token_hash),
  FOREIGN KEY (parent_id) REFERENCES api_tokens(id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX api_tokens_by_parent ON public.api_tokens USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX api_tokens_by_user ON public.api_tokens USING btree (user_id, created_at DESC, id DESC);
alter table api_tokens enable row level security, force row level security;
create policy own on api_tokens for all to overture_app using ((user_id = ( SELECT current_user_id() AS current_user_id))) with check ((user_id = ( SELECT current_user_id() AS current_user_id)));
create policy sign_in on api_tokens for all to overture_auth using (true);
grant insert on api_tokens to overture_app;
grant insert, select, update on api_tokens to overture_auth;
grant select (created_at, expires_at, id, is_read_only, last_used_at, name, parent_id, prefix, revoked_at, updated_at, user_id) on api_tokens to overture_app;
grant update (revoked_at, updated_at) on api_tokens to overture_app;
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF user_id, token_hash, is_read_only, expires_at, revoked_at ON public.api_tokens FOR EACH STATEMENT EXECUTE FUNCTION announce_access_change();

create table assistants (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  provider text not null default 'simulated'::text,
  provider_settings jsonb,
  api_key bytea,
  callback_secret bytea,
  rep_id uuid,
  from_number text not null,
  first_message text,
  disclosure text,
  voicemail_message text,
  max_duration_seconds integer,
  transfer_number text,
  daily_cap integer not null default 100,
  daily_cap_per_number integer not null default 3,
  status text not null default 'active'::text,
  status_reason text,
  verified_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK (((daily_cap >= 1) AND (daily_cap <= 10000))),
  CHECK (((daily_cap_per_number >= 1) AND (daily_cap_per_number <= 20))),
  CHECK (((max_duration_seconds >= 30) AND (max_duration_seconds <= 7200))),
  CHECK ((provider = ANY (ARRAY['simulated'::text, 'vapi'::text, 'retell'::text, 'http'::text]))),
  CHECK ((status = ANY (ARRAY['unverified'::text, 'active'::text, 'failing'::text])))
);
CREATE INDEX assistants_by_time ON public.assistants USING btree (account_id, created_at DESC, id DESC);
alter table assistants enable row level security, force row level security;
create policy tenant on assistants for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on assistants to overture_app;

create table attachment_pieces (
  account_id uuid not null,
  attachment_id uuid not null,
  number integer not null,
  bytes bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, attachment_id, number),
  FOREIGN KEY (account_id, attachment_id) REFERENCES attachments(account_id, id) ON DELETE CASCADE
);
alter table attachment_pieces enable row level security, force row level security;
create policy tenant on attachment_pieces for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on attachment_pieces to overture_app;

create table attachments (
  account_id uuid not null,
  id uuid not null,
  email_message_id uuid,
  user_id uuid,
  name text not null,
  type text not null,
  size integer not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, email_message_id) REFERENCES email_messages(account_id, id) ON DELETE CASCADE,
  CHECK (((size >= 0) AND (size <= 10000000)))
);
CREATE INDEX attachments_by_message ON public.attachments USING btree (account_id, email_message_id);
CREATE INDEX attachments_by_size ON public.attachments USING btree (account_id) INCLUDE (size);
CREATE INDEX attachments_unused ON public.attachments USING btree (created_at) WHERE (email_message_id IS NULL);
alter table attachments enable row level security, force row level security;
create policy engine on attachments for all to overture_engine using (true);
create policy tenant on attachments for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on attachments to overture_app;
grant delete on attachments to overture_engine;
grant select (account_id, created_at, email_message_id, id) on attachments to overture_engine;

create table audit_log (
  account_id uuid not null,
  id uuid not null,
  at timestamp(3) with time zone not null default now(),
  user_id uuid,
  actor text not null,
  action text not null,
  object_type text,
  object_id uuid,
  address text,
  request_id text,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX audit_log_by_action ON public.audit_log USING btree (account_id, action, at DESC, id DESC);
CREATE INDEX audit_log_by_time ON public.audit_log USING btree (account_id, at DESC, id DESC);
CREATE INDEX audit_log_by_type ON public.audit_log USING btree (account_id, object_type, at DESC, id DESC);
CREATE INDEX audit_log_by_user ON public.audit_log USING btree (account_id, user_id, at DESC, id DESC);
alter table audit_log enable row level security, force row level security;
create policy sign_in on audit_log for insert to overture_auth using () with check (true);
create policy tenant on audit_log for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant insert, select on audit_log to overture_app;
grant insert on audit_log to overture_auth;

create table authenticator_apps (
  user_id uuid not null,
  secret bytea not null,
  last_step bigint not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (user_id),
  FOREIGN KEY (user_id) REFERENCES users(id)
);
alter table authenticator_apps enable row level security, force row level security;
create policy sign_in on authenticator_apps for all to overture_auth using (true);
grant delete, insert, select, update on authenticator_apps to overture_auth;

create table call_requests (
  account_id uuid not null,
  id uuid not null,
  assistant_id uuid not null,
  rep_id uuid,
  prospect_id uuid,
  person_id uuid,
  call jsonb not null,
  timezones text[] not null,
  reason text not null,
  requested_by_id uuid not null,
  requested_by_app text,
  status text not null default 'waiting'::text,
  decided_by_id uuid,
  decided_at timestamp(3) with time zone,
  decline_reason text,
  call_id uuid,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, assistant_id) REFERENCES assistants(account_id, id),
  FOREIGN KEY (account_id, call_id) REFERENCES calls(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  FOREIGN KEY (decided_by_id) REFERENCES users(id),
  FOREIGN KEY (requested_by_id) REFERENCES users(id),
  CHECK ((((status = 'waiting'::text) = (decided_at IS NULL)) AND ((decided_at IS NULL) = (decided_by_id IS NULL)))),
  CHECK (((status = 'approved'::text) = (call_id IS NOT NULL))),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'approved'::text, 'declined'::text])))
);
CREATE INDEX call_requests_by_person ON public.call_requests USING btree (account_id, person_id) WHERE (person_id IS NOT NULL);
CREATE INDEX call_requests_by_prospect ON public.call_requests USING btree (account_id, prospect_id) WHERE (prospect_id IS NOT NULL);
CREATE INDEX call_requests_by_rep ON public.call_requests USING btree (account_id, rep_id, created_at DESC, id DESC);
CREATE INDEX call_requests_by_rep_and_status ON public.call_requests USING btree (account_id, rep_id, status, created_at DESC, id DESC);
CREATE INDEX call_requests_by_status ON public.call_requests USING btree (account_id, status, created_at DESC, id DESC);
CREATE INDEX call_requests_by_time ON public.call_requests USING btree (account_id, created_at DESC, id DESC);
alter table call_requests enable row level security, force row level security;
create policy tenant on call_requests for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on call_requests to overture_app;

create table calls (
  account_id uuid not null,
  id uuid not null,
  assistant_id uuid,
  rep_id uuid,
  prospect_id uuid,
  person_id uuid,
  campaign_id uuid,
  step_id uuid,
  attempt integer,
  on_answered text,
  from_number text not null,
  to_number text not null,
  call_type text not null,
  status text not null,
  outcome text,
  outcome_reason text,
  outcome_advice text,
  held_by text,
  person_name text,
  person_email text,
  person_timezone text,
  data jsonb,
  extracted_data jsonb,
  call_transfer jsonb,
  duration_seconds integer,
  summary text,
  transcript jsonb,
  recording_url text,
  cost_amount numeric(14,6),
  cost_currency text,
  end_reason text,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  not_before timestamp(3) with time zone,
  provider text,
  provider_call_id text,
  placed_at timestamp(3) with time zone,
  postponements integer not null default 0,
  due_at timestamp(3) with time zone,
  lease_until timestamp(3) with time zone,
  epoch bigint not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, assistant_id) REFERENCES assistants(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK (((num_nonnulls(campaign_id, step_id, attempt, on_answered) =
CASE
    WHEN (step_id IS NULL) THEN 0
    ELSE 4
END) AND ((step_id IS NULL) OR (prospect_id IS NOT NULL)))),
  CHECK (((status = 'ended'::text) = (outcome IS NOT NULL))),
  CHECK ((attempt > 0)),
  CHECK ((call_type = ANY (ARRAY['inbound'::text, 'outbound'::text, 'web'::text]))),
  CHECK ((cost_amount >= (0)::numeric)),
  CHECK ((duration_seconds >= 0)),
  CHECK ((on_answered = ANY (ARRAY['stop'::text, 'continue'::text]))),
  CHECK ((outcome = ANY (ARRAY['answered'::text, 'voicemail'::text, 'no_answer'::text, 'busy'::text, 'failed'::text, 'refused'::text, 'withdrawn'::text]))),
  CHECK ((status = ANY (ARRAY['queued'::text, 'dialing'::text, 'in_progress'::text, 'ended'::text])))
);
CREATE INDEX calls_by_assistant ON public.calls USING btree (account_id, assistant_id, created_at DESC, id DESC);
CREATE INDEX calls_by_assistant_and_outcome ON public.calls USING btree (account_id, assistant_id, outcome, created_at DESC, id DESC);
CREATE INDEX calls_by_assistant_and_status ON public.calls USING btree (account_id, assistant_id, status, created_at DESC, id DESC);
CREATE INDEX calls_by_called ON public.calls USING btree (account_id, to_number, placed_at DESC) WHERE (placed_at IS NOT NULL);
CREATE INDEX calls_by_caller ON public.calls USING btree (account_id, from_number, placed_at DESC) WHERE (placed_at IS NOT NULL);
CREATE INDEX calls_by_campaign ON public.calls USING btree (account_id, campaign_id, status) WHERE (campaign_id IS NOT NULL);
CREATE INDEX calls_by_change ON public.calls USING btree (account_id, updated_at, id);
CREATE INDEX calls_by_outcome ON public.calls USING btree (account_id, outcome, created_at DESC, id DESC);
CREATE INDEX calls_by_person ON public.calls USING btree (account_id, person_id, created_at DESC, id DESC);
CREATE INDEX calls_by_prospect ON public.calls USING btree (account_id, prospect_id, created_at DESC, id DESC);
CREATE INDEX calls_by_provider_id ON public.calls USING btree (account_id, provider, provider_call_id);
CREATE INDEX calls_by_rep ON public.calls USING btree (account_id, rep_id, created_at DESC, id DESC);
CREATE INDEX calls_by_rep_and_assistant ON public.calls USING btree (account_id, rep_id, assistant_id, created_at DESC, id DESC);
CREATE INDEX calls_by_rep_and_change ON public.calls USING btree (account_id, rep_id, updated_at, id);
CREATE INDEX calls_by_rep_and_outcome ON public.calls USING btree (account_id, rep_id, outcome, created_at DESC, id DESC);
CREATE INDEX calls_by_rep_and_status ON public.calls USING btree (account_id, rep_id, status, created_at DESC, id DESC);
CREATE INDEX calls_by_status ON public.calls USING btree (account_id, status, created_at DESC, id DESC);
CREATE INDEX calls_by_time ON public.calls USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX calls_due ON public.calls USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX calls_in_progress ON public.calls USING btree (account_id, id) WHERE (status = ANY (ARRAY['dialing'::text, 'in_progress'::text]));
CREATE UNIQUE INDEX calls_of_steps ON public.calls USING btree (account_id, prospect_id, step_id, attempt) WHERE ((step_id IS NOT NULL) AND (outcome IS DISTINCT FROM 'withdrawn'::text));
CREATE INDEX calls_placed ON public.calls USING btree (account_id, placed_at) WHERE (placed_at IS NOT NULL);
alter table calls enable row level security, force row level security;
create policy engine on calls for all to overture_engine using (true);
create policy tenant on calls for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on calls to overture_app;
grant select (account_id, due_at, epoch, id, lease_until, status) on calls to overture_engine;
grant update (epoch, lease_until) on calls to overture_engine;
CREATE TRIGGER announce_change AFTER UPDATE OF status, outcome ON public.calls FOR EACH ROW WHEN (((new.status = ANY (ARRAY['in_progress'::text, 'ended'::text])) AND ((old.status IS DISTINCT FROM new.status) OR (old.outcome IS DISTINCT FROM new.outcome)))) EXECUTE FUNCTION announce_call();
CREATE TRIGGER announce_new AFTER INSERT ON public.calls FOR EACH ROW WHEN ((new.status = ANY (ARRAY['queued'::text, 'ended'::text]))) EXECUTE FUNCTION announce_call();
CREATE TRIGGER follow_merge BEFORE INSERT ON public.calls FOR EACH ROW WHEN ((new.person_id IS NOT NULL)) EXECUTE FUNCTION follow_merge();

create table campaign_knowledge (
  account_id uuid not null,
  campaign_id uuid not null,
  offer text,
  answers text,
  next_step text,
  tone text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, campaign_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id)
);
alter table campaign_knowledge enable row level security, force row level security;
create policy tenant on campaign_knowledge for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on campaign_knowledge to overture_app;

create table campaign_reps (
  account_id uuid not null,
  campaign_id uuid not null,
  rep_id uuid not null,
  "position" integer not null,
  PRIMARY KEY (account_id, campaign_id, rep_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id)
);
CREATE INDEX campaign_reps_by_rep ON public.campaign_reps USING btree (account_id, rep_id);
alter table campaign_reps enable row level security, force row level security;
create policy engine on campaign_reps for all to overture_engine using (true);
create policy tenant on campaign_reps for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on campaign_reps to overture_app;
grant select (account_id, campaign_id, rep_id) on campaign_reps to overture_engine;

create table campaign_step_variants (
  account_id uuid not null,
  id uuid not null,
  step_id uuid not null,
  "position" integer not null,
  subject text,
  body text not null,
  weight integer not null,
  removed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, step_id) REFERENCES campaign_steps(account_id, id) ON DELETE CASCADE,
  CHECK (((weight >= 0) AND (weight <= 1000)))
);
CREATE INDEX campaign_step_variants_by_step ON public.campaign_step_variants USING btree (account_id, step_id);
alter table campaign_step_variants enable row level security, force row level security;
create policy tenant on campaign_step_variants for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on campaign_step_variants to overture_app;

create table campaign_steps (
  account_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  "position" integer not null,
  channel text not null,
  delay_amount integer not null default 0,
  delay_unit text not null default 'minutes'::text,
  thread text not null default 'new'::text,
  accept_within_days integer,
  assistant_id uuid,
  call_data jsonb,
  on_answered text,
  retries integer,
  retry_after_amount integer,
  retry_after_unit text,
  winner jsonb,
  winner_tests integer not null default 0,
  removed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, assistant_id) REFERENCES assistants(account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  CHECK (
CASE
    WHEN (channel = 'call'::text) THEN (num_nulls(on_answered, retries, retry_after_amount, retry_after_unit) = 0)
    ELSE (num_nonnulls(assistant_id, call_data, on_answered, retries, retry_after_amount, retry_after_unit) = 0)
END),
  CHECK ((("position" > 0) OR ((removed_at IS NOT NULL) AND ("position" = 0)))),
  CHECK ((((accept_within_days >= 1) AND (accept_within_days <= 365)) AND ((accept_within_days IS NULL) = (channel <> 'linkedin_message'::text)))),
  CHECK (((delay_amount >= 0) AND (delay_amount <= 10000))),
  CHECK (((retries >= 0) AND (retries <= 5))),
  CHECK (((retry_after_amount >= 1) AND (retry_after_amount <= 10000))),
  CHECK ((channel = ANY (ARRAY['email'::text, 'call'::text, 'linkedin_connect'::text, 'linkedin_message'::text, 'linkedin_view'::text, 'linkedin_like'::text, 'task'::text]))),
  CHECK ((delay_unit = ANY (ARRAY['minutes'::text, 'hours'::text, 'days'::text, 'business_days'::text]))),
  CHECK ((on_answered = ANY (ARRAY['stop'::text, 'continue'::text]))),
  CHECK ((retry_after_unit = ANY (ARRAY['minutes'::text, 'hours'::text, 'days'::text, 'business_days'::text]))),
  CHECK ((thread = ANY (ARRAY['same'::text, 'new'::text])))
);
CREATE INDEX campaign_steps_by_campaign ON public.campaign_steps USING btree (account_id, campaign_id);
CREATE UNIQUE INDEX campaign_steps_by_position ON public.campaign_steps USING btree (account_id, campaign_id, "position") WHERE (removed_at IS NULL);
alter table campaign_steps enable row level security, force row level security;
create policy tenant on campaign_steps for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on campaign_steps to overture_app;
CREATE TRIGGER announce_winner AFTER UPDATE OF winner ON public.campaign_steps FOR EACH ROW WHEN (((old.winner IS NULL) AND (new.winner IS NOT NULL))) EXECUTE FUNCTION announce_winner();

create table campaigns (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  status text not null default 'draft'::text,
  is_archived boolean not null default false,
  is_evergreen boolean not null default false,
  skip_active_elsewhere boolean not null default false,
  stop_company_on_reply boolean not null default false,
  hold_risky_addresses boolean not null default false,
  auto_winner text,
  winners_checked_at timestamp(3) with time zone,
  health text,
  steps_changed_at timestamp(3) with time zone,
  schedule jsonb,
  new_prospects_per_day integer,
  begun_on date,
  begun_count integer not null default 0,
  begins_from timestamp(3) with time zone,
  launched_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  sort_name text not null generated always as ("left"(lower(name), 200)) stored,
  search_text text not null generated always as (search_key(name)) stored,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((new_prospects_per_day >= 1) AND (new_prospects_per_day <= 1000000))),
  CHECK (((status = 'draft'::text) = (launched_at IS NULL))),
  CHECK ((NOT (is_archived AND (status = 'active'::text)))),
  CHECK ((auto_winner = ANY (ARRAY['replied'::text, 'positive'::text]))),
  CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'completed'::text])))
);
CREATE INDEX campaigns_by_archived_and_status ON public.campaigns USING btree (account_id, is_archived, status, created_at DESC, id DESC);
CREATE INDEX campaigns_by_change ON public.campaigns USING btree (account_id, updated_at, id);
CREATE INDEX campaigns_by_sort_name ON public.campaigns USING btree (account_id, sort_name, id);
CREATE INDEX campaigns_by_status ON public.campaigns USING btree (account_id, status, created_at DESC, id DESC);
CREATE INDEX campaigns_by_text ON public.campaigns USING gin (account_id, search_text gin_trgm_ops);
CREATE INDEX campaigns_by_time ON public.campaigns USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX campaigns_completed ON public.campaigns USING btree (account_id, completed_at) WHERE (completed_at IS NOT NULL);
alter table campaigns enable row level security, force row level security;
create policy engine on campaigns for all to overture_engine using (true);
create policy only_drafts_deleted on campaigns for delete to overture_app using ((status = 'draft'::text));
create policy search on campaigns for select to overture_search using (true);
create policy tenant on campaigns for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on campaigns to overture_app;
grant select (account_id, begins_from, id, status) on campaigns to overture_engine;
grant select (account_id, id, search_text) on campaigns to overture_search;
CREATE TRIGGER announce_change AFTER UPDATE OF status ON public.campaigns FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION announce_campaign();
CREATE TRIGGER announce_new AFTER INSERT ON public.campaigns FOR EACH ROW EXECUTE FUNCTION announce_campaign();

create table companies (
  account_id uuid not null,
  id uuid not null,
  name text,
  name_key text generated always as (lower(btrim(name))) stored,
  domain text,
  website text,
  industries text[] not null default '{}'::text[],
  logo_url text,
  city text,
  state text,
  country text,
  custom jsonb not null default '{}'::jsonb,
  search_text text not null generated always as (search_key(((COALESCE(name, ''::text) || ' '::text) || COALESCE(domain, ''::text)))) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, domain),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX companies_by_change ON public.companies USING btree (account_id, updated_at, id);
CREATE INDEX companies_by_name ON public.companies USING btree (account_id, name_key);
CREATE INDEX companies_by_text ON public.companies USING gin (account_id, search_text gin_trgm_ops);
CREATE INDEX companies_by_time ON public.companies USING btree (account_id, created_at DESC, id DESC);
alter table companies enable row level security, force row level security;
create policy search on companies for select to overture_search using (true);
create policy tenant on companies for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on companies to overture_app;
grant select (account_id, id, search_text) on companies to overture_search;
CREATE TRIGGER set_search_text_of_employees AFTER UPDATE OF name ON public.companies FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION set_search_text_of_employees();

create table consents (
  account_id uuid not null,
  id uuid not null,
  phone text not null,
  name text,
  kind text not null,
  covers text not null,
  proof text not null,
  source text,
  given_at timestamp(3) with time zone not null,
  recorded_by_id uuid,
  withdrawn_at timestamp(3) with time zone,
  withdrawn_by_id uuid,
  withdrawal_reason text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((withdrawn_at IS NOT NULL) OR (num_nonnulls(withdrawn_by_id, withdrawal_reason) = 0))),
  CHECK ((covers = ANY (ARRAY['ai_voice_marketing'::text, 'ai_voice_service'::text]))),
  CHECK ((kind = ANY (ARRAY['written'::text, 'express'::text, 'existing_relationship'::text])))
);
CREATE INDEX consents_by_change ON public.consents USING btree (account_id, updated_at, id);
CREATE INDEX consents_by_phone ON public.consents USING btree (account_id, phone, created_at DESC, id DESC);
CREATE INDEX consents_by_time ON public.consents USING btree (account_id, created_at DESC, id DESC);
alter table consents enable row level security, force row level security;
create policy only_withdrawn_deleted on consents for delete to overture_app using ((withdrawn_at IS NOT NULL));
create policy tenant on consents for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select on consents to overture_app;
grant update (updated_at, withdrawal_reason, withdrawn_at, withdrawn_by_id) on consents to overture_app;

create table conversation_tags (
  account_id uuid not null,
  tag_id uuid not null,
  id uuid not null,
  rep_id uuid,
  last_message_at timestamp(3) with time zone not null,
  PRIMARY KEY (account_id, tag_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, id) REFERENCES conversations(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, tag_id) REFERENCES tags(account_id, id)
);
CREATE INDEX conversation_tags_by_conversation ON public.conversation_tags USING btree (account_id, id);
CREATE INDEX conversation_tags_by_rep ON public.conversation_tags USING btree (account_id, tag_id, rep_id, last_message_at DESC, id DESC);
CREATE INDEX conversation_tags_by_time ON public.conversation_tags USING btree (account_id, tag_id, last_message_at DESC, id DESC);
alter table conversation_tags enable row level security, force row level security;
create policy tenant on conversation_tags for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on conversation_tags to overture_app;

create table conversations (
  account_id uuid not null,
  id uuid not null,
  channel text not null,
  email_thread_id uuid generated always as (
CASE channel
    WHEN 'email'::text THEN id
    ELSE NULL::uuid
END) stored,
  linkedin_conversation_id uuid generated always as (
CASE channel
    WHEN 'linkedin'::text THEN id
    ELSE NULL::uuid
END) stored,
  person_id uuid,
  prospect_id uuid,
  campaign_id uuid,
  rep_id uuid,
  last_message_id uuid,
  last_message_at timestamp(3) with time zone not null,
  last_written_id uuid,
  last_received_id uuid,
  intent text,
  turn text not null default 'nobody'::text,
  has_drafts boolean not null default false,
  has_unconfirmed boolean not null default false,
  needs_approval boolean not null default false,
  is_unread boolean not null default false,
  done_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  decided_at timestamp(3) with time zone,
  assignee_id uuid,
  state text not null generated always as (
CASE
    WHEN (done_at IS NOT NULL) THEN 'done'::text
    WHEN (turn = 'ours'::text) THEN 'needs_reply'::text
    WHEN (turn = 'theirs'::text) THEN 'waiting'::text
    ELSE 'idle'::text
END) stored,
  sorted_at timestamp(3) with time zone not null generated always as (GREATEST(last_message_at, snoozed_until)) stored,
  refreshed_in xid8,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, assignee_id) REFERENCES members(account_id, user_id) ON DELETE SET NULL (assignee_id),
  FOREIGN KEY (account_id, email_thread_id) REFERENCES email_threads(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, linkedin_conversation_id) REFERENCES linkedin_conversations(account_id, id) ON DELETE CASCADE,
  CHECK (((done_at IS NULL) OR (snoozed_until IS NULL))),
  CHECK ((channel = ANY (ARRAY['email'::text, 'linkedin'::text]))),
  CHECK ((turn = ANY (ARRAY['ours'::text, 'theirs'::text, 'nobody'::text])))
);
CREATE INDEX conversations_by_assignee ON public.conversations USING btree (account_id, assignee_id, last_message_at DESC, id DESC) WHERE (assignee_id IS NOT NULL);
CREATE INDEX conversations_by_campaign ON public.conversations USING btree (account_id, campaign_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_change ON public.conversations USING btree (account_id, updated_at, id);
CREATE INDEX conversations_by_channel ON public.conversations USING btree (account_id, channel, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_intent ON public.conversations USING btree (account_id, intent, last_message_at DESC, id DESC) WHERE (intent IS NOT NULL);
CREATE INDEX conversations_by_linkedin ON public.conversations USING btree (account_id, linkedin_conversation_id) WHERE (linkedin_conversation_id IS NOT NULL);
CREATE INDEX conversations_by_person ON public.conversations USING btree (account_id, person_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_rep ON public.conversations USING btree (account_id, rep_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_rep_and_assignee ON public.conversations USING btree (account_id, rep_id, assignee_id, last_message_at DESC, id DESC) WHERE (assignee_id IS NOT NULL);
CREATE INDEX conversations_by_rep_and_campaign ON public.conversations USING btree (account_id, rep_id, campaign_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_rep_and_change ON public.conversations USING btree (account_id, rep_id, updated_at, id);
CREATE INDEX conversations_by_rep_and_channel ON public.conversations USING btree (account_id, rep_id, channel, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_rep_and_intent ON public.conversations USING btree (account_id, rep_id, intent, last_message_at DESC, id DESC) WHERE (intent IS NOT NULL);
CREATE INDEX conversations_by_rep_and_state ON public.conversations USING btree (account_id, rep_id, state, sorted_at DESC, id DESC);
CREATE INDEX conversations_by_rep_unassigned ON public.conversations USING btree (account_id, rep_id, last_message_at DESC, id DESC) WHERE (assignee_id IS NULL);
CREATE INDEX conversations_by_rep_unread ON public.conversations USING btree (account_id, rep_id, last_message_at DESC, id DESC) WHERE is_unread;
CREATE INDEX conversations_by_state ON public.conversations USING btree (account_id, state, sorted_at DESC, id DESC);
CREATE INDEX conversations_by_thread ON public.conversations USING btree (account_id, email_thread_id) WHERE (email_thread_id IS NOT NULL);
CREATE INDEX conversations_by_time ON public.conversations USING btree (account_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_snoozed ON public.conversations USING btree (account_id, sorted_at DESC, id DESC) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX conversations_to_approve ON public.conversations USING btree (account_id, last_message_at DESC, id DESC) WHERE needs_approval;
CREATE INDEX conversations_unassigned ON public.conversations USING btree (account_id, last_message_at DESC, id DESC) WHERE (assignee_id IS NULL);
CREATE INDEX conversations_unconfirmed ON public.conversations USING btree (account_id, last_message_at DESC, id DESC) WHERE has_unconfirmed;
CREATE INDEX conversations_unread ON public.conversations USING btree (account_id, last_message_at DESC, id DESC) WHERE is_unread;
CREATE INDEX conversations_with_drafts ON public.conversations USING btree (account_id, last_message_at DESC, id DESC) WHERE has_drafts;
alter table conversations enable row level security, force row level security;
create policy tenant on conversations for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on conversations to overture_app;
CREATE TRIGGER announce_change AFTER UPDATE ON public.conversations FOR EACH ROW WHEN (((((old.done_at IS DISTINCT FROM new.done_at) OR (old.snoozed_until IS DISTINCT FROM new.snoozed_until)) OR (old.assignee_id IS DISTINCT FROM new.assignee_id)) OR (old.is_unread AND (NOT new.is_unread)))) EXECUTE FUNCTION announce_conversation();

create table custom_fields (
  account_id uuid not null,
  id uuid not null,
  key text not null,
  label text not null,
  applies_to text not null default 'person'::text,
  type text not null,
  choices text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((type = 'choice'::text) = (choices IS NOT NULL))),
  CHECK ((applies_to = ANY (ARRAY['person'::text, 'company'::text]))),
  CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'url'::text, 'choice'::text])))
);
CREATE UNIQUE INDEX custom_fields_by_key ON public.custom_fields USING btree (account_id, lower(key));
CREATE INDEX custom_fields_by_time ON public.custom_fields USING btree (account_id, created_at DESC, id DESC);
alter table custom_fields enable row level security, force row level security;
create policy tenant on custom_fields for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on custom_fields to overture_app;

create table dkim_keys (
  account_id uuid not null,
  id uuid not null,
  domain_id uuid not null,
  selector text not null,
  public_key text not null,
  private_key bytea,
  status text not null default 'waiting'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, domain_id, selector),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, domain_id) REFERENCES domains(account_id, id) ON DELETE CASCADE,
  CHECK (((private_key IS NULL) = (status = 'retired'::text))),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'signing'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX dkim_keys_signing ON public.dkim_keys USING btree (account_id, domain_id) WHERE (status = 'signing'::text);
CREATE UNIQUE INDEX dkim_keys_waiting ON public.dkim_keys USING btree (account_id, domain_id) WHERE (status = 'waiting'::text);
alter table dkim_keys enable row level security, force row level security;
create policy tenant on dkim_keys for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on dkim_keys to overture_app;

create table dmarc_reports (
  account_id uuid not null,
  id uuid not null,
  domain_id uuid not null,
  organization text not null,
  report_id text not null,
  begins_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, domain_id, organization, report_id),
  FOREIGN KEY (account_id, domain_id) REFERENCES domains(account_id, id) ON DELETE CASCADE
);
CREATE INDEX dmarc_reports_by_age ON public.dmarc_reports USING btree (ends_at);
CREATE INDEX dmarc_reports_by_end ON public.dmarc_reports USING btree (account_id, domain_id, ends_at);
alter table dmarc_reports enable row level security, force row level security;
create policy engine on dmarc_reports for all to overture_engine using (true);
create policy tenant on dmarc_reports for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on dmarc_reports to overture_app;
grant delete on dmarc_reports to overture_engine;
grant select (account_id, ends_at, id) on dmarc_reports to overture_engine;

create table dmarc_sources (
  account_id uuid not null,
  report_id uuid not null,
  ip inet not null,
  messages bigint not null,
  passed bigint not null,
  dkim_passed bigint not null,
  spf_passed bigint not null,
  quarantined bigint not null,
  rejected bigint not null,
  domains text[] not null,
  PRIMARY KEY (account_id, report_id, ip),
  FOREIGN KEY (account_id, report_id) REFERENCES dmarc_reports(account_id, id) ON DELETE CASCADE
);
alter table dmarc_sources enable row level security, force row level security;
create policy tenant on dmarc_sources for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on dmarc_sources to overture_app;

create table domains (
  account_id uuid not null,
  id uuid not null,
  domain text not null,
  checks jsonb not null default '[]'::jsonb,
  checked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, domain),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX domains_by_time ON public.domains USING btree (account_id, created_at DESC, id DESC);
alter table domains enable row level security, force row level security;
create policy tenant on domains for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on domains to overture_app;

create table email_message_aliases (
  account_id uuid not null,
  message_id text not null,
  email_message_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, message_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, email_message_id) REFERENCES email_messages(account_id, id) ON DELETE CASCADE
);
CREATE INDEX email_message_aliases_by_message ON public.email_message_aliases USING btree (account_id, email_message_id);
alter table email_message_aliases enable row level security, force row level security;
create policy tenant on email_message_aliases for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on email_message_aliases to overture_app;

create table email_message_tags (
  account_id uuid not null,
  tag_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  rep_id uuid,
  kind text not null,
  sent_at timestamp(3) with time zone not null,
  PRIMARY KEY (account_id, tag_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, id) REFERENCES email_messages(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, tag_id) REFERENCES tags(account_id, id)
);
CREATE INDEX email_message_tags_by_campaign ON public.email_message_tags USING btree (account_id, tag_id, campaign_id, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_kind ON public.email_message_tags USING btree (account_id, tag_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_message ON public.email_message_tags USING btree (account_id, id);
CREATE INDEX email_message_tags_by_prospect ON public.email_message_tags USING btree (account_id, tag_id, prospect_id, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_rep ON public.email_message_tags USING btree (account_id, tag_id, rep_id, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_rep_and_campaign ON public.email_message_tags USING btree (account_id, tag_id, rep_id, campaign_id, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_rep_and_kind ON public.email_message_tags USING btree (account_id, tag_id, rep_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_thread ON public.email_message_tags USING btree (account_id, tag_id, thread_id, sent_at DESC, id DESC);
CREATE INDEX email_message_tags_by_time ON public.email_message_tags USING btree (account_id, tag_id, sent_at DESC, id DESC);
alter table email_message_tags enable row level security, force row level security;
create policy tenant on email_message_tags for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on email_message_tags to overture_app;

create table email_messages (
  account_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  rep_id uuid,
  mailbox_id uuid,
  step_id uuid,
  variant_id uuid,
  type text not null,
  status text,
  delivery_status text,
  delivery_reason text,
  received_kind text,
  subject text not null,
  body text not null,
  body_format text not null default 'text'::text,
  new_text text,
  html text,
  attachments jsonb,
  sender jsonb,
  recipients jsonb not null,
  recipient_domain text generated always as (
CASE
    WHEN (type = 'campaign'::text) THEN lower(split_part((recipients #>> '{to,0,email}'::text[]), '@'::text, 2))
    ELSE NULL::text
END) stored,
  reply_to jsonb,
  message_id text not null,
  in_reply_to text,
  reference_ids text[] not null default '{}'::text[],
  sent_at timestamp(3) with time zone not null,
  previous_sent_at timestamp(3) with time zone,
  is_irregular boolean not null default false,
  is_last boolean not null default false,
  kind text not null generated always as (((type ||
CASE status
    WHEN 'sent'::text THEN ' sent'::text
    WHEN 'draft'::text THEN ' draft'::text
    ELSE ' unsent'::text
END) ||
CASE
    WHEN is_last THEN ' last'::text
    ELSE ''::text
END)) stored,
  tags text[] not null default '{}'::text[],
  thread_seen_at timestamp(3) with time zone,
  approval_request jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, thread_id) REFERENCES email_threads(account_id, id),
  CHECK (((NOT is_last) OR (status IS NOT NULL))),
  CHECK (((approval_request IS NULL) OR (status = 'draft'::text))),
  CHECK (((type <> 'received'::text) OR (status = 'sent'::text))),
  CHECK ((body_format = ANY (ARRAY['text'::text, 'html'::text]))),
  CHECK ((delivery_status = ANY (ARRAY['queued'::text, 'sending'::text, 'unconfirmed'::text, 'failed'::text, 'suppressed'::text, 'bounced'::text]))),
  CHECK ((received_kind = ANY (ARRAY['reply'::text, 'auto_reply'::text, 'unsubscribe'::text]))),
  CHECK ((status = ANY (ARRAY['sent'::text, 'draft'::text]))),
  CHECK ((type = ANY (ARRAY['manual'::text, 'campaign'::text, 'reply_agent'::text, 'received'::text])))
);
CREATE INDEX email_messages_by_campaign ON public.email_messages USING btree (account_id, campaign_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_campaign_and_kind ON public.email_messages USING btree (account_id, campaign_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_change ON public.email_messages USING btree (account_id, updated_at, id);
CREATE INDEX email_messages_by_kind ON public.email_messages USING btree (account_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_message_id ON public.email_messages USING btree (account_id, message_id);
CREATE INDEX email_messages_by_prospect ON public.email_messages USING btree (account_id, prospect_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_rep ON public.email_messages USING btree (account_id, rep_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_rep_and_campaign ON public.email_messages USING btree (account_id, rep_id, campaign_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_rep_and_campaign_and_kind ON public.email_messages USING btree (account_id, rep_id, campaign_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_rep_and_change ON public.email_messages USING btree (account_id, rep_id, updated_at, id);
CREATE INDEX email_messages_by_rep_and_kind ON public.email_messages USING btree (account_id, rep_id, kind, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_status ON public.email_messages USING btree (account_id, status, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_text ON public.email_messages USING gin (account_id, message_words(subject, COALESCE(new_text, body))) WHERE (type <> 'campaign'::text);
CREATE INDEX email_messages_by_thread ON public.email_messages USING btree (account_id, thread_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_time ON public.email_messages USING btree (account_id, sent_at DESC, id DESC);
CREATE INDEX email_messages_by_type ON public.email_messages USING btree (account_id, type, sent_at DESC, id DESC);
CREATE INDEX email_messages_failed ON public.email_messages USING btree (account_id, sent_at) WHERE (delivery_status = 'failed'::text);
CREATE INDEX email_messages_irregular ON public.email_messages USING btree (account_id, sent_at) WHERE (is_irregular AND (type = 'campaign'::text) AND (status = 'sent'::text));
CREATE INDEX email_messages_last ON public.email_messages USING btree (account_id, status, sent_at DESC, id DESC) WHERE is_last;
CREATE UNIQUE INDEX email_messages_one_last ON public.email_messages USING btree (account_id, thread_id, status) WHERE is_last;
CREATE INDEX email_messages_sent ON public.email_messages USING btree (account_id, sent_at) INCLUDE (campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, recipient_domain, previous_sent_at, is_irregular) WHERE ((type = 'campaign'::text) AND (status = 'sent'::text));
CREATE INDEX email_messages_sent_by_campaign ON public.email_messages USING btree (account_id, campaign_id, sent_at) INCLUDE (prospect_id, step_id, variant_id, previous_sent_at, is_irregular) WHERE ((type = 'campaign'::text) AND (status = 'sent'::text));
CREATE INDEX email_messages_sent_to_prospect ON public.email_messages USING btree (account_id, prospect_id, sent_at, id) INCLUDE (campaign_id, rep_id) WHERE ((type = 'campaign'::text) AND (status = 'sent'::text));
CREATE INDEX email_messages_unconfirmed ON public.email_messages USING btree (account_id, sent_at DESC, id DESC) WHERE (delivery_status = 'unconfirmed'::text);
alter table email_messages enable row level security, force row level security;
create policy search on email_messages for select to overture_search using (true);
create policy tenant on email_messages for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on email_messages to overture_app;
grant select (account_id, body, id, new_text, subject, type) on email_messages to overture_search;
CREATE TRIGGER announce_approval_request AFTER UPDATE OF approval_request ON public.email_messages FOR EACH ROW WHEN (((new.approval_request IS NOT NULL) AND (new.approval_request IS DISTINCT FROM old.approval_request))) EXECUTE FUNCTION announce_approval_request('email');
CREATE TRIGGER announce_arrival AFTER INSERT ON public.email_messages FOR EACH ROW WHEN ((new.status = 'sent'::text)) EXECUTE FUNCTION announce_email();
CREATE TRIGGER announce_change AFTER UPDATE OF status, delivery_status ON public.email_messages FOR EACH ROW WHEN ((((new.status = 'sent'::text) AND (old.status IS DISTINCT FROM 'sent'::text)) OR ((new.delivery_status = ANY (ARRAY['bounced'::text, 'failed'::text, 'unconfirmed'::text])) AND (new.delivery_status IS DISTINCT FROM old.delivery_status)))) EXECUTE FUNCTION announce_email();
CREATE TRIGGER copy_to_received_mails AFTER UPDATE OF campaign_id, prospect_id, step_id, variant_id, rep_id, mailbox_id, status, sent_at, recipients ON public.email_messages FOR EACH ROW WHEN ((((((((((new.campaign_id IS DISTINCT FROM old.campaign_id) OR (new.prospect_id IS DISTINCT FROM old.prospect_id)) OR (new.step_id IS DISTINCT FROM old.step_id)) OR (new.variant_id IS DISTINCT FROM old.variant_id)) OR (new.rep_id IS DISTINCT FROM old.rep_id)) OR (new.mailbox_id IS DISTINCT FROM old.mailbox_id)) OR (new.status IS DISTINCT FROM old.status)) OR (new.sent_at IS DISTINCT FROM old.sent_at)) OR (new.recipient_domain IS DISTINCT FROM old.recipient_domain))) EXECUTE FUNCTION copy_to_received_mails();
CREATE TRIGGER place_changed_email BEFORE UPDATE OF status, sent_at, prospect_id, campaign_id, step_id, variant_id, rep_id, mailbox_id, recipients ON public.email_messages FOR EACH ROW WHEN (((new.type = 'campaign'::text) AND (new.status = 'sent'::text) AND (new.prospect_id IS NOT NULL) AND (((((((((new.status IS DISTINCT FROM old.status) OR (new.sent_at IS DISTINCT FROM old.sent_at)) OR (new.prospect_id IS DISTINCT FROM old.prospect_id)) OR (new.campaign_id IS DISTINCT FROM old.campaign_id)) OR (new.step_id IS DISTINCT FROM old.step_id)) OR (new.variant_id IS DISTINCT FROM old.variant_id)) OR (new.rep_id IS DISTINCT FROM old.rep_id)) OR (new.mailbox_id IS DISTINCT FROM old.mailbox_id)) OR (new.recipients IS DISTINCT FROM old.recipients)))) EXECUTE FUNCTION place_sent_email();
CREATE TRIGGER place_changed_emails AFTER UPDATE ON public.email_messages FOR EACH ROW WHEN (((new.previous_sent_at = 'infinity'::timestamp with time zone) OR ((old.type = 'campaign'::text) AND (old.status = 'sent'::text) AND ((new.status IS DISTINCT FROM 'sent'::text) OR (new.prospect_id IS DISTINCT FROM old.prospect_id))))) EXECUTE FUNCTION place_sent_emails();
CREATE TRIGGER place_remaining_emails AFTER DELETE ON public.email_messages FOR EACH ROW WHEN (((old.type = 'campaign'::text) AND (old.status = 'sent'::text))) EXECUTE FUNCTION place_sent_emails();
CREATE TRIGGER place_sent_email BEFORE INSERT ON public.email_messages FOR EACH ROW WHEN (((new.type = 'campaign'::text) AND (new.status = 'sent'::text) AND (new.prospect_id IS NOT NULL))) EXECUTE FUNCTION place_sent_email();
CREATE TRIGGER place_sent_emails AFTER INSERT ON public.email_messages FOR EACH ROW WHEN ((new.previous_sent_at = 'infinity'::timestamp with time zone)) EXECUTE FUNCTION place_sent_emails();
CREATE TRIGGER record_activity AFTER UPDATE ON public.email_messages REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_email_activity();
CREATE TRIGGER record_activity_of_new AFTER INSERT ON public.email_messages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_email_activity();
CREATE CONSTRAINT TRIGGER refresh_on_change AFTER UPDATE OF status, delivery_status, sent_at, approval_request ON public.email_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type <> 'campaign'::text) OR (new.in_reply_to IS NOT NULL) OR (NOT (new.delivery_status IS DISTINCT FROM 'unconfirmed'::text)) OR (NOT (old.delivery_status IS DISTINCT FROM 'unconfirmed'::text)))) EXECUTE FUNCTION refresh_email_conversation();
CREATE CONSTRAINT TRIGGER refresh_on_delete AFTER DELETE ON public.email_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.type <> 'campaign'::text)) EXECUTE FUNCTION refresh_email_conversation();
CREATE CONSTRAINT TRIGGER refresh_on_insert AFTER INSERT ON public.email_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.type <> 'campaign'::text)) EXECUTE FUNCTION refresh_email_conversation();

create table email_sends (
  account_id uuid not null,
  message_id uuid not null,
  mailbox_id uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  step_id uuid,
  state text not null,
  recipient_emails text[] not null,
  is_repeat boolean not null default false,
  attempts integer not null default 0,
  due_at timestamp(3) with time zone not null default now(),
  epoch bigint not null default 0,
  dot_pending_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  response text,
  queue_id text,
  hard_bounced_at timestamp(3) with time zone,
  complained_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, message_id),
  UNIQUE (account_id, prospect_id, step_id),
  FOREIGN KEY (account_id, message_id) REFERENCES email_messages(account_id, id),
  CHECK ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'dot_pending'::text, 'sent'::text, 'refused'::text, 'failed'::text, 'unconfirmed'::text])))
);
CREATE INDEX email_sends_bounced ON public.email_sends USING btree (account_id, hard_bounced_at) WHERE (hard_bounced_at IS NOT NULL);
CREATE INDEX email_sends_by_campaign ON public.email_sends USING btree (account_id, campaign_id) WHERE (state = 'queued'::text);
CREATE INDEX email_sends_by_end ON public.email_sends USING btree (account_id, mailbox_id, ended_at) WHERE (state = ANY (ARRAY['sent'::text, 'failed'::text, 'unconfirmed'::text]));
CREATE INDEX email_sends_by_mailbox ON public.email_sends USING btree (account_id, mailbox_id) WHERE (state = ANY (ARRAY['queued'::text, 'claimed'::text, 'dot_pending'::text]));
CREATE INDEX email_sends_due ON public.email_sends USING btree (due_at) WHERE (state = ANY (ARRAY['queued'::text, 'claimed'::text, 'dot_pending'::text]));
CREATE INDEX email_sends_in_flight ON public.email_sends USING btree (account_id) WHERE (state = 'dot_pending'::text);
CREATE INDEX email_sends_unconfirmed ON public.email_sends USING btree (account_id, mailbox_id, ended_at) WHERE (state = 'unconfirmed'::text);
alter table email_sends enable row level security, force row level security;
create policy engine on email_sends for all to overture_engine using (true);
create policy tenant on email_sends for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on email_sends to overture_app;
grant select (account_id, attempts, campaign_id, due_at, epoch, mailbox_id, message_id, state) on email_sends to overture_engine;
grant update (attempts, due_at, epoch, state, updated_at) on email_sends to overture_engine;

create table email_threads (
  account_id uuid not null,
  id uuid not null,
  subject text not null,
  person_id uuid,
  prospect_id uuid,
  campaign_id uuid,
  rep_id uuid,
  mailbox_id uuid,
  tags text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id)
);
CREATE INDEX email_threads_by_person ON public.email_threads USING btree (account_id, person_id) WHERE (prospect_id IS NULL);
CREATE INDEX email_threads_by_prospect ON public.email_threads USING btree (account_id, prospect_id);
alter table email_threads enable row level security, force row level security;
create policy tenant on email_threads for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on email_threads to overture_app;
CREATE TRIGGER copy_to_conversation AFTER UPDATE OF person_id, prospect_id, campaign_id, rep_id, tags ON public.email_threads FOR EACH ROW EXECUTE FUNCTION copy_to_conversation();
CREATE TRIGGER follow_merge BEFORE INSERT ON public.email_threads FOR EACH ROW WHEN (((new.prospect_id IS NULL) AND (new.person_id IS NOT NULL))) EXECUTE FUNCTION follow_merge();
CREATE TRIGGER refresh_activity AFTER UPDATE OF person_id ON public.email_threads FOR EACH ROW WHEN ((old.person_id IS DISTINCT FROM new.person_id)) EXECUTE FUNCTION refresh_activity_of_owner();

create table events (
  account_id uuid not null,
  tx xid8 not null default pg_current_xact_id(),
  "position" bigint not null,
  id uuid not null,
  event_type text not null,
  object_id uuid not null,
  data text,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, tx, "position"),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX events_by_time ON public.events USING btree (created_at);
alter table events enable row level security, force row level security;
create policy engine on events for all to overture_engine using (true);
create policy tenant on events for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant insert, select on events to overture_app;
grant delete on events to overture_engine;
grant update (data) on events to overture_app;
grant select (account_id, created_at, position, tx) on events to overture_engine;
grant update (tx) on events to overture_engine;

create table export_pieces (
  account_id uuid not null,
  export_id uuid not null,
  number integer not null,
  text text not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, export_id, number),
  FOREIGN KEY (account_id, export_id) REFERENCES exports(account_id, id) ON DELETE CASCADE
);
alter table export_pieces enable row level security, force row level security;
create policy tenant on export_pieces for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on export_pieces to overture_app;

create table exports (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  scope text not null,
  campaign_id uuid,
  status text not null default 'running'::text,
  failure text,
  until timestamp(3) with time zone not null,
  last_at text,
  last_id uuid,
  row_count integer not null default 0,
  bytes bigint not null default 0,
  pieces integer not null default 0,
  lease_until timestamp(3) with time zone,
  epoch bigint not null default 0,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((last_at IS NULL) = (last_id IS NULL))),
  CHECK (((status = 'failed'::text) = (failure IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['persons'::text, 'prospects'::text, 'opt_outs'::text, 'messages'::text]))),
  CHECK ((scope = ANY (ARRAY['all'::text, 'own'::text]))),
  CHECK ((status = ANY (ARRAY['running'::text, 'finished'::text, 'failed'::text])))
);
CREATE INDEX exports_by_expiry ON public.exports USING btree (expires_at);
CREATE UNIQUE INDEX exports_running ON public.exports USING btree (account_id) WHERE (status = 'running'::text);
alter table exports enable row level security, force row level security;
create policy engine on exports for all to overture_engine using (true);
create policy tenant on exports for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on exports to overture_app;
grant delete on exports to overture_engine;
grant select (account_id, created_at, epoch, expires_at, id, lease_until, status) on exports to overture_engine;
grant update (epoch, lease_until) on exports to overture_engine;

create table former_members (
  account_id uuid not null,
  user_id uuid not null,
  email text not null,
  name text not null,
  PRIMARY KEY (account_id, user_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (user_id) REFERENCES users(id)
);
alter table former_members enable row level security, force row level security;
create policy tenant on former_members for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on former_members to overture_app;

create table idempotency_keys (
  account_id uuid not null,
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  response text,
  running_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, user_id, key),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  CHECK (((response IS NOT NULL) OR (running_until IS NOT NULL)))
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (account_id, created_at);
alter table idempotency_keys enable row level security, force row level security;
create policy tenant on idempotency_keys for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on idempotency_keys to overture_app;

create table invitations (
  account_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  invited_by uuid,
  created_user_id uuid,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, email),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (created_user_id) REFERENCES users(id),
  FOREIGN KEY (invited_by) REFERENCES users(id),
  CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'manager'::text, 'admin'::text, 'owner'::text])))
);
CREATE INDEX invitations_by_time ON public.invitations USING btree (account_id, created_at DESC, id DESC);
alter table invitations enable row level security, force row level security;
create policy sign_in on invitations for all to overture_auth using (true);
create policy tenant on invitations for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on invitations to overture_app;
grant delete, select on invitations to overture_auth;
grant update (created_user_id) on invitations to overture_auth;

create table linkedin_accounts (
  account_id uuid not null,
  id uuid not null,
  rep_id uuid not null,
  provider text not null,
  secret bytea not null,
  base_url text,
  provider_account_id text,
  api_key bytea,
  member_id text,
  status text not null default 'waiting'::text,
  status_reason text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, rep_id, provider),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK (((provider = 'webhook'::text) OR ((base_url IS NOT NULL) AND (provider_account_id IS NOT NULL) AND (api_key IS NOT NULL)))),
  CHECK ((provider = ANY (ARRAY['webhook'::text, 'unipile'::text]))),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'working'::text, 'failing'::text])))
);
CREATE INDEX linkedin_accounts_by_time ON public.linkedin_accounts USING btree (account_id, created_at DESC, id DESC);
alter table linkedin_accounts enable row level security, force row level security;
create policy tenant on linkedin_accounts for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_accounts to overture_app;

create table linkedin_connections (
  account_id uuid not null,
  rep_id uuid not null,
  person_id uuid not null,
  invited_at timestamp(3) with time zone,
  accepted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, rep_id, person_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id)
);
CREATE INDEX linkedin_connections_accepted ON public.linkedin_connections USING btree (account_id, accepted_at) WHERE (accepted_at IS NOT NULL);
alter table linkedin_connections enable row level security, force row level security;
create policy tenant on linkedin_connections for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_connections to overture_app;
CREATE TRIGGER follow_merge BEFORE INSERT ON public.linkedin_connections FOR EACH ROW EXECUTE FUNCTION follow_merge();

create table linkedin_conversations (
  account_id uuid not null,
  id uuid not null,
  conversation_id text not null,
  chat_id text,
  person_id uuid,
  prospect_id uuid,
  campaign_id uuid,
  rep_id uuid,
  tags text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, conversation_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id)
);
CREATE INDEX linkedin_conversations_by_person ON public.linkedin_conversations USING btree (account_id, person_id, rep_id);
CREATE INDEX linkedin_conversations_by_prospect ON public.linkedin_conversations USING btree (account_id, prospect_id);
alter table linkedin_conversations enable row level security, force row level security;
create policy tenant on linkedin_conversations for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_conversations to overture_app;
CREATE TRIGGER copy_to_conversation AFTER UPDATE OF person_id, prospect_id, campaign_id, rep_id, tags ON public.linkedin_conversations FOR EACH ROW EXECUTE FUNCTION copy_to_conversation();
CREATE TRIGGER follow_merge BEFORE INSERT ON public.linkedin_conversations FOR EACH ROW WHEN ((new.person_id IS NOT NULL)) EXECUTE FUNCTION follow_merge();
CREATE TRIGGER refresh_activity AFTER UPDATE OF person_id ON public.linkedin_conversations FOR EACH ROW WHEN ((old.person_id IS DISTINCT FROM new.person_id)) EXECUTE FUNCTION refresh_activity_of_owner();

create table linkedin_members (
  account_id uuid not null,
  member_id text not null,
  person_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id)
);
CREATE INDEX linkedin_members_by_person ON public.linkedin_members USING btree (account_id, person_id);
alter table linkedin_members enable row level security, force row level security;
create policy tenant on linkedin_members for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_members to overture_app;
CREATE TRIGGER follow_merge BEFORE INSERT ON public.linkedin_members FOR EACH ROW EXECUTE FUNCTION follow_merge();

create table linkedin_message_tags (
  account_id uuid not null,
  tag_id uuid not null,
  id uuid not null,
  prospect_id uuid,
  campaign_id uuid,
  rep_id uuid,
  status text not null,
  kind text not null,
  happened_at timestamp(3) with time zone not null,
  PRIMARY KEY (account_id, tag_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, id) REFERENCES linkedin_messages(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, tag_id) REFERENCES tags(account_id, id)
);
CREATE INDEX linkedin_message_tags_by_campaign ON public.linkedin_message_tags USING btree (account_id, tag_id, campaign_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_kind ON public.linkedin_message_tags USING btree (account_id, tag_id, kind, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_message ON public.linkedin_message_tags USING btree (account_id, id);
CREATE INDEX linkedin_message_tags_by_prospect ON public.linkedin_message_tags USING btree (account_id, tag_id, prospect_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_rep ON public.linkedin_message_tags USING btree (account_id, tag_id, rep_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_rep_and_campaign ON public.linkedin_message_tags USING btree (account_id, tag_id, rep_id, campaign_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_rep_and_kind ON public.linkedin_message_tags USING btree (account_id, tag_id, rep_id, kind, happened_at DESC, id DESC);
CREATE INDEX linkedin_message_tags_by_time ON public.linkedin_message_tags USING btree (account_id, tag_id, status, happened_at DESC, id DESC);
alter table linkedin_message_tags enable row level security, force row level security;
create policy tenant on linkedin_message_tags for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_message_tags to overture_app;

create table linkedin_messages (
  account_id uuid not null,
  id uuid not null,
  conversation_record_id uuid not null,
  conversation_id text not null,
  provider_message_id text,
  prospect_id uuid,
  campaign_id uuid,
  rep_id uuid,
  text text not null,
  type text not null,
  status text not null,
  is_unread boolean not null default false,
  happened_at timestamp(3) with time zone not null,
  kind text not null generated always as ((((type || ' '::text) || status) ||
CASE
    WHEN is_unread THEN ' unread'::text
    ELSE ''::text
END)) stored,
  tags text[] not null default '{}'::text[],
  conversation_seen_at timestamp(3) with time zone,
  approval_request jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, conversation_record_id) REFERENCES linkedin_conversations(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK (((approval_request IS NULL) OR (status = 'draft'::text))),
  CHECK ((status = ANY (ARRAY['sent'::text, 'draft'::text]))),
  CHECK ((type = ANY (ARRAY['manual'::text, 'campaign'::text, 'reply_agent'::text, 'received'::text])))
);
CREATE INDEX linkedin_messages_by_campaign ON public.linkedin_messages USING btree (account_id, campaign_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_campaign_and_kind ON public.linkedin_messages USING btree (account_id, campaign_id, kind, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_change ON public.linkedin_messages USING btree (account_id, updated_at, id);
CREATE INDEX linkedin_messages_by_conversation ON public.linkedin_messages USING btree (account_id, conversation_record_id, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_prospect ON public.linkedin_messages USING btree (account_id, prospect_id, status, happened_at DESC, id DESC);
CREATE UNIQUE INDEX linkedin_messages_by_provider ON public.linkedin_messages USING btree (account_id, conversation_record_id, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX linkedin_messages_by_rep ON public.linkedin_messages USING btree (account_id, rep_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_rep_and_campaign ON public.linkedin_messages USING btree (account_id, rep_id, campaign_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_rep_and_campaign_and_kind ON public.linkedin_messages USING btree (account_id, rep_id, campaign_id, kind, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_rep_and_change ON public.linkedin_messages USING btree (account_id, rep_id, updated_at, id);
CREATE INDEX linkedin_messages_by_rep_and_kind ON public.linkedin_messages USING btree (account_id, rep_id, kind, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_text ON public.linkedin_messages USING gin (account_id, message_words(''::text, text)) WHERE (type <> 'campaign'::text);
CREATE INDEX linkedin_messages_by_time ON public.linkedin_messages USING btree (account_id, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_by_type ON public.linkedin_messages USING btree (account_id, type, status, happened_at DESC, id DESC);
CREATE INDEX linkedin_messages_unread ON public.linkedin_messages USING btree (account_id, status, happened_at DESC, id DESC) WHERE is_unread;
alter table linkedin_messages enable row level security, force row level security;
create policy search on linkedin_messages for select to overture_search using (true);
create policy tenant on linkedin_messages for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_messages to overture_app;
grant select (account_id, id, text, type) on linkedin_messages to overture_search;
CREATE TRIGGER announce_approval_request AFTER UPDATE OF approval_request ON public.linkedin_messages FOR EACH ROW WHEN (((new.approval_request IS NOT NULL) AND (new.approval_request IS DISTINCT FROM old.approval_request))) EXECUTE FUNCTION announce_approval_request('linkedin');
CREATE TRIGGER announce_change AFTER UPDATE OF status ON public.linkedin_messages FOR EACH ROW WHEN (((new.status = 'sent'::text) AND (old.status <> 'sent'::text))) EXECUTE FUNCTION announce_linkedin();
CREATE TRIGGER announce_new AFTER INSERT ON public.linkedin_messages FOR EACH ROW WHEN ((new.status = 'sent'::text)) EXECUTE FUNCTION announce_linkedin();
CREATE TRIGGER record_activity AFTER UPDATE ON public.linkedin_messages REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_linkedin_activity();
CREATE TRIGGER record_activity_of_new AFTER INSERT ON public.linkedin_messages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_linkedin_activity();
CREATE CONSTRAINT TRIGGER refresh_on_change AFTER INSERT OR UPDATE OF status, happened_at, is_unread, approval_request ON public.linkedin_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refresh_linkedin_conversation();
CREATE CONSTRAINT TRIGGER refresh_on_delete AFTER DELETE ON public.linkedin_messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refresh_linkedin_conversation();

create table linkedin_sends (
  account_id uuid not null,
  task_id uuid not null,
  linkedin_account_id uuid,
  kind text not null,
  state text not null default 'queued'::text,
  due_at timestamp(3) with time zone not null,
  epoch bigint not null default 0,
  attempts integer not null default 0,
  requested_at timestamp(3) with time zone,
  response text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, task_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, linkedin_account_id) REFERENCES linkedin_accounts(account_id, id) ON DELETE SET NULL (linkedin_account_id),
  FOREIGN KEY (account_id, task_id) REFERENCES tasks(account_id, id) ON DELETE CASCADE,
  CHECK ((kind = ANY (ARRAY['invitation'::text, 'message'::text]))),
  CHECK ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'sent'::text, 'refused'::text, 'unconfirmed'::text])))
);
CREATE INDEX linkedin_sends_due ON public.linkedin_sends USING btree (due_at) WHERE (state = ANY (ARRAY['queued'::text, 'claimed'::text]));
CREATE INDEX linkedin_sends_requested ON public.linkedin_sends USING btree (account_id, linkedin_account_id, kind, requested_at);
alter table linkedin_sends enable row level security, force row level security;
create policy engine on linkedin_sends for all to overture_engine using (true);
create policy tenant on linkedin_sends for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on linkedin_sends to overture_app;
grant select (account_id, attempts, due_at, epoch, requested_at, state, task_id) on linkedin_sends to overture_engine;
grant update (attempts, due_at, epoch, state) on linkedin_sends to overture_engine;

create table live_accounts (
  account_id uuid not null,
  until timestamp(3) with time zone not null,
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
alter table live_accounts enable row level security, force row level security;
create policy tenant on live_accounts for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on live_accounts to overture_app;

create table mail_clients (
  account_id uuid not null,
  kind text not null,
  client_id text not null,
  secret bytea not null,
  tenant text,
  publishing_status text,
  secret_expires_on date,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, kind),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((kind = 'google'::text) = (publishing_status IS NOT NULL))),
  CHECK (((kind = ANY (ARRAY['microsoft'::text, 'microsoft_app'::text])) = (tenant IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['google'::text, 'google_service_account'::text, 'microsoft'::text, 'microsoft_app'::text]))),
  CHECK ((publishing_status = ANY (ARRAY['internal'::text, 'testing'::text, 'production'::text])))
);
alter table mail_clients enable row level security, force row level security;
create policy tenant on mail_clients for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mail_clients to overture_app;

create table mailbox_aliases (
  account_id uuid not null,
  mailbox_id uuid not null,
  email text not null,
  status text not null default 'unverified'::text,
  status_reason text,
  test_id uuid not null,
  tested_at timestamp(3) with time zone not null,
  verified_at timestamp(3) with time zone,
  is_sender boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id, email),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailboxes(account_id, id),
  CHECK (((status = 'verified'::text) OR (NOT is_sender))),
  CHECK ((status = ANY (ARRAY['unverified'::text, 'verified'::text, 'failing'::text])))
);
CREATE UNIQUE INDEX mailbox_aliases_sender ON public.mailbox_aliases USING btree (account_id, mailbox_id) WHERE is_sender;
alter table mailbox_aliases enable row level security, force row level security;
create policy tenant on mailbox_aliases for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_aliases to overture_app;

create table mailbox_attempts (
  account_id uuid not null,
  mailbox_id uuid not null,
  message_id uuid not null,
  epoch bigint not null,
  at timestamp(3) with time zone not null,
  PRIMARY KEY (account_id, mailbox_id, message_id, epoch)
);
CREATE INDEX mailbox_attempts_by_time ON public.mailbox_attempts USING btree (account_id, mailbox_id, at);
alter table mailbox_attempts enable row level security, force row level security;
create policy tenant on mailbox_attempts for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_attempts to overture_app;

create table mailbox_connections (
  account_id uuid not null,
  mailbox_id uuid not null,
  state_hash bytea not null,
  user_id uuid not null,
  session text,
  kind text not null,
  client_id text not null,
  secret bytea not null,
  used_at timestamp(3) with time zone,
  error text,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailboxes(account_id, id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((kind = ANY (ARRAY['google'::text, 'microsoft'::text]))),
  CHECK ((octet_length(state_hash) = 32))
);
CREATE INDEX mailbox_connections_by_user ON public.mailbox_connections USING btree (user_id);
alter table mailbox_connections enable row level security, force row level security;
create policy tenant on mailbox_connections for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_connections to overture_app;

create table mailbox_folders (
  account_id uuid not null,
  mailbox_id uuid not null,
  path text not null,
  uid_validity bigint not null,
  last_uid bigint not null,
  trying_uid bigint,
  tries integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id, path),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox_syncs(account_id, mailbox_id) ON DELETE CASCADE
);
alter table mailbox_folders enable row level security, force row level security;
create policy tenant on mailbox_folders for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_folders to overture_app;

create table mailbox_grants (
  account_id uuid not null,
  mailbox_id uuid not null,
  kind text not null,
  is_shared boolean not null default false,
  subject text,
  login text,
  client_id text,
  refresh_token bytea,
  access_token bytea,
  access_expires_at timestamp(3) with time zone,
  connected_at timestamp(3) with time zone,
  refreshing_until timestamp(3) with time zone,
  epoch bigint not null default 0,
  error_class text,
  error_code text,
  error_reason text,
  error_since timestamp(3) with time zone,
  failure_count integer not null default 0,
  retry_at timestamp(3) with time zone,
  revoke_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailboxes(account_id, id),
  CHECK (((access_token IS NULL) = (access_expires_at IS NULL))),
  CHECK (((error_class IS NULL) = ((error_reason IS NULL) AND (error_code IS NULL) AND (error_since IS NULL)))),
  CHECK ((error_class = ANY (ARRAY['user'::text, 'admin'::text, 'operator'::text, 'transient'::text]))),
  CHECK ((kind = ANY (ARRAY['google'::text, 'google_service_account'::text, 'microsoft'::text, 'microsoft_app'::text])))
);
CREATE INDEX mailbox_grants_by_subject ON public.mailbox_grants USING btree (subject, client_id) WHERE (subject IS NOT NULL);
CREATE INDEX mailbox_grants_to_revoke ON public.mailbox_grants USING btree (revoke_at) WHERE (revoke_at IS NOT NULL);
alter table mailbox_grants enable row level security, force row level security;
create policy engine on mailbox_grants for all to overture_engine using (true);
create policy tenant on mailbox_grants for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_grants to overture_app;
grant select (account_id, client_id, kind, mailbox_id, revoke_at, subject) on mailbox_grants to overture_engine;
grant update (revoke_at) on mailbox_grants to overture_engine;

create table mailbox_skips (
  account_id uuid not null,
  mailbox_id uuid not null,
  path text not null,
  uid_validity bigint not null,
  uid bigint not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id, path, uid_validity, uid),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox_syncs(account_id, mailbox_id) ON DELETE CASCADE
);
alter table mailbox_skips enable row level security, force row level security;
create policy tenant on mailbox_skips for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_skips to overture_app;

create table mailbox_syncs (
  account_id uuid not null,
  mailbox_id uuid not null,
  host text not null,
  port integer not null,
  tls text not null,
  login text not null,
  password bytea,
  status text not null default 'waiting'::text,
  status_reason text,
  sync_from timestamp(3) with time zone not null,
  last_synced_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone not null default now(),
  epoch bigint not null default 0,
  failures integer not null default 0,
  sent_copy_error text,
  sent_copy_error_since timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, mailbox_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailboxes(account_id, id),
  CHECK (((port >= 1) AND (port <= 65535))),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'syncing'::text, 'failing'::text]))),
  CHECK ((tls = ANY (ARRAY['implicit'::text, 'starttls'::text, 'none'::text])))
);
CREATE INDEX mailbox_syncs_due ON public.mailbox_syncs USING btree (due_at);
alter table mailbox_syncs enable row level security, force row level security;
create policy engine on mailbox_syncs for all to overture_engine using (true);
create policy tenant on mailbox_syncs for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on mailbox_syncs to overture_app;
grant select (account_id, created_at, due_at, epoch, last_synced_at, mailbox_id, status) on mailbox_syncs to overture_engine;
grant update (due_at, epoch) on mailbox_syncs to overture_engine;

create table mailboxes (
  account_id uuid not null,
  id uuid not null,
  rep_id uuid not null,
  kind text not null,
  email text not null,
  sender_name text,
  smtp_host text,
  smtp_port integer,
  smtp_tls text,
  smtp_user text,
  smtp_password bytea,
  status text not null default 'unverified'::text,
  status_reason text,
  verified_at timestamp(3) with time zone,
  inbound_key_number integer not null default 1,
  plus_addressing boolean not null default false,
  saves_sent_copies boolean not null default true,
  daily_cap integer,
  min_gap_seconds integer not null default 0,
  ramp_start integer,
  ramp_increase integer,
  ramp_since timestamp(3) with time zone,
  ramp_skipped integer not null default 0,
  ramp_sent_at timestamp(3) with time zone,
  ramp_stepped_back_at timestamp(3) with time zone,
  cap_resets_at timestamp(3) with time zone,
  gap_ends_at timestamp(3) with time zone,
  gap_after uuid,
  failure_count integer not null default 0,
  failing_since timestamp(3) with time zone,
  retry_at timestamp(3) with time zone,
  paused_at timestamp(3) with time zone,
  pause_reason text,
  resumed_at timestamp(3) with time zone,
  removed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK ((((ramp_since IS NULL) AND (ramp_start IS NULL) AND (ramp_increase IS NULL)) OR ((daily_cap IS NOT NULL) AND (ramp_since IS NOT NULL) AND (ramp_start IS NOT NULL) AND (ramp_increase IS NOT NULL)))),
  CHECK (((daily_cap >= 1) AND (daily_cap <= 100000))),
  CHECK (((kind = 'smtp'::text) = ((smtp_host IS NOT NULL) AND (smtp_port IS NOT NULL) AND (smtp_tls IS NOT NULL)))),
  CHECK (((min_gap_seconds >= 0) AND (min_gap_seconds <= 86400))),
  CHECK (((ramp_increase >= 1) AND (ramp_increase <= 100000))),
  CHECK (((ramp_start >= 1) AND (ramp_start <= 100000))),
  CHECK (((smtp_port >= 1) AND (smtp_port <= 65535))),
  CHECK ((kind = ANY (ARRAY['smtp'::text, 'sandbox'::text]))),
  CHECK ((smtp_tls = ANY (ARRAY['implicit'::text, 'starttls'::text, 'none'::text]))),
  CHECK ((status = ANY (ARRAY['unverified'::text, 'active'::text, 'failing'::text])))
);
CREATE UNIQUE INDEX mailboxes_by_email ON public.mailboxes USING btree (account_id, email) WHERE (removed_at IS NULL);
CREATE INDEX mailboxes_by_rep ON public.mailboxes USING btree (account_id, rep_id, created_at DESC, id DESC) WHERE (removed_at IS NULL);
CREATE INDEX mailboxes_by_time ON public.mailboxes USING btree (account_id, created_at DESC, id DESC) WHERE (removed_at IS NULL);
CREATE INDEX mailboxes_to_probe ON public.mailboxes USING btree (COALESCE(retry_at, '-infinity'::timestamp with time zone)) WHERE ((status = 'failing'::text) AND (removed_at IS NULL));
alter table mailboxes enable row level security, force row level security;
create policy engine on mailboxes for all to overture_engine using (true);
create policy tenant on mailboxes for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant insert, select, update on mailboxes to overture_app;
grant select (account_id, cap_resets_at, gap_ends_at, id, min_gap_seconds, paused_at, removed_at, rep_id, retry_at, status) on mailboxes to overture_engine;
grant update (retry_at) on mailboxes to overture_engine;
CREATE TRIGGER announce_change AFTER UPDATE OF status, paused_at ON public.mailboxes FOR EACH ROW WHEN ((((old.paused_at IS NULL) <> (new.paused_at IS NULL)) OR ((old.status <> new.status) AND ((new.status = 'failing'::text) OR ((old.status = 'failing'::text) AND (new.status = 'active'::text)))))) EXECUTE FUNCTION announce_mailbox();
CREATE TRIGGER set_failing_since BEFORE INSERT OR UPDATE OF status, failure_count ON public.mailboxes FOR EACH ROW EXECUTE FUNCTION set_failing_since();

create table meeting_webhooks (
  account_id uuid not null,
  provider text not null,
  signing_secret bytea not null,
  last_received_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, provider),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK ((provider = ANY (ARRAY['cal_com'::text, 'calendly'::text])))
);
alter table meeting_webhooks enable row level security, force row level security;
create policy tenant on meeting_webhooks for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on meeting_webhooks to overture_app;

create table meetings (
  account_id uuid not null,
  id uuid not null,
  prospect_id uuid not null,
  person_id uuid not null,
  campaign_id uuid not null,
  rep_id uuid,
  source text not null,
  external_id text,
  sequence integer,
  stamped_at timestamp(3) with time zone,
  email_message_id uuid,
  status text not null default 'booked'::text,
  starts_at timestamp(3) with time zone not null,
  booked_at timestamp(3) with time zone not null,
  notes text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  CHECK ((source = ANY (ARRAY['manual'::text, 'cal_com'::text, 'calendly'::text, 'email'::text]))),
  CHECK ((status = ANY (ARRAY['booked'::text, 'cancelled'::text])))
);
CREATE UNIQUE INDEX meetings_booked ON public.meetings USING btree (account_id, prospect_id, starts_at) WHERE (status = 'booked'::text);
CREATE INDEX meetings_by_campaign ON public.meetings USING btree (account_id, campaign_id, booked_at DESC, id DESC);
CREATE UNIQUE INDEX meetings_by_external_id ON public.meetings USING btree (account_id, source, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX meetings_by_person ON public.meetings USING btree (account_id, person_id, booked_at DESC, id DESC);
CREATE INDEX meetings_by_prospect ON public.meetings USING btree (account_id, prospect_id, booked_at DESC, id DESC);
CREATE INDEX meetings_by_start ON public.meetings USING btree (account_id, starts_at, id);
CREATE INDEX meetings_by_status ON public.meetings USING btree (account_id, status, booked_at DESC, id DESC);
CREATE INDEX meetings_by_time ON public.meetings USING btree (account_id, booked_at DESC, id DESC);
alter table meetings enable row level security, force row level security;
create policy tenant on meetings for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on meetings to overture_app;
CREATE TRIGGER announce_change AFTER UPDATE OF status, starts_at ON public.meetings FOR EACH ROW WHEN (((old.status <> new.status) OR ((old.starts_at <> new.starts_at) AND (new.status = 'booked'::text)))) EXECUTE FUNCTION announce_meeting();
CREATE TRIGGER announce_new AFTER INSERT ON public.meetings FOR EACH ROW WHEN ((new.status = 'booked'::text)) EXECUTE FUNCTION announce_meeting();
CREATE TRIGGER follow_merge BEFORE INSERT ON public.meetings FOR EACH ROW EXECUTE FUNCTION follow_merge();

create table members (
  account_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, user_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'manager'::text, 'admin'::text, 'owner'::text])))
);
CREATE INDEX members_by_time ON public.members USING btree (account_id, created_at DESC, user_id DESC);
CREATE INDEX members_by_user ON public.members USING btree (user_id);
alter table members enable row level security, force row level security;
create policy own on members for select to overture_app using ((user_id = ( SELECT current_user_id() AS current_user_id)));
create policy sign_in on members for all to overture_auth using (true);
create policy tenant on members for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on members to overture_app;
grant delete, insert, select, update on members to overture_auth;
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON public.members FOR EACH STATEMENT EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER end_connections AFTER DELETE ON public.members FOR EACH ROW EXECUTE FUNCTION end_connections_of_member();

create table notes (
  account_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  text text not null,
  author_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id)
);
CREATE INDEX notes_by_person ON public.notes USING btree (account_id, person_id, created_at DESC, id DESC);
alter table notes enable row level security, force row level security;
create policy tenant on notes for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on notes to overture_app;
CREATE TRIGGER follow_merge BEFORE INSERT ON public.notes FOR EACH ROW EXECUTE FUNCTION follow_merge();

create table notification_emails (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  digest_on date,
  state text not null default 'queued'::text,
  attempts integer not null default 0,
  due_at timestamp(3) with time zone not null,
  lease_until timestamp(3) with time zone,
  epoch bigint not null default 0,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, user_id, digest_on),
  FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE,
  CHECK ((state = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'skipped'::text, 'failed'::text])))
);
CREATE INDEX notification_emails_by_user ON public.notification_emails USING btree (account_id, user_id, created_at DESC);
CREATE INDEX notification_emails_due ON public.notification_emails USING btree (account_id, due_at) WHERE (state = 'queued'::text);
alter table notification_emails enable row level security, force row level security;
create policy own on notification_emails for all to overture_app using (((( SELECT current_user_id() AS current_user_id) = user_id) OR (( SELECT current_user_id() AS current_user_id) = '00000000-0000-0000-0000-000000000000'::uuid)));
create policy tenant on notification_emails for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on notification_emails to overture_app;

create table notification_settings (
  account_id uuid not null,
  user_id uuid not null,
  kinds jsonb not null default '{}'::jsonb,
  digest_hour integer,
  timezone text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, user_id),
  FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE,
  CHECK (((digest_hour >= 0) AND (digest_hour <= 23)))
);
alter table notification_settings enable row level security, force row level security;
create policy own on notification_settings for all to overture_app using (((( SELECT current_user_id() AS current_user_id) = user_id) OR (( SELECT current_user_id() AS current_user_id) = '00000000-0000-0000-0000-000000000000'::uuid)));
create policy tenant on notification_settings for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on notification_settings to overture_app;

create table notifications (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  event_key text not null,
  object_type text not null,
  object_id uuid not null,
  title text,
  text text,
  is_in_app boolean not null,
  is_mailed boolean not null,
  email_id uuid,
  read_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, user_id, event_key),
  FOREIGN KEY (account_id, email_id) REFERENCES notification_emails(account_id, id) ON DELETE SET NULL (email_id),
  FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE,
  CHECK ((kind = ANY (ARRAY['reply'::text, 'approval'::text, 'task'::text, 'problem'::text, 'campaign'::text])))
);
CREATE INDEX notifications_by_age ON public.notifications USING btree (account_id, created_at);
CREATE INDEX notifications_by_email ON public.notifications USING btree (account_id, email_id) WHERE (email_id IS NOT NULL);
CREATE INDEX notifications_by_object ON public.notifications USING btree (account_id, object_id);
CREATE INDEX notifications_by_time ON public.notifications USING btree (account_id, user_id, created_at DESC, id DESC) WHERE is_in_app;
CREATE INDEX notifications_to_mail ON public.notifications USING btree (account_id, user_id) WHERE (is_mailed AND (email_id IS NULL) AND (read_at IS NULL));
CREATE INDEX notifications_to_resolve ON public.notifications USING btree (account_id, kind) WHERE (read_at IS NULL);
CREATE INDEX notifications_unread ON public.notifications USING btree (account_id, user_id, created_at DESC, id DESC) WHERE (is_in_app AND (read_at IS NULL));
alter table notifications enable row level security, force row level security;
create policy own on notifications for all to overture_app using (((( SELECT current_user_id() AS current_user_id) = user_id) OR (( SELECT current_user_id() AS current_user_id) = '00000000-0000-0000-0000-000000000000'::uuid)));
create policy tenant on notifications for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on notifications to overture_app;
CREATE TRIGGER announce_change AFTER UPDATE ON public.notifications REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_notifications();
CREATE TRIGGER announce_new AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_notifications();

create table oauth_clients (
  id text not null,
  metadata jsonb not null,
  connected_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id)
);
CREATE INDEX oauth_clients_unused ON public.oauth_clients USING btree (updated_at DESC, id) WHERE (connected_at IS NULL);
alter table oauth_clients enable row level security, force row level security;
create policy sign_in on oauth_clients for all to overture_auth using (true);
grant delete, insert, select, update on oauth_clients to overture_auth;

create table oauth_grants (
  id uuid not null,
  account_id uuid,
  user_id uuid not null,
  client_id text not null,
  client_name text not null,
  client_host text not null,
  scopes text[] not null,
  payload jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_grants_by_client ON public.oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_by_member ON public.oauth_grants USING btree (account_id, user_id);
CREATE INDEX oauth_grants_by_user ON public.oauth_grants USING btree (user_id, created_at DESC, id DESC);
alter table oauth_grants enable row level security, force row level security;
create policy own on oauth_grants for all to overture_app using ((user_id = ( SELECT current_user_id() AS current_user_id)));
create policy sign_in on oauth_grants for all to overture_auth using (true);
create policy tenant on oauth_grants for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on oauth_grants to overture_auth;
grant select (account_id, client_host, client_name, created_at, expires_at, id, last_used_at, revoked_at, scopes, updated_at, user_id) on oauth_grants to overture_app;
grant update (revoked_at, updated_at) on oauth_grants to overture_app;
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF revoked_at, scopes, expires_at ON public.oauth_grants FOR EACH STATEMENT EXECUTE FUNCTION announce_access_change();

create table oauth_keys (
  id text not null,
  private_jwk bytea not null,
  signs_from timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id)
);
alter table oauth_keys enable row level security, force row level security;
create policy sign_in on oauth_keys for all to overture_auth using (true);
grant delete, insert, select on oauth_keys to overture_auth;

create table oauth_records (
  kind text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_id uuid,
  consumed_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  PRIMARY KEY (kind, id_hash),
  FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  CHECK ((octet_length(id_hash) = 32))
);
CREATE INDEX oauth_records_by_expiry ON public.oauth_records USING btree (expires_at);
CREATE INDEX oauth_records_by_grant ON public.oauth_records USING btree (grant_id) WHERE (grant_id IS NOT NULL);
alter table oauth_records enable row level security, force row level security;
create policy sign_in on oauth_records for all to overture_auth using (true);
grant delete, insert, select, update on oauth_records to overture_auth;

create table opt_outs (
  account_id uuid not null,
  id uuid not null,
  kind text not null,
  value text not null,
  name text,
  source text not null default 'api'::text,
  added_by_id uuid,
  email_message_id uuid,
  search_text text not null generated always as (search_key(((value || ' '::text) || COALESCE(name, ''::text)))) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, kind, value),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK ((kind = ANY (ARRAY['email'::text, 'linkedin'::text, 'phone'::text, 'domain'::text, 'sms'::text, 'whatsapp'::text, 'web_chat'::text])))
);
CREATE INDEX opt_outs_by_change ON public.opt_outs USING btree (account_id, updated_at, id);
CREATE INDEX opt_outs_by_kind ON public.opt_outs USING btree (account_id, kind, created_at DESC, id DESC);
CREATE INDEX opt_outs_by_message ON public.opt_outs USING btree (account_id, email_message_id) WHERE (email_message_id IS NOT NULL);
CREATE INDEX opt_outs_by_source ON public.opt_outs USING btree (account_id, source, created_at DESC, id DESC);
CREATE INDEX opt_outs_by_text ON public.opt_outs USING gin (account_id, search_text gin_trgm_ops);
CREATE INDEX opt_outs_by_time ON public.opt_outs USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX opt_outs_by_user ON public.opt_outs USING btree (account_id, added_by_id, created_at DESC, id DESC) WHERE (added_by_id IS NOT NULL);
CREATE INDEX opt_outs_of_messages ON public.opt_outs USING btree (account_id, created_at) WHERE (email_message_id IS NOT NULL);
alter table opt_outs enable row level security, force row level security;
create policy search on opt_outs for select to overture_search using (true);
create policy tenant on opt_outs for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on opt_outs to overture_app;
grant select (account_id, id, search_text) on opt_outs to overture_search;
CREATE TRIGGER announce_added AFTER INSERT ON public.opt_outs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_new_rows('opt_out.added');
CREATE TRIGGER announce_removed AFTER DELETE ON public.opt_outs FOR EACH ROW EXECUTE FUNCTION announce_removed_opt_out();
CREATE TRIGGER withdraw_consents AFTER INSERT ON public.opt_outs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION withdraw_consents();

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (credential_id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023)))
);
CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id, created_at);
alter table passkeys enable row level security, force row level security;
create policy sign_in on passkeys for all to overture_auth using (true);
grant delete, insert, select, update on passkeys to overture_auth;

create table person_activity (
  account_id uuid not null,
  person_id uuid not null,
  last_contacted_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  last_replied_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  PRIMARY KEY (account_id, person_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id)
);
CREATE INDEX person_activity_by_contact ON public.person_activity USING btree (account_id, last_contacted_at DESC, person_id DESC);
CREATE INDEX person_activity_by_reply ON public.person_activity USING btree (account_id, last_replied_at DESC, person_id DESC);
alter table person_activity enable row level security, force row level security;
create policy tenant on person_activity for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on person_activity to overture_app;

create table person_aliases (
  account_id uuid not null,
  kind text not null,
  value text not null,
  person_id uuid not null,
  duplicate_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, kind, value, person_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, duplicate_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  CHECK ((kind = ANY (ARRAY['email'::text, 'linkedin'::text, 'phone'::text])))
);
CREATE INDEX person_aliases_by_domain ON public.person_aliases USING btree (account_id, reverse(split_part(value, '@'::text, 2)) COLLATE "C") WHERE (kind = 'email'::text);
CREATE INDEX person_aliases_by_duplicate ON public.person_aliases USING btree (account_id, duplicate_id);
CREATE INDEX person_aliases_by_person ON public.person_aliases USING btree (account_id, person_id);
alter table person_aliases enable row level security, force row level security;
create policy tenant on person_aliases for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on person_aliases to overture_app;

create table person_tags (
  account_id uuid not null,
  tag_id uuid not null,
  id uuid not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (account_id, tag_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, tag_id) REFERENCES tags(account_id, id)
);
CREATE INDEX person_tags_by_person ON public.person_tags USING btree (account_id, id);
CREATE INDEX person_tags_by_time ON public.person_tags USING btree (account_id, tag_id, created_at DESC, id DESC);
alter table person_tags enable row level security, force row level security;
create policy tenant on person_tags for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on person_tags to overture_app;

create table persons (
  account_id uuid not null,
  id uuid not null,
  first_name text,
  last_name text,
  name_key text generated always as (((lower(btrim(first_name)) || ' '::text) || lower(btrim(last_name)))) stored,
  email text,
  domain_key text generated always as (reverse(split_part(email, '@'::text, 2))) stored,
  sort_name text not null generated always as ("left"(lower(COALESCE(NULLIF(btrim(((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text))), ''::text), email, linkedin_url, phone, ''::text)), 200)) stored,
  linkedin_url text,
  phone text,
  title text,
  company_id uuid,
  city text,
  state text,
  country text,
  timezone text,
  photo_url text,
  owner_rep_id uuid,
  tags text[] not null default '{}'::text[],
  custom jsonb not null default '{}'::jsonb,
  search_text text not null default ''::text,
  erased_at timestamp(3) with time zone,
  merged_into_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, email),
  UNIQUE (account_id, linkedin_url),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, company_id) REFERENCES companies(account_id, id),
  CHECK (((merged_into_id IS NULL) OR (erased_at IS NOT NULL)))
);
CREATE INDEX persons_by_change ON public.persons USING btree (account_id, updated_at, id);
CREATE INDEX persons_by_company ON public.persons USING btree (account_id, company_id, created_at DESC, id DESC);
CREATE INDEX persons_by_custom ON public.persons USING gin (account_id, custom jsonb_path_ops) WHERE (custom <> '{}'::jsonb);
CREATE INDEX persons_by_domain ON public.persons USING btree (account_id, domain_key, created_at DESC, id DESC) WHERE (domain_key IS NOT NULL);
CREATE INDEX persons_by_name ON public.persons USING btree (account_id, name_key) WHERE (name_key IS NOT NULL);
CREATE INDEX persons_by_owner ON public.persons USING btree (account_id, owner_rep_id, created_at DESC, id DESC) WHERE (owner_rep_id IS NOT NULL);
CREATE INDEX persons_by_phone ON public.persons USING btree (account_id, phone) WHERE (phone IS NOT NULL);
CREATE INDEX persons_by_sort_name ON public.persons USING btree (account_id, sort_name, id);
CREATE INDEX persons_by_text ON public.persons USING gin (account_id, search_text gin_trgm_ops);
CREATE INDEX persons_by_time ON public.persons USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX persons_merged ON public.persons USING btree (account_id, merged_into_id) WHERE (merged_into_id IS NOT NULL);
alter table persons enable row level security, force row level security;
create policy search on persons for select to overture_search using (true);
create policy tenant on persons for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant insert, select, update on persons to overture_app;
grant select (account_id, custom, id, search_text) on persons to overture_search;
CREATE TRIGGER add_activity AFTER INSERT ON public.persons REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_person_activity();
CREATE TRIGGER announce_merge AFTER UPDATE OF merged_into_id ON public.persons FOR EACH ROW WHEN (((old.merged_into_id IS NULL) AND (new.merged_into_id IS NOT NULL))) EXECUTE FUNCTION announce_merge();
CREATE TRIGGER remove_activity AFTER UPDATE OF erased_at ON public.persons FOR EACH ROW WHEN ((new.erased_at IS NOT NULL)) EXECUTE FUNCTION remove_person_activity();
CREATE TRIGGER set_search_text BEFORE UPDATE OF first_name, last_name, email, phone, company_id ON public.persons FOR EACH ROW EXECUTE FUNCTION set_search_text();
CREATE TRIGGER set_search_text_of_new BEFORE INSERT ON public.persons FOR EACH ROW WHEN ((new.search_text = ''::text)) EXECUTE FUNCTION set_search_text();

create table problems (
  account_id uuid not null,
  id uuid not null,
  kind text not null,
  about_id uuid not null,
  details jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, kind, about_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
alter table problems enable row level security, force row level security;
create policy tenant on problems for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on problems to overture_app;
CREATE TRIGGER announce_change AFTER INSERT OR DELETE ON public.problems FOR EACH ROW EXECUTE FUNCTION announce_problem();

create table prospects (
  account_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  person_id uuid not null,
  rep_id uuid,
  mailbox_id uuid,
  status text not null default 'pending'::text,
  status_reason text,
  opted_out_at timestamp(3) with time zone,
  steps_done integer not null default 0,
  rejection_count smallint not null default 0,
  rejected_at timestamp(3) with time zone,
  began_at timestamp(3) with time zone,
  delay_starts_at timestamp(3) with time zone,
  next_step_at timestamp(3) with time zone,
  away_until timestamp(3) with time zone,
  intent text,
  lease_until timestamp(3) with time zone,
  lease_epoch bigint not null default 0,
  is_duplicate boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  CHECK (((status <> 'opted_out'::text) OR (opted_out_at IS NOT NULL))),
  CHECK ((intent = ANY (ARRAY['interested'::text, 'question'::text, 'objection'::text, 'not_now'::text, 'wrong_person'::text, 'opt_out'::text, 'auto'::text]))),
  CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'paused'::text, 'replied'::text, 'out_of_office'::text, 'completed'::text, 'stopped'::text, 'bounced'::text, 'opted_out'::text, 'failed'::text])))
);
CREATE INDEX prospects_by_campaign ON public.prospects USING btree (account_id, campaign_id, created_at DESC, id DESC);
CREATE INDEX prospects_by_campaign_and_intent ON public.prospects USING btree (account_id, campaign_id, intent, status, created_at DESC, id DESC) WHERE (intent IS NOT NULL);
CREATE INDEX prospects_by_campaign_and_status ON public.prospects USING btree (account_id, campaign_id, status, created_at DESC, id DESC);
CREATE INDEX prospects_by_change ON public.prospects USING btree (account_id, updated_at, id);
CREATE INDEX prospects_by_intent ON public.prospects USING btree (account_id, intent, status, created_at DESC, id DESC) INCLUDE (person_id) WHERE (intent IS NOT NULL);
CREATE INDEX prospects_by_opt_out ON public.prospects USING btree (account_id, opted_out_at) WHERE (status = 'opted_out'::text);
CREATE INDEX prospects_by_person ON public.prospects USING btree (account_id, person_id);
CREATE INDEX prospects_by_status ON public.prospects USING btree (account_id, status, created_at DESC, id DESC);
CREATE INDEX prospects_by_time ON public.prospects USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX prospects_due ON public.prospects USING btree (account_id, campaign_id, (
CASE
    WHEN (mailbox_id IS NOT NULL) THEN mailbox_id
    WHEN (began_at IS NULL) THEN '00000000-0000-0000-0000-000000000000'::uuid
    ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
END), next_step_at) WHERE ((status = ANY (ARRAY['pending'::text, 'active'::text, 'out_of_office'::text])) AND (next_step_at IS NOT NULL));
CREATE UNIQUE INDEX prospects_one_per_campaign ON public.prospects USING btree (account_id, campaign_id, person_id) WHERE (NOT is_duplicate);
alter table prospects set (fillfactor=70);
alter table prospects enable row level security, force row level security;
create policy engine on prospects for all to overture_engine using (true);
create policy only_uncontacted_deleted on prospects for delete to overture_app using (((EXISTS ( SELECT
   FROM campaigns c
  WHERE ((c.account_id = prospects.account_id) AND (c.id = prospects.campaign_id) AND (c.status = 'draft'::text)))) OR ((NOT (EXISTS ( SELECT
   FROM email_messages m
  WHERE ((m.account_id = prospects.account_id) AND (m.prospect_id = prospects.id))))) AND (NOT (EXISTS ( SELECT
   FROM tasks t
  WHERE ((t.account_id = prospects.account_id) AND (t.prospect_id = prospects.id))))) AND (NOT (EXISTS ( SELECT
   FROM calls c
  WHERE ((c.account_id = prospects.account_id) AND (c.prospect_id = prospects.id))))))));
create policy tenant on prospects for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on prospects to overture_app;
grant select (account_id, began_at, campaign_id, id, lease_epoch, lease_until, mailbox_id, next_step_at, status) on prospects to overture_engine;
grant update (lease_epoch, lease_until) on prospects to overture_engine;
CREATE TRIGGER announce_change AFTER UPDATE OF status ON public.prospects FOR EACH ROW WHEN (((old.status <> new.status) AND ((new.status <> ALL (ARRAY['pending'::text, 'active'::text])) OR (old.status <> ALL (ARRAY['pending'::text, 'active'::text, 'out_of_office'::text]))))) EXECUTE FUNCTION announce_prospect();
CREATE TRIGGER announce_created AFTER INSERT ON public.prospects REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_new_rows('prospect.created');
CREATE TRIGGER announce_removed AFTER DELETE ON public.prospects REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_removed_rows('prospect.removed');
CREATE TRIGGER cancel_tasks AFTER UPDATE OF status ON public.prospects FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['replied'::text, 'stopped'::text, 'bounced'::text, 'opted_out'::text, 'failed'::text])))) EXECUTE FUNCTION cancel_tasks();
CREATE TRIGGER refresh_activity AFTER UPDATE OF person_id ON public.prospects FOR EACH ROW WHEN ((old.person_id IS DISTINCT FROM new.person_id)) EXECUTE FUNCTION refresh_activity_of_owner();
CREATE TRIGGER set_opted_out_at BEFORE UPDATE OF status ON public.prospects FOR EACH ROW WHEN (((old.status <> 'opted_out'::text) AND (new.status = 'opted_out'::text))) EXECUTE FUNCTION set_opted_out_at();
CREATE TRIGGER withdraw_calls AFTER UPDATE OF status ON public.prospects FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['replied'::text, 'stopped'::text, 'bounced'::text, 'opted_out'::text, 'failed'::text, 'paused'::text])))) EXECUTE FUNCTION withdraw_calls();

create table received_mails (
  account_id uuid not null,
  id uuid not null,
  fingerprint bytea not null,
  mailbox_id uuid not null,
  kind text not null,
  bounce_class text,
  about_id uuid,
  campaign_id uuid,
  prospect_id uuid,
  step_id uuid,
  variant_id uuid,
  rep_id uuid,
  about_type text,
  about_mailbox_id uuid,
  recipient_domain text,
  contacted_at timestamp(3) with time zone,
  received_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, fingerprint),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, about_id) REFERENCES email_messages(account_id, id) ON DELETE SET NULL (about_id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailboxes(account_id, id),
  CHECK (((bounce_class IS NULL) OR (kind = 'bounce'::text))),
  CHECK ((bounce_class = ANY (ARRAY['hard'::text, 'soft'::text, 'policy'::text, 'unknown'::text]))),
  CHECK ((kind = ANY (ARRAY['reply'::text, 'auto_reply'::text, 'unsubscribe'::text, 'bounce'::text, 'complaint'::text, 'own'::text])))
);
CREATE INDEX received_mails_by_about ON public.received_mails USING btree (account_id, about_id);
CREATE INDEX received_mails_by_campaign ON public.received_mails USING btree (account_id, campaign_id, kind) WHERE (campaign_id IS NOT NULL);
CREATE INDEX received_mails_by_kind ON public.received_mails USING btree (account_id, kind, received_at);
CREATE INDEX received_mails_by_prospect ON public.received_mails USING btree (account_id, prospect_id, received_at) WHERE (prospect_id IS NOT NULL);
CREATE INDEX received_mails_of_policy ON public.received_mails USING btree (account_id, mailbox_id, received_at) WHERE (bounce_class = 'policy'::text);
alter table received_mails enable row level security, force row level security;
create policy tenant on received_mails for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on received_mails to overture_app;
CREATE TRIGGER copy_from_message BEFORE INSERT OR UPDATE OF about_id ON public.received_mails FOR EACH ROW WHEN ((new.about_id IS NOT NULL)) EXECUTE FUNCTION copy_from_message();

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  PRIMARY KEY (user_id, code_hash),
  FOREIGN KEY (user_id) REFERENCES authenticator_apps(user_id) ON DELETE CASCADE,
  CHECK ((octet_length(code_hash) = 32))
);
alter table recovery_codes enable row level security, force row level security;
create policy sign_in on recovery_codes for all to overture_auth using (true);
grant delete, insert, select on recovery_codes to overture_auth;

create table reply_agents (
  account_id uuid not null,
  provider text not null,
  model text not null,
  base_url text,
  api_key bytea,
  is_enabled boolean not null default true,
  input_price numeric(12,6),
  output_price numeric(12,6),
  daily_replies integer not null default 200,
  autopilot_intents text[] not null default '{}'::text[],
  autopilot_delay_minutes integer not null default 30,
  autopilot_daily_cap integer not null default 20,
  verified_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK ((autopilot_daily_cap > 0)),
  CHECK ((autopilot_delay_minutes > 0)),
  CHECK ((daily_replies > 0)),
  CHECK ((provider = ANY (ARRAY['openai'::text, 'anthropic'::text, 'openai_compatible'::text, 'simulated'::text])))
);
alter table reply_agents enable row level security, force row level security;
create policy tenant on reply_agents for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on reply_agents to overture_app;

create table reps (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  signature text,
  owned_by_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, owned_by_id) REFERENCES members(account_id, user_id) ON DELETE SET NULL (owned_by_id)
);
CREATE INDEX reps_by_owner ON public.reps USING btree (account_id, owned_by_id);
CREATE INDEX reps_by_time ON public.reps USING btree (account_id, created_at DESC, id DESC);
alter table reps enable row level security, force row level security;
create policy tenant on reps for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant insert, select, update on reps to overture_app;

create table saved_views (
  account_id uuid not null,
  id uuid not null,
  owner_id uuid,
  kind text not null,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  filters jsonb not null,
  columns text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE NULLS NOT DISTINCT (account_id, owner_id, kind, name_key),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, owner_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE,
  CHECK ((kind = 'people'::text))
);
alter table saved_views enable row level security, force row level security;
create policy own on saved_views for all to overture_app using (((owner_id IS NULL) OR (owner_id = ( SELECT current_user_id() AS current_user_id))));
create policy tenant on saved_views for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on saved_views to overture_app;

create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (version)
);
alter table schema_migrations disable row level security;
grant select on schema_migrations to overture_app;
grant select on schema_migrations to overture_auth;
grant select on schema_migrations to overture_engine;
grant select on schema_migrations to overture_search;

create table sent_copies (
  account_id uuid not null,
  message_id uuid not null,
  mailbox_id uuid not null,
  raw bytea not null,
  attempts integer not null default 0,
  due_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, message_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox_syncs(account_id, mailbox_id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, message_id) REFERENCES email_messages(account_id, id) ON DELETE CASCADE
);
CREATE INDEX sent_copies_by_age ON public.sent_copies USING btree (created_at);
CREATE INDEX sent_copies_due ON public.sent_copies USING btree (account_id, mailbox_id, due_at);
alter table sent_copies enable row level security, force row level security;
create policy engine on sent_copies for all to overture_engine using (true);
create policy tenant on sent_copies for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on sent_copies to overture_app;
grant delete on sent_copies to overture_engine;
grant select (account_id, created_at, message_id) on sent_copies to overture_engine;

create table sessions (
  token_hash bytea not null,
  id uuid not null,
  user_id uuid not null,
  user_agent text,
  address text,
  created_at timestamp(3) with time zone not null default now(),
  authenticated_at timestamp(3) with time zone,
  last_seen_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  PRIMARY KEY (token_hash),
  UNIQUE (id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, created_at DESC, id DESC);
alter table sessions enable row level security, force row level security;
create policy own on sessions for all to overture_app using ((user_id = ( SELECT current_user_id() AS current_user_id)));
create policy sign_in on sessions for all to overture_auth using (true);
grant delete on sessions to overture_app;
grant delete, insert, select, update on sessions to overture_auth;
grant select (address, created_at, expires_at, id, last_seen_at, user_agent, user_id) on sessions to overture_app;
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF token_hash, authenticated_at ON public.sessions FOR EACH STATEMENT EXECUTE FUNCTION announce_access_change();

create table sign_in_attempts (
  token_hash bytea not null,
  kind text not null,
  user_id uuid,
  payload jsonb not null,
  expires_at timestamp(3) with time zone not null,
  PRIMARY KEY (token_hash),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sign_in_attempts_by_expiry ON public.sign_in_attempts USING btree (expires_at);
CREATE INDEX sign_in_attempts_by_user ON public.sign_in_attempts USING btree (user_id) WHERE (user_id IS NOT NULL);
alter table sign_in_attempts enable row level security, force row level security;
create policy sign_in on sign_in_attempts for all to overture_auth using (true);
grant delete, insert, select on sign_in_attempts to overture_auth;

create table single_sign_ons (
  account_id uuid not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea not null,
  domain text not null,
  domain_verified_at timestamp(3) with time zone,
  is_required boolean not null,
  new_member_role text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK ((new_member_role = ANY (ARRAY['viewer'::text, 'member'::text, 'manager'::text])))
);
CREATE INDEX single_sign_ons_by_domain ON public.single_sign_ons USING btree (domain) WHERE (domain_verified_at IS NOT NULL);
alter table single_sign_ons enable row level security, force row level security;
create policy sign_in on single_sign_ons for all to overture_auth using (true);
create policy tenant on single_sign_ons for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on single_sign_ons to overture_app;
grant select on single_sign_ons to overture_auth;

create table snippets (
  account_id uuid not null,
  id uuid not null,
  owner_id uuid,
  name text not null,
  text text not null,
  search_text text not null generated always as (search_key(((name || ' '::text) || text))) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, owner_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX snippets_by_owner ON public.snippets USING btree (account_id, owner_id, created_at DESC, id DESC);
CREATE INDEX snippets_by_owner_and_change ON public.snippets USING btree (account_id, owner_id, updated_at, id);
alter table snippets enable row level security, force row level security;
create policy tenant on snippets for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on snippets to overture_app;

create table tags (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  name_key text not null generated always as (lower(name)) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, name_key),
  FOREIGN KEY (account_id) REFERENCES accounts(id)
);
CREATE INDEX tags_by_time ON public.tags USING btree (account_id, created_at DESC, id DESC);
alter table tags enable row level security, force row level security;
create policy tenant on tags for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on tags to overture_app;

create table tasks (
  account_id uuid not null,
  id uuid not null,
  rep_id uuid not null,
  campaign_id uuid,
  prospect_id uuid,
  person_id uuid not null,
  step_id uuid,
  variant_id uuid,
  linkedin_message_id uuid,
  channel text not null,
  title text,
  text text,
  status text not null default 'open'::text,
  status_reason text,
  due_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, prospect_id, step_id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id),
  FOREIGN KEY (account_id, linkedin_message_id) REFERENCES linkedin_messages(account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, person_id) REFERENCES persons(account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospects(account_id, id),
  FOREIGN KEY (account_id, rep_id) REFERENCES reps(account_id, id),
  CHECK ((((channel = ANY (ARRAY['linkedin_connect'::text, 'linkedin_message'::text, 'linkedin_view'::text, 'linkedin_like'::text, 'task'::text])) AND (title IS NULL)) OR ((channel = ANY (ARRAY['call'::text, 'email'::text, 'linkedin'::text, 'other'::text])) AND (title IS NOT NULL)))),
  CHECK ((((prospect_id IS NULL) = (campaign_id IS NULL)) AND ((title IS NOT NULL) OR (prospect_id IS NOT NULL)))),
  CHECK (((status = 'open'::text) = (ended_at IS NULL))),
  CHECK ((num_nonnulls(step_id, linkedin_message_id, title) = 1)),
  CHECK ((status = ANY (ARRAY['open'::text, 'completed'::text, 'skipped'::text, 'cancelled'::text])))
);
CREATE INDEX tasks_by_campaign ON public.tasks USING btree (account_id, campaign_id, status);
CREATE INDEX tasks_by_change ON public.tasks USING btree (account_id, updated_at, id);
CREATE INDEX tasks_by_draft ON public.tasks USING btree (account_id, linkedin_message_id) WHERE (linkedin_message_id IS NOT NULL);
CREATE INDEX tasks_by_person ON public.tasks USING btree (account_id, person_id, due_at DESC, id DESC);
CREATE INDEX tasks_by_prospect ON public.tasks USING btree (account_id, prospect_id, due_at DESC, id DESC);
CREATE INDEX tasks_by_rep ON public.tasks USING btree (account_id, rep_id, due_at DESC, id DESC);
CREATE INDEX tasks_by_rep_and_change ON public.tasks USING btree (account_id, rep_id, updated_at, id);
CREATE INDEX tasks_by_rep_and_status ON public.tasks USING btree (account_id, rep_id, status, due_at DESC, id DESC);
CREATE INDEX tasks_by_status ON public.tasks USING btree (account_id, status, due_at DESC, id DESC);
CREATE INDEX tasks_by_time ON public.tasks USING btree (account_id, due_at DESC, id DESC);
CREATE INDEX tasks_on_linkedin ON public.tasks USING btree (account_id, channel, ended_at) WHERE ((status = 'completed'::text) AND (channel = ANY (ARRAY['linkedin_connect'::text, 'linkedin_message'::text])));
CREATE UNIQUE INDEX tasks_open_draft ON public.tasks USING btree (account_id, linkedin_message_id) WHERE ((linkedin_message_id IS NOT NULL) AND (status = 'open'::text));
CREATE INDEX tasks_with_title ON public.tasks USING btree (account_id, due_at) WHERE ((status = 'open'::text) AND (title IS NOT NULL));
alter table tasks enable row level security, force row level security;
create policy tenant on tasks for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on tasks to overture_app;
CREATE TRIGGER announce_change AFTER UPDATE OF status ON public.tasks FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION announce_task();
CREATE TRIGGER announce_created AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION announce_new_rows('task.created');
CREATE TRIGGER follow_merge BEFORE INSERT ON public.tasks FOR EACH ROW EXECUTE FUNCTION follow_merge();

create table users (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text,
  email_verified_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (id),
  UNIQUE (email)
);
alter table users enable row level security, force row level security;
create policy colleagues on users for select to overture_app using ((EXISTS ( SELECT
   FROM members m
  WHERE ((m.account_id = ( SELECT current_account_id() AS current_account_id)) AND (m.user_id = users.id)))));
create policy own on users for update to overture_app using ((id = ( SELECT current_user_id() AS current_user_id)));
create policy sign_in on users for all to overture_auth using (true);
grant insert, select, update on users to overture_auth;
grant select (created_at, email, id, name, updated_at) on users to overture_app;
grant update (name, updated_at) on users to overture_app;

create table webhook_deliveries (
  account_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  object_id uuid not null,
  data text,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  attempted_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  response_status integer,
  response text,
  error text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks(account_id, id) ON DELETE CASCADE,
  CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_by_status ON public.webhook_deliveries USING btree (account_id, webhook_id, status, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_by_time ON public.webhook_deliveries USING btree (account_id, webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (account_id, webhook_id, due_at, id) WHERE (status = 'pending'::text);
alter table webhook_deliveries enable row level security, force row level security;
create policy engine on webhook_deliveries for all to overture_engine using (true);
create policy tenant on webhook_deliveries for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on webhook_deliveries to overture_app;
grant delete on webhook_deliveries to overture_engine;
grant select (account_id, created_at, due_at, id, status, webhook_id) on webhook_deliveries to overture_engine;

create table webhooks (
  account_id uuid not null,
  id uuid not null,
  url text not null,
  event_types text[] not null,
  description text,
  is_enabled boolean not null default true,
  disabled_reason text,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_ends_at timestamp(3) with time zone,
  failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  last_error text,
  last_delivered_at timestamp(3) with time zone,
  lease_until timestamp(3) with time zone,
  epoch bigint not null default 0,
  served_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  CHECK (((NOT is_enabled) OR (disabled_reason IS NULL))),
  CHECK (((previous_secret IS NULL) = (previous_secret_ends_at IS NULL))),
  CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  CHECK ((event_types <> '{}'::text[]))
);
CREATE INDEX webhooks_by_time ON public.webhooks USING btree (account_id, created_at DESC, id DESC);
alter table webhooks enable row level security, force row level security;
create policy engine on webhooks for all to overture_engine using (true);
create policy tenant on webhooks for all to overture_app using ((account_id = ( SELECT current_account_id() AS current_account_id))) with check ((account_id = ( SELECT current_account_id() AS current_account_id)));
grant delete, insert, select, update on webhooks to overture_app;
grant select (account_id, epoch, id, is_enabled, lease_until, served_at) on webhooks to overture_engine;
grant update (epoch, lease_until, served_at) on webhooks to overture_engine;
