import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller } from '../../../test/support/app.ts'
import { asSuperuser, makeScratch, query } from '../../../test/support/db/postgres-processes.ts'
import { type Installation, openInstallation } from '../installation.ts'
import { readConfig } from '../kernel/config.ts'
import { endFrozenSessions, type Pool } from '../kernel/db/database.ts'
import { Session } from '../kernel/db/session.ts'
import { openClusterFolder, openHome } from './cluster-folder.ts'
import { openPostgres } from './open-postgres.ts'
import { loginConnection, prepareRoles } from './server-roles.ts'

let scratch: Awaited<ReturnType<typeof makeScratch>>
beforeAll(async () => {
  scratch = await makeScratch()
})
afterAll(async () => await scratch[Symbol.asyncDispose]())

const openData = (dataDir: string): Promise<Installation> =>
  openInstallation(readConfig({}, { OVERTURE_DATA: dataDir, LOG_LEVEL: 'silent' }))

describe('the application on the embedded database', () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await openData(join(scratch.dir, 'new'))
  })
  afterAll(async () => await installation?.[Symbol.asyncDispose]())

  const pools = ['app', 'work', 'gate', 'engine', 'auth'] as const

  it.each(pools)('has no session in the pool %s that can escalate its privileges', async name => {
    const sql: Pool = installation.app.db[name]
    const roles = await sql`
      select rolname as name, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as "isPrivileged",
             (select count(*)::int from pg_class where relowner = r.oid) as owns
        from pg_roles r where rolname in (session_user, current_user)`
    expect(roles).toHaveLength(2)
    for (const role of roles) expect(role, role.name).toMatchObject({ isPrivileged: false, owns: 0 })
    const privileged = await sql`
      select rolname from pg_roles
       where (rolsuper or rolbypassrls or rolname ~ '^pg_') and pg_has_role(session_user, oid, 'member')`
    expect(privileged).toEqual([])
  })

  it.each(pools)('cannot reset its role in the pool %s', async name => {
    const sql: Pool = installation.app.db[name]
    for (const statement of [
      'set role overture_owner',
      'set role overture_migrator',
      'set session authorization overture_owner',
      'set role none; select * from accounts',
      'set role none; select * from pg_authid',
      'select * from pg_authid',
      "select pg_read_file('/etc/passwd')",
      "copy (select 1) to program 'true'",
      "copy (select 1) to '/tmp/overture-stolen'",
      'alter table accounts no force row level security',
      'set role none; alter table accounts disable row level security',
      'create function public.f() returns int language sql as $$select 1$$',
      'set role none; drop table accounts',
      'alter role overture_login superuser',
    ]) {
      // In a transaction, so that a statement that is allowed by mistake is rolled back.
      const attempt = sql.begin(tx => tx.unsafe(statement))
      await expect(attempt, statement).rejects.toMatchObject({
        code: '42501',
      })
    }
  })

  it('can sign in at any moment while its roles are being prepared, as they are after each server start', async () => {
    const folder = await openClusterFolder(await openHome(join(scratch.dir, 'new')))
    let isPrepared = false
    const prepare = async () => {
      for (let count = 0; count < 5; count += 1) await prepareRoles(folder)
      isPrepared = true
    }
    const signIn = async () => {
      while (!isPrepared) {
        const options = { settings: {}, connectTimeoutMs: 60_000, responseTimeoutMs: 60_000 }
        const session = await Session.open({ connection: { options: loginConnection(folder) }, ...options })
        await session.end()
      }
    }
    await Promise.all([prepare(), signIn()])
  })

  it('can end frozen sessions and serve accounts', async () => {
    const { app } = installation
    expect(await endFrozenSessions(app.db.engine)).toBe(0)
    const { call } = await makeCaller(app)
    await call('createRep', { name: 'Grace Hopper' })
    expect((await call('listReps', {})).data).toMatchObject([{ name: 'Grace Hopper' }])
  })
})

describe('a data folder of an earlier version, whose tables belong to the superuser', () => {
  /** Gives all objects back to the superuser, as in earlier versions. */
  const makeOld = async (dataDir: string): Promise<void> => {
    await using server = await openPostgres({ dataDir })
    const superuser = asSuperuser(server.connection, dataDir)
    await query(superuser, 'reassign owned by overture_migrator to overture_owner')
    await query(superuser, 'drop owned by overture_migrator, overture_login; drop role overture_migrator')
    await query(superuser, 'alter role overture_login rename to a_stranger')
  }
  const listOwners = async (dataDir: string) => {
    await using server = await openPostgres({ dataDir })
    const owners = await query(
      server.owner,
      `select distinct pg_get_userbyid(owner) as owner
         from (select relowner from pg_class where relnamespace = 'public'::regnamespace
               union all select proowner from pg_proc p where pronamespace = 'public'::regnamespace
                and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
               union all select typowner from pg_type t where typnamespace = 'public'::regnamespace
                and not exists (select from pg_depend d where d.objid in (t.oid, t.typelem) and d.deptype = 'e')
               union all select datdba from pg_database where datname = 'overture') each (owner)`,
    )
    return owners.map(({ owner }) => owner)
  }

  it('keeps its data, gets an ordinary owner and continues to work', async () => {
    const dataDir = join(scratch.dir, 'old')
    const name = randomUUIDv7()
    {
      await using installation = await openData(dataDir)
      await (await makeCaller(installation.app)).call('createRep', { name })
    }
    await makeOld(dataDir)
    {
      await using installation = await openData(dataDir)
      const { db } = installation.app
      expect((await db.auth`select count(*)::int as users from users`)[0]).toEqual({ users: 1 })
      const [user] = await db.app`select session_user as name`
      expect(user).toEqual({ name: 'overture_login' })
      await (await makeCaller(installation.app)).call('createRep', { name: 'Grace Hopper' })
    }
    expect((await listOwners(dataDir)).sort()).toEqual(['overture_migrator', 'overture_search'])
  })
})
