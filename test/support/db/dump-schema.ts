import type { Sql } from '../../../src/server/kernel/db/database.ts'

/** Returns the schema as text, one paragraph per table. The text is the same in all supported PostgreSQL versions. */
export async function dumpSchema(owner: Sql): Promise<string> {
  const tables = await owner<{ name: string; lines: string[]; after: string[] }[]>`
    select c.relname as name,
           array(select format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                          case when a.attnotnull then ' not null' else '' end,
                          case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                               else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end)
                   from pg_attribute a
                   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                  order by a.attnum)
           || array(select pg_get_constraintdef(k.oid)
                      from pg_constraint k
                     where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
                     order by array_position(array['p', 'u', 'f', 'c'], k.contype::text), pg_get_constraintdef(k.oid)) as lines,
           array(select pg_get_indexdef(i.indexrelid)
                   from pg_index i
                  where i.indrelid = c.oid
                    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
                  order by i.indexrelid::regclass::text)
           || array(select format('alter table %I set (%s)', c.relname, setting) from unnest(c.reloptions) setting)
           || array(select format('alter table %I %s', c.relname,
                            case when c.relforcerowsecurity then 'enable row level security, force row level security'
                                 else 'disable row level security' end))
           || array(select format('create policy %I on %I for %s to %s using (%s)%s', p.policyname, p.tablename, lower(p.cmd),
                            array_to_string(p.roles, ', '), p.qual, coalesce(' with check (' || p.with_check || ')', ''))
                      from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname order by p.policyname)
           || array(select format('grant %s on %I to %s', string_agg(lower(g.privilege_type), ', ' order by g.privilege_type), c.relname, g.grantee)
                      from information_schema.role_table_grants g
                     where g.table_schema = 'public' and g.table_name = c.relname and g.grantee like 'overture%' and g.grantee <> current_user
                     group by g.grantee order by g.grantee)
           || array(select format('grant %s (%s) on %I to %s', lower(g.privilege_type), string_agg(g.column_name, ', ' order by g.column_name), c.relname, g.grantee)
                      from information_schema.column_privileges g
                     where g.table_schema = 'public' and g.table_name = c.relname and g.grantee like 'overture%' and g.grantee <> current_user
                       and not exists (select from information_schema.role_table_grants t
                                        where t.table_schema = 'public' and t.table_name = c.relname
                                          and t.grantee = g.grantee and t.privilege_type = g.privilege_type)
                     group by g.grantee, g.privilege_type order by g.grantee, g.privilege_type)
           || array(select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.tgname) as after
      from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     order by c.relname`
  const functions = await owner<{ text: string }[]>`
    select pg_get_functiondef(p.oid) as text from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
     order by p.proname`
  const head = '-- Generated from the migrations by `npm run schema`; read it, never edit it.'
  return [
    head,
    ...functions.map(({ text }) => `${text.trim()};`),
    ...tables.map(({ name, lines, after }) =>
      [`create table ${name} (\n  ${lines.join(',\n  ')}\n);`, ...after.map(line => `${line};`)].join('\n'),
    ),
  ]
    .join('\n\n')
    .concat('\n')
}
