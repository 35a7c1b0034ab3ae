import { createHmac } from 'node:crypto'
import { applicationRoles, pooledRoles, searchRole } from '../kernel/db/migrate.ts'
import { openPool, type Pool } from '../kernel/db/pool.ts'
import type { ConnectionOptions } from '../kernel/db/session.ts'
import type { Sql } from '../kernel/db/sql.ts'
import { type ClusterFolder, PORT, SUPERUSER } from './cluster-folder.ts'
import { EmbeddedPostgresError, getErrorCode } from './embedded-postgres-error.ts'

/** The role that owns the database and runs migrations, bypassing row-level security. Not used after start-up. */
const OWNER = 'overture_migrator'
/** The role that the application signs in with. It owns nothing and may only assume the application's roles. */
const LOGIN = 'overture_login'
const DATABASE = 'overture'
const TIMEOUT_MS = 30_000

const toConnection = (folder: ClusterFolder, user: string, password: string): ConnectionOptions => ({
  host: folder.socketDir,
  port: PORT,
  user,
  password,
  database: DATABASE,
})

/** Derives a role's password from the superuser's password, which can't be computed from the result. */
const derivePassword = ({ password }: ClusterFolder, role: string): string =>
  createHmac('sha256', password).update(`role ${role}`).digest('base64url')

export const loginConnection = (folder: ClusterFolder): ConnectionOptions =>
  toConnection(folder, LOGIN, derivePassword(folder, LOGIN))

export const ownerConnection = (folder: ClusterFolder): ConnectionOptions =>
  toConnection(folder, OWNER, derivePassword(folder, OWNER))

/**
 * Creates the database and its roles, and gives the owner all objects that the superuser created in an earlier version
 * or restored from a backup. Nothing else runs as superuser. The login role is created last: its existence means that
 * everything is prepared.
 */
export async function prepareRoles(folder: ClusterFolder): Promise<void> {
  const superuser = toConnection(folder, SUPERUSER, folder.password)
  try {
    await withConnection({ ...superuser, database: 'postgres' }, sql =>
      createOwner(sql, derivePassword(folder, OWNER)),
    )
    await withConnection(superuser, reassignToOwner)
    // A transaction hides that the role is briefly disabled: after a restart, the application is already signing in.
    await withConnection({ ...superuser, database: 'postgres' }, sql =>
      sql.begin(tx => createLogin(tx, derivePassword(folder, LOGIN))),
    )
  } catch (error) {
    if (getErrorCode(error) !== '28P01') throw error
    const message = `The database does not accept its own password. Restore the file "password" from a backup.`
    throw new EmbeddedPostgresError(message, { cause: error })
  }
}

async function withConnection(
  connection: ConnectionOptions,
  work: (sql: Pool) => Promise<unknown>,
): Promise<void> {
  const sql = openPool({
    connection: { options: connection },
    max: 1,
    usesPreparedStatements: false,
    pipelinesBegin: false,
    settings: { application_name: 'overture supervisor', statement_timeout: TIMEOUT_MS },
    connectTimeoutMs: TIMEOUT_MS,
    responseTimeoutMs: TIMEOUT_MS,
  })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

async function createOwner(sql: Sql, password: string): Promise<void> {
  for (const role of applicationRoles) await createOrAlterRole(sql, role, 'nologin nosuperuser nobypassrls')
  // Migrations change rows of all accounts.
  await createOrAlterRole(sql, OWNER, `login bypassrls password '${password}'`)
  await sql`grant ${sql.identifier(...applicationRoles)} to ${sql.identifier(OWNER)}`
  const [database] = await sql<{ owner: string }[]>`
    select pg_get_userbyid(datdba) as owner from pg_database where datname = ${DATABASE}`
  if (!database) await sql`create database ${sql.identifier(DATABASE)} owner ${sql.identifier(OWNER)}`
  else if (database.owner !== OWNER)
    await sql`alter database ${sql.identifier(DATABASE)} owner to ${sql.identifier(OWNER)}`
}

async function createLogin(sql: Sql, password: string): Promise<void> {
  await createOrAlterRole(sql, LOGIN, 'nologin noinherit nosuperuser nobypassrls')
  await sql`grant ${sql.identifier(...pooledRoles)} to ${sql.identifier(LOGIN)}`
  // Lets the owner's functions inspect the application's sessions.
  await sql`grant ${sql.identifier(LOGIN)} to ${sql.identifier(OWNER)}`
  await sql.unsafe(`alter role ${LOGIN} login password '${password}'`)
}

/** Creates the role or resets its options. */
async function createOrAlterRole(sql: Sql, role: string, options: string): Promise<void> {
  const [existing] = await sql`select from pg_roles where rolname = ${role}`
  await sql.unsafe(`${existing ? 'alter' : 'create'} role ${role} ${options}`)
}

/** Changes the owner of each object, because `reassign owned` doesn't work for the superuser that initdb created. */
async function reassignToOwner(sql: Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    declare
      change text;
    begin
      for change in
        select format('alter table %s owner to ${OWNER}', c.oid::regclass)
          from pg_class c
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
           and c.relowner <> '${OWNER}'::regrole
           -- The sequence of a column gets the owner of its table.
           and not exists (select from pg_depend d
                            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
        union all
        select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure)
          from pg_proc p
         where p.pronamespace = 'public'::regnamespace
           and p.proowner not in ('${OWNER}'::regrole, '${searchRole}'::regrole)
           and not exists (select from pg_depend d
                            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        union all
        select format('alter type %s owner to ${OWNER}', t.oid::regtype)
          from pg_type t
         where t.typnamespace = 'public'::regnamespace and t.typowner <> '${OWNER}'::regrole
           and t.typtype in ('e', 'd', 'r')
           and not exists (select from pg_depend d
                            where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
        union all
        select format('alter statistics %s owner to ${OWNER}', s.stxnamespace::regnamespace || '.' || quote_ident(s.stxname))
          from pg_statistic_ext s
         where s.stxnamespace = 'public'::regnamespace and s.stxowner <> '${OWNER}'::regrole
      loop
        execute change;
      end loop;
    end $$`)
}
