-- A process that stands still between two messages of one statement keeps what it locked for as long as its machine
-- keeps the connection: a session that waits for the rest of a statement is not idle, and PostgreSQL ends no statement
-- while it reads one, so neither of its time limits applies (transaction_timeout would, from PostgreSQL 17 on). Seen in
-- an engine that was stopped as it recorded a mail: the mail stayed on its way until the engine went on.
create function end_frozen_sessions() returns bigint
  language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with frozen as materialized (
    select pid
      from pg_stat_activity
     where datname = current_database() and application_name in ('overture overture_app', 'overture overture_engine')
       and state = 'active' and wait_event = 'ClientRead'
       and state_change < clock_timestamp() - nullif(current_setting('statement_timeout'), '0')::interval)
  select count(*) filter (where pg_terminate_backend(pid)) from frozen
$$;
revoke execute on function end_frozen_sessions() from public;
grant execute on function end_frozen_sessions() to overture_engine;
