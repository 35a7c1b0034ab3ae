import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmptyDatabase } from '../../../../test/support/db/database.ts'
import { isMigrated, migrate } from './migrate.ts'

/** Opens an empty database, with a function that lists its tables. */
async function openEmpty() {
  const database = await openEmptyDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { owner } = database
  const listTables = async () => {
    const rows = await owner<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
    return rows.map(row => row.name)
  }
  return { owner, listTables }
}

describe('migrate', () => {
  it('applies each migration once when several processes start at the same time', async () => {
    const { owner } = await openEmpty()
    const applied: string[] = []
    await Promise.all([1, 2].map(() => migrate(owner, message => applied.push(message))))
    await migrate(owner, message => applied.push(message))
    expect(new Set(applied).size).toBe(applied.length)
    expect(await isMigrated(owner)).toBe(true)
  })

  it('rolls back a migration that fails halfway', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overture-migrations-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await cp(join(import.meta.dirname, '../../../../db/migrations'), folder, { recursive: true })
    await writeFile(join(folder, '9999_half.sql'), 'create table half (id int); select 1 / 0;')
    const { owner, listTables } = await openEmpty()
    await expect(migrate(owner, undefined, folder)).rejects.toThrow('division by zero')
    expect(await listTables()).not.toContain('half')
    await migrate(owner)
  })

  it('says what to do when it is not allowed to create an extension, and changes nothing', async () => {
    const { owner, listTables } = await openEmpty()
    const [role] = await owner<{ name: string; database: string }[]>`
      select current_user::text as name, current_database()::text as database`
    await owner`revoke create on database ${owner.identifier(role!.database)} from ${owner.identifier(role!.name)}`
    await expect(migrate(owner)).rejects.toThrow(/run as a superuser.*create extension pg_trgm/)
    expect(await listTables()).toEqual(['schema_migrations'])
    await owner`grant create on database ${owner.identifier(role!.database)} to ${owner.identifier(role!.name)}`
    await migrate(owner)
  })

  it('refuses a database from a newer version', async () => {
    const { owner } = await openEmpty()
    await migrate(owner)
    await owner`insert into schema_migrations (version, name) values (9999, '9999_later.sql')`
    await expect(migrate(owner)).rejects.toThrow(/9999_later\.sql.*Start the newer version/)
  })

  it('refuses a database from an unreleased version without changing it', async () => {
    const { owner, listTables } = await openEmpty()
    await owner`create table schema_migrations (version integer primary key, name text not null)`
    await owner`insert into schema_migrations (version, name) values (1, '0001_accounts.sql'), (2, '0002_people.sql')`
    await expect(migrate(owner)).rejects.toThrow(
      /unreleased version.*0001_accounts\.sql.*Use an empty database/,
    )
    expect(await listTables()).toEqual(['schema_migrations'])
    expect(await isMigrated(owner)).toBe(false)
  })
})
