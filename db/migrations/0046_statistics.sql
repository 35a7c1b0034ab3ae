-- Autovacuum looks at a database once a minute. Until then a table that was just filled is thought to be empty, and is
-- gone through whole for each row of another. What grew to more than twice its size is looked at here at once.
create function analyze_grown_tables() returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '1s'
as $$
declare
  grown regclass;
begin
  -- One process at a time; the others have nothing to wait for.
  if not pg_try_advisory_xact_lock(4400002) then
    return;
  end if;
  for grown in
    select oid from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and pg_relation_size(oid) > (2 * relpages + 1) * current_setting('block_size')::bigint
  loop
    execute format('analyze %s', grown);
  end loop;
end
$$;
revoke execute on function analyze_grown_tables() from public;
grant execute on function analyze_grown_tables() to overture_engine;
