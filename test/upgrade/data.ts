import type { Sql } from '../../src/server/kernel/db/database.ts'

export type Row = Record<string, unknown>
/** The rows of each table, keyed by primary key. */
export type Data = Record<string, Record<string, Row>>

/** Returns the tables and their primary keys, without the migration runner's own table. */
export const listTables = (owner: Sql) => owner<{ name: string; key: string[] }[]>`
  select c.relname as name, array_agg(a.attname::text order by k.place) as key
    from pg_class c
    join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
   cross join unnest(p.conkey) with ordinality k(number, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
   where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'
   group by c.relname
   order by c.relname`

export async function readData(owner: Sql): Promise<Data> {
  const data: Data = {}
  for (const { name, key } of await listTables(owner)) {
    const rows = await owner<{ row: Row }[]>`select to_jsonb(t) as row from ${owner.identifier(name)} t`
    data[name] = Object.fromEntries(rows.map(({ row }) => [key.map(column => row[column]).join(' '), row]))
  }
  return data
}

/** Compares the tables, rows and columns of `before`; tables and columns that an upgrade adds are not compared. */
export function listDifferences(before: Data, after: Data): string[] {
  return Object.entries(before).flatMap(([table, rows]) => {
    const upgraded = after[table]
    if (!upgraded) return [`${table} is missing`]
    const added = Object.keys(upgraded).filter(key => !rows[key])
    return [
      ...added.map(key => `${table} ${key} was added`),
      ...Object.entries(rows).flatMap(([key, row]) => compareRow(`${table} ${key}`, row, upgraded[key])),
    ]
  })
}

function compareRow(name: string, before: Row, after: Row | undefined): string[] {
  if (!after) return [`${name} is missing`]
  return Object.entries(before)
    .filter(([column, value]) => JSON.stringify(after[column]) !== JSON.stringify(value))
    .map(([column, value]) =>
      column in after
        ? `${name}: ${column} was ${JSON.stringify(value)} and is ${JSON.stringify(after[column])}`
        : `${name}: ${column} is missing`,
    )
}
