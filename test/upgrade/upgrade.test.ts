import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../src/server/kernel/db/migrate.ts'
import { openEmptyDatabase } from '../support/db/database.ts'
import { dumpSchema } from '../support/db/dump-schema.ts'
import { changes } from './changes.ts'
import { type Data, listDifferences, readData } from './data.ts'

const root = join(import.meta.dirname, '../..')
const migrations = join(root, 'db/migrations')
const releases = readdirSync(import.meta.dirname)
  .filter(name => /^\d+\.\d+\.\d+\.sql$/.test(name))
  .map(name => name.replace('.sql', ''))

type Upgrade = { schema: string; before: Data; after: Data }

/** Restores a release's database and upgrades it. `before` includes changes declared for new migrations. */
async function upgrade(release: string, folder = migrations, declared = changes): Promise<Upgrade> {
  await using database = await openEmptyDatabase()
  const { owner, superuser } = database
  const text = await readFile(join(import.meta.dirname, `${release}.sql`), 'utf8')
  const rowsAt = text.indexOf('set local session_replication_role')
  await owner.begin(async tx => tx.unsafe(text.slice(0, rowsAt)))
  await superuser.begin(async tx => tx.unsafe(text.slice(rowsAt)))
  const before = await readData(superuser)
  const applied = await superuser<{ name: string }[]>`select name from schema_migrations`
  await migrate(owner, undefined, folder)
  for (const name of readdirSync(folder).sort()) {
    if (!applied.some(migration => migration.name === name)) declared[name]?.(before)
  }
  return { schema: await dumpSchema(superuser), before, after: await readData(superuser) }
}

/** Returns the schema of a new installation. */
async function install(folder = migrations): Promise<string> {
  await using database = await openEmptyDatabase()
  await migrate(database.owner, undefined, folder)
  return await dumpSchema(database.superuser)
}

it('every release in CHANGELOG.md has a database in test/upgrade', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version!)
  expect(versions.filter(version => !releases.includes(version))).toEqual([])
})

describe.each(releases)('an upgrade from %s', release => {
  let upgraded: Upgrade
  beforeAll(async () => {
    upgraded = await upgrade(release)
  })

  it('starts with rows in every table', () => {
    const empty = Object.entries(upgraded.before).filter(([, rows]) => Object.keys(rows).length === 0)
    expect(empty.map(([table]) => table)).toEqual([])
  })

  it('results in the schema of a new installation', async () => {
    expect(upgraded.schema).toBe(await install())
  })

  it('keeps every row, except for declared changes', () => {
    expect(listDifferences(upgraded.before, upgraded.after)).toEqual([])
  })
})

describe('the comparison', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overture-migrations-'))
    await cp(migrations, folder, { recursive: true })
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Wraps a statement so that it bypasses row-level security, which is forced on the owner. */
  const bypassRowSecurity = (table: string, sql: string): string =>
    `alter table ${table} no force row level security; ${sql}; alter table ${table} force row level security`

  const undeclaredChanges = [
    ['drops a table', 'drop table recovery_codes', /^recovery_codes is missing$/],
    ['drops a column', 'alter table tags drop column name cascade', /^tags .*: name is missing$/],
    ['deletes a row', bypassRowSecurity('passkeys', 'delete from passkeys'), /^passkeys .* is missing$/],
    [
      'changes a value',
      bypassRowSecurity('reps', `update reps set signature = 'x'`),
      /^reps .*: signature was .* and is "x"$/,
    ],
    [
      'adds a row',
      bypassRowSecurity('oauth_keys', `insert into oauth_keys values ('x', 'x', now())`),
      /^oauth_keys x was added$/,
    ],
    [
      'rounds a time',
      'alter table sessions alter created_at type timestamptz(0)',
      /^sessions .*: created_at/,
    ],
  ] as const

  it('reports removed, changed and added data', async () => {
    await writeFile(
      join(folder, '9999_undeclared.sql'),
      undeclaredChanges.map(([, sql]) => `${sql};\n`).join(''),
    )
    const { before, after } = await upgrade(releases[0]!, folder)
    await rm(join(folder, '9999_undeclared.sql'))
    const differences = listDifferences(before, after)
    for (const [what, , difference] of undeclaredChanges) {
      expect(differences, what).toContainEqual(expect.stringMatching(difference))
    }
  })

  it('reports a declared change that row-level security prevented', async () => {
    const file = '9999_hidden.sql'
    await writeFile(join(folder, file), `update reps set signature = 'x'`)
    const { before, after } = await upgrade(releases[0]!, folder, {
      [file]: ({ reps }) => {
        for (const rep of Object.values(reps!)) rep.signature = 'x'
      },
    })
    await rm(join(folder, file))
    expect(listDifferences(before, after)).toContainEqual(
      expect.stringMatching(/^reps .*: signature was "x"/),
    )
  })

  it('accepts added columns and tables, and reports an edit of a released migration', async () => {
    await writeFile(
      join(folder, '9999_more.sql'),
      'alter table tags add color text; create table more (id int);',
    )
    const file = join(folder, '0001_baseline.sql')
    await writeFile(file, `${await readFile(file, 'utf8')}\ncreate index tags_by_id on tags (id);\n`)
    const { schema, before, after } = await upgrade(releases[0]!, folder)
    expect(listDifferences(before, after)).toEqual([])
    const edited = await install(folder)
    expect(schema).not.toBe(edited)
    expect(schema).toBe(edited.replace(/.*tags_by_id.*\n/, ''))
  })
})
