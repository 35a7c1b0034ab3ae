-- An import is one transaction: nobody outside sees the rows it adds, and while the plans of its foreign keys are those
-- of an empty table, each row is looked for among all before it. So it has what grew looked at itself, which may also be
-- rolled back. What another transaction looks at holds nobody up.
create or replace function analyze_grown_tables() returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '1s'
as $$
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
$$;
grant execute on function analyze_grown_tables() to overture_app;
