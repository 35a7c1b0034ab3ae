import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDemo } from '../../src/demo/demo.ts'
import type { Pool } from '../../src/server/kernel/db/database.ts'
import { openTestApp } from '../support/app.ts'
import { openTemplateDatabase } from '../support/db/database.ts'
import { dumpSchema } from '../support/db/dump-schema.ts'
import { openServer } from '../support/run/global-setup.ts'
import { listTables } from './data.ts'

// Writes the database of this version to test/upgrade/<version>.sql: the migrations, and a sample of the demo's rows.

const root = join(import.meta.dirname, '../..')
const migrations = join(root, 'db/migrations')

type Table = { name: string; columns: string[]; rows: Row[] }
type Row = (string | null)[]
type Reference = { table: string; columns: string[]; target: string; targetColumns: string[] }

const readTables = async (owner: Pool): Promise<Map<string, Table>> => {
  const tables = new Map<string, Table>()
  for (const { name, key } of await listTables(owner)) {
    const found = await owner<{ name: string }[]>`
      select attname as name from pg_attribute
       where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`
    const columns = found.map(column => column.name)
    const quoted = (names: string[]) => names.map(column => `"${column}"`)
    const rows = await owner<{ row: Row }[]>`
      select array[${owner.unsafe(quoted(columns).join('::text, '))}::text] as row from ${owner.identifier(name)}
       order by ${owner.unsafe(quoted(key).join(', '))}`
    if (rows.length === 0) throw new Error(`${name} is empty. Add a row to test/upgrade/rows.sql.`)
    tables.set(name, { name, columns, rows: rows.map(({ row }) => row) })
  }
  return tables
}

/** Returns foreign keys, and columns such as campaign_id that refer to a table without a foreign key. */
async function listReferences(owner: Pool, tables: Map<string, Table>): Promise<Reference[]> {
  const keys = await owner<Reference[]>`
    select conrelid::regclass::text as table, confrelid::regclass::text as target,
           array(select attname::text from unnest(conkey) with ordinality k(number, place)
                   join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns,
           array(select attname::text from unnest(confkey) with ordinality k(number, place)
                   join pg_attribute on attrelid = confrelid and attnum = number order by place) as "targetColumns"
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`
  const byName = [...tables.values()].flatMap(({ name, columns }) =>
    columns
      .map(column => ({ column, target: column.replace(/_id$/, 's') }))
      .filter(({ column, target }) => target !== column && tables.get(target)?.columns.includes('id'))
      .map(({ column, target }) => ({ table: name, columns: [column], target, targetColumns: ['id'] })),
  )
  return [...keys, ...byName]
}

const listCheckedColumns = (owner: Pool) => owner<{ table: string; column: string }[]>`
  select conrelid::regclass::text as table, attname as column
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
   where contype = 'c' and connamespace = 'public'::regnamespace and atttypid in ('text'::regtype, 'boolean'::regtype)`

/**
 * Returns a sample of the rows: the first row with each value of each checked column, the first rows with a null and
 * with a non-null value in each other column, and the rows that these rows refer to.
 */
async function sample(owner: Pool): Promise<Table[]> {
  const tables = await readTables(owner)
  const references = await listReferences(owner, tables)
  const checked = new Set((await listCheckedColumns(owner)).map(({ table, column }) => `${table}.${column}`))
  const kept = new Map<string, Set<Row>>([...tables.keys()].map(name => [name, new Set()]))

  const keep = (table: Table, row: Row): void => {
    if (kept.get(table.name)!.has(row)) return
    kept.get(table.name)!.add(row)
    const getValue = (column: string) => row[table.columns.indexOf(column)]
    for (const { columns, target, targetColumns } of references.filter(each => each.table === table.name)) {
      const { rows, columns: names } = tables.get(target)!
      const places = targetColumns.map(column => names.indexOf(column))
      const referred = rows.find(one => places.every((place, i) => one[place] === getValue(columns[i]!)))
      if (referred) keep(tables.get(target)!, referred)
    }
  }

  for (const table of tables.values()) {
    const seen = new Set<string>()
    for (const row of table.rows) {
      const features = table.columns.map((column, i) =>
        checked.has(`${table.name}.${column}`) ? `${column}=${row[i]}` : `${column} ${row[i] === null}`,
      )
      if (features.some(feature => !seen.has(feature))) keep(table, row)
      for (const feature of features) seen.add(feature)
    }
  }
  return [...tables.values()].map(table => ({
    ...table,
    rows: table.rows.filter(row => kept.get(table.name)!.has(row)),
  }))
}

const formatLiteral = (value: string | null): string =>
  value === null ? 'null' : `'${value.replaceAll("'", "''")}'`

const formatInsert = ({ name, columns, rows }: Table): string =>
  `insert into ${name} (${columns.map(column => `"${column}"`).join(', ')}) values\n` +
  `${rows.map(row => `(${row.map(formatLiteral).join(', ')})`).join(',\n')};`

/** Returns the migrations without their comments, except for those in function bodies, which belong to the schema. */
async function readMigrations(): Promise<string> {
  let isInBody = false
  const isCode = (line: string): boolean => {
    const isKept = isInBody || !/^\s*(--|$)/.test(line)
    if (line.split('$$').length % 2 === 0) isInBody = !isInBody
    return isKept
  }
  const names = (await readdir(migrations)).filter(name => name.endsWith('.sql')).sort()
  const texts = await Promise.all(names.map(name => readFile(join(migrations, name), 'utf8')))
  return texts
    .join('\n')
    .split('\n')
    .filter(line => isCode(line))
    .join('\n')
}

/** Returns the migration runner's own table as SQL. */
async function readRunnerTable(owner: Pool): Promise<string> {
  const [table] = (await dumpSchema(owner)).match(/create table schema_migrations [\s\S]*?\n\n/) ?? ['']
  const rows = await owner<{ version: number; name: string }[]>`
    select version, name from schema_migrations order by version`
  return [
    table.replace(/^alter table .*\n/m, '').trim(),
    ...rows.map(
      ({ version, name }) => `insert into schema_migrations (version, name) values (${version}, '${name}');`,
    ),
  ].join('\n')
}

await using server = await openServer()
await using database = await openTemplateDatabase(server.connection)
await using app = await openTestApp({}, database)
app.setNow('2026-11-21T09:00:00.000Z')
await openDemo({ app, dataDir: app.dataDir, [Symbol.asyncDispose]: async () => {} })
await app.owner.begin(async tx => tx.unsafe(await readFile(join(import.meta.dirname, 'rows.sql'), 'utf8')))

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const file = join(import.meta.dirname, `${version}.sql`)
const text = [
  `-- The database of Overture ${version}: its schema, and rows in every table. Written by \`npm run baseline\`; see`,
  '-- CONTRIBUTING.md, "How upgrades are tested".',
  '',
  await readRunnerTable(app.owner),
  '',
  await readMigrations(),
  '',
  '-- Triggers and foreign key checks are off, because the rows come from a database that applied both.',
  'set local session_replication_role = replica;',
  ...(await sample(app.owner)).map(formatInsert),
  'set local session_replication_role = origin;',
  '',
].join('\n')
await writeFile(file, text)
console.log(`${file}: ${Math.round(Buffer.byteLength(text) / 1000)} kB`)
