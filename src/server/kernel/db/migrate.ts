import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool, Sql } from './database.ts'

const FOLDER = join(import.meta.dirname, '../../../../db/migrations')
/** Any number will do, as long as every version of Overture takes the same. */
const LOCK = 4_400_001
/** What the product's pools work as; the migrations grant each its rights. */
export const applicationRoles = ['overture_app', 'overture_engine', 'overture_auth']

/**
 * Applies the numbered files of db/migrations that this database has not seen, each in one transaction. Forward
 * only; a lock makes processes that start at once wait for the first. Needs the owner of the database.
 */
export async function migrate(owner: Pool, onProgress: (message: string) => void = () => {}): Promise<void> {
  const files = await migrationFiles()
  const applied = await appliedMigrations(owner)
  const unknown = [...applied].find(name => !files.includes(name))
  if (unknown) {
    throw new Error(
      `This database has had the migration ${unknown}, which this Overture does not know. Start the newer Overture that made it, or restore a backup from before the upgrade.`,
    )
  }
  if (applied.size === files.length) return
  await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`
      create table if not exists schema_migrations (
        version integer primary key, name text not null, applied_at timestamptz(3) not null default now())`
  })
  await ensureRoles(owner)
  for (const name of files) {
    const text = await readFile(join(FOLDER, name), 'utf8')
    await owner.begin(async tx => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      const [row] = await tx`
        insert into schema_migrations (version, name)
        select ${Number.parseInt(name, 10)}, ${name}
         where not exists (select from schema_migrations where name = ${name})
        returning version`
      if (!row) return
      onProgress(`Bringing the database up to date: ${name}`)
      await tx.unsafe(text)
    })
  }
}

/** Whether every migration this code knows is applied: what /readyz asks. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  const applied = await appliedMigrations(sql)
  return (await migrationFiles()).every(name => applied.has(name))
}

const migrationFiles = async (): Promise<string[]> =>
  (await readdir(FOLDER)).filter(name => name.endsWith('.sql')).sort()

/** By name, so that numbers may be left out and branches may land in any order. */
async function appliedMigrations(sql: Sql): Promise<Set<string>> {
  const [known] = await sql`select to_regclass('schema_migrations') is not null as yes`
  if (!known?.yes) return new Set()
  const rows = await sql<{ name: string }[]>`select name from schema_migrations`
  return new Set(rows.map(row => row.name))
}

/** Roles belong to the cluster, where no lock of one database holds, so a race with another database is retried. */
async function ensureRoles(owner: Sql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const role of applicationRoles) {
        const [known] =
          await owner`select pg_has_role(current_user, oid, 'member') as "isMember" from pg_roles where rolname = ${role}`
        if (!known) await owner`create role ${owner.identifier(role)} nologin`
        if (!known?.isMember) await owner`grant ${owner.identifier(role)} to current_user`
        await owner`grant usage on schema public to ${owner.identifier(role)}`
        await owner`grant select on schema_migrations to ${owner.identifier(role)}`
      }
      return
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      // duplicate object, unique violation, tuple concurrently updated
      if (!['42710', '23505', 'XX000'].includes(code) || attempt === 20) throw explainRoleFault(error, code)
    }
  }
}

const explainRoleFault = (error: unknown, code: string): unknown =>
  code === '42501'
    ? new Error(
        `The user of DATABASE_URL may not create roles. Let a superuser run: create role ${applicationRoles.join(' nologin; create role ')} nologin; grant ${applicationRoles.join(', ')} to <that user>;`,
        { cause: error },
      )
    : error
