import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool, Sql } from './database.ts'

const FOLDER = join(import.meta.dirname, '../../../../db/migrations')
/** An arbitrary number, the same in every version of Overture. */
const LOCK = 4_400_001
/** The roles of the product's pools; the migrations grant each role its privileges. */
export const pooledRoles = ['overture_app', 'overture_engine', 'overture_auth']
/** Owns the functions that search text. Nobody connects as this role, because it can read all accounts. */
export const searchRole = 'overture_search'
export const applicationRoles = [...pooledRoles, searchRole]

/**
 * Applies the numbered files of db/migrations that this database lacks, each in one transaction. Migrations cannot be
 * undone. A lock makes processes that start at the same time wait for the first. `owner` must be connected as the
 * database owner. Throws, and changes nothing, if the database is from a newer or an unreleased version.
 */
export async function migrate(
  owner: Pool,
  onProgress: (message: string) => void = () => {},
  folder = FOLDER,
): Promise<void> {
  const files = await listMigrations(folder)
  const applied = await listApplied(owner)
  const [unknown] = [...applied].filter(name => !files.includes(name))
  if (unknown) throw unknownMigration(unknown, applied.has(files[0]!))
  if (applied.size === files.length) return
  await owner.begin(async tx => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`
      create table if not exists schema_migrations (
        version integer primary key, name text not null, applied_at timestamptz(3) not null default now())`
  })
  await ensureRoles(owner)
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8')
    await owner.begin(async tx => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      const [row] = await tx`
        insert into schema_migrations (version, name)
        select ${Number.parseInt(name, 10)}, ${name}
         where not exists (select from schema_migrations where name = ${name})
        returning version`
      if (!row) return
      onProgress(`Applying migration ${name}`)
      await tx.unsafe(text).catch(error => {
        throw explainExtensionError(error as Error) ?? error
      })
    })
  }
}

/** Returns whether the database has every migration of this version, for /readyz. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  const applied = await listApplied(sql)
  return (await listMigrations(FOLDER)).every(name => applied.has(name))
}

const listMigrations = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()

/**
 * Returns the error for a migration that this version lacks. A database without the baseline predates the first
 * release.
 */
const unknownMigration = (name: string, hasBaseline: boolean): Error =>
  new Error(
    hasBaseline
      ? `This database has the migration ${name}, which is unknown to this version of Overture. Start the newer version that applied it, or restore a backup from before the upgrade.`
      : `This database was made by an unreleased version of Overture (its migration ${name} is in no release) and cannot be upgraded. Nothing was changed. Use an empty database: another DATABASE_URL, or another data folder (--data).`,
  )

/**
 * Returns the names of applied migrations. Comparing names allows branches to skip numbers and to be merged in any
 * order.
 */
async function listApplied(sql: Sql): Promise<Set<string>> {
  const [table] = await sql`select to_regclass('schema_migrations') is not null as yes`
  if (!table?.yes) return new Set()
  const rows = await sql<{ name: string }[]>`select name from schema_migrations`
  return new Set(rows.map(row => row.name))
}

/**
 * Creates missing roles. Roles belong to the cluster, which a lock in one database does not cover, so races are
 * retried.
 */
async function ensureRoles(owner: Sql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const role of applicationRoles) {
        const [existing] =
          await owner`select pg_has_role(current_user, oid, 'member') as "isMember" from pg_roles where rolname = ${role}`
        if (!existing) await owner`create role ${owner.identifier(role)} nologin`
        if (!existing?.isMember) await owner`grant ${owner.identifier(role)} to current_user`
        await owner`grant usage on schema public to ${owner.identifier(role)}`
        await owner`grant select on schema_migrations to ${owner.identifier(role)}`
      }
      return
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      // duplicate object, unique violation, tuple concurrently updated
      if (!['42710', '23505', 'XX000'].includes(code) || attempt === 20) throw explainRoleError(error, code)
    }
  }
}

const explainRoleError = (error: unknown, code: string): unknown =>
  code === '42501'
    ? new Error(
        `The user in DATABASE_URL can't create roles. As a superuser, run: create role ${applicationRoles.join(' nologin; create role ')} nologin; grant ${applicationRoles.join(', ')} to <that user>;`,
        { cause: error },
      )
    : error

/** Returns an error that says how to install the extensions; undefined for other errors. */
const explainExtensionError = (error: Error): Error | undefined =>
  /^(permission denied to create extension|extension ".*" is not available)/.test(error.message)
    ? new Error(
        `${error.message}. Install the server's additional modules (the package postgresql-contrib), or run as a superuser in this database: create extension pg_trgm; create extension unaccent; create extension btree_gin;`,
        { cause: error },
      )
    : undefined
