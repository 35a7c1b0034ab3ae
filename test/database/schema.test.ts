import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applicationRoles } from '../../src/server/kernel/db/migrate.ts'
import { openTestDatabase, type TestDatabase } from '../support/db/database.ts'
import { dumpSchema } from '../support/db/dump-schema.ts'

/** Tables that belong to no account, with the reason. All others are tenant tables. */
const outsideAccounts: Record<string, string> = {
  accounts: 'is the account',
  users: 'a user may belong to several accounts',
  api_tokens: 'belong to a user',
  sessions: 'belong to a user',
  authenticator_apps: 'belong to a user',
  recovery_codes: 'belong to a user',
  passkeys: 'belong to a user',
  sign_in_attempts: 'belong to a browser before the user is known',
  oauth_grants: 'belong to a user',
  oauth_records: 'belong to a connecting application before the user is known',
  oauth_clients: 'an application may be connected to several accounts',
  oauth_keys: 'belong to the installation',
  schema_migrations: 'belongs to the installation',
}

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const listTenantTables = async (): Promise<string[]> => {
  const rows = await database.owner<{ name: string }[]>`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by relname`
  return rows.map(row => row.name).filter(name => !(name in outsideAccounts))
}

describe('the schema', () => {
  it('matches db/schema.sql (written by npm run schema)', async () => {
    await expect(await dumpSchema(database.owner)).toMatchFileSnapshot('../../db/schema.sql')
  })
})

describe('every tenant table', () => {
  it('has account_id as the first column of the primary key, every unique key and every foreign key', async () => {
    const errors = await database.owner<{ name: string }[]>`
      select format('%s: %s', c.conrelid::regclass, pg_get_constraintdef(c.oid)) as name
        from pg_constraint c
       where c.conrelid::regclass::text = any(${await listTenantTables()}) and c.contype in ('p', 'u', 'f')
         -- Users belong to no account, so a reference to them cannot lead into another account.
         and c.confrelid <> 'users'::regclass
         and (select attname from pg_attribute where attrelid = c.conrelid and attnum = c.conkey[1]) <> 'account_id'
      union all
      select format('%s: unique index %s', i.indrelid::regclass, i.indexrelid::regclass)
        from pg_index i
       where i.indrelid::regclass::text = any(${await listTenantTables()}) and i.indisunique
         and (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) <> 'account_id'
      union all
      select format('%s: no primary key', t.name)
        from unnest(${await listTenantTables()}::text[]) t(name)
       where not exists (select from pg_constraint where conrelid = t.name::regclass and contype = 'p')`
    expect(errors.map(error => error.name)).toEqual([])
  })

  it('has row-level security enabled and forced, with the tenant policy for reading and writing', async () => {
    const rows = await database.owner<
      { name: string; isForced: boolean; using: string; check: string; command: string }[]
    >`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as "isForced",
             p.qual as using, p.with_check as check, p.cmd as command
        from pg_class c left join pg_policies p on p.tablename = c.relname and p.policyname = 'tenant' and p.roles = '{overture_app}'
       where c.relname = any(${await listTenantTables()}) and c.relnamespace = 'public'::regnamespace order by c.relname`
    const policy = '(account_id = ( SELECT current_account_id() AS current_account_id))'
    expect(rows.map(row => ({ ...row }))).toEqual(
      (await listTenantTables()).map(name => ({
        name,
        isForced: true,
        using: policy,
        check: policy,
        command: 'ALL',
      })),
    )
  })

  it('can be neither read nor written when no account is set', async () => {
    for (const table of await listTenantTables()) {
      const [row] = await database.db
        .app`select count(*)::int as count from ${database.db.app.identifier(table)}`
      expect(row, table).toEqual({ count: 0 })
    }
    await expect(
      database.db
        .app`insert into tags (account_id, id, name) values (gen_random_uuid(), gen_random_uuid(), 'x')`,
    ).rejects.toThrow(/row-level security/)
  })

  it('is exposed only by views that enforce row-level security', async () => {
    const views = await database.owner`
      select relname from pg_class
       where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace
         and not coalesce(reloptions @> '{security_invoker=true}', false)`
    expect(views).toHaveLength(0)
  })
})

describe('the roles', () => {
  it('own nothing and cannot bypass row-level security', async () => {
    const roles = await database.owner`
      select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as "isPrivileged",
             (select count(*)::int from pg_class where relowner = r.oid) as owns
        from pg_roles r where rolname = any(${applicationRoles}) order by rolname`
    expect(roles.map(role => ({ ...role }))).toEqual(
      applicationRoles.toSorted().map(rolname => ({ rolname, isPrivileged: false, owns: 0 })),
    )
  })

  it('allow the engine only to find and claim work', async () => {
    const grants = await database.owner<{ grant: string }[]>`
      select distinct format('%s %s', lower(privilege_type), table_name) as grant
        from information_schema.column_privileges where grantee = 'overture_engine' order by 1`
    expect(grants.map(row => row.grant)).toEqual([
      'select accounts',
      'select agent_replies',
      'select attachments',
      'select calls',
      'select campaign_reps',
      'select campaigns',
      'select dmarc_reports',
      'select email_sends',
      'select events',
      'select exports',
      'select linkedin_sends',
      'select mailbox_grants',
      'select mailbox_syncs',
      'select mailboxes',
      'select prospects',
      'select schema_migrations',
      'select sent_copies',
      'select webhook_deliveries',
      'select webhooks',
      'update accounts',
      'update agent_replies',
      'update calls',
      'update email_sends',
      'update events',
      'update exports',
      'update linkedin_sends',
      'update mailbox_grants',
      'update mailbox_syncs',
      'update mailboxes',
      'update prospects',
      'update webhooks',
    ])
  })

  it('hide user secrets and the data of other users from the application', async () => {
    const { app } = database.db
    for (const secret of [
      'password_hash from users',
      'token_hash from api_tokens',
      'token_hash from sessions',
    ]) {
      await expect(app.unsafe(`select ${secret}`), secret).rejects.toThrow(/permission denied/)
    }
    for (const table of ['users', 'api_tokens', 'sessions']) {
      expect(await app`select id from ${app.identifier(table)}`, table).toHaveLength(0)
    }
  })

  it('hide sign-in credentials from the application', async () => {
    for (const table of ['authenticator_apps', 'recovery_codes', 'passkeys', 'sign_in_attempts']) {
      await expect(database.db.app.unsafe(`select from ${table}`), table).rejects.toThrow(/permission denied/)
    }
  })

  it('hide tokens of connected clients from the application', async () => {
    for (const what of [
      'payload from oauth_grants',
      'from oauth_records',
      'from oauth_clients',
      'from oauth_keys',
    ]) {
      await expect(database.db.app.unsafe(`select ${what}`), what).rejects.toThrow(/permission denied/)
    }
    expect(await database.db.app`select id from oauth_grants`).toHaveLength(0)
  })
})
