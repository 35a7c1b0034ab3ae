import { randomUUIDv7 } from 'node:crypto'
import type { Role } from '../../../contract/permissions.ts'
import { type App, type Context, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { listProblems } from './problems.ts'

/** Returns a context with the read access of a member. */
export const asMember = (
  app: App,
  sql: Sql,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role },
): Context => ({
  app,
  sql,
  accountId,
  userId,
  role,
  actor: 'engine',
  isReadOnly: true,
  requestId: randomUUIDv7(),
  afterCommit: () => {
    throw new Error('afterCommit is only available in writes')
  },
})

const NO_USER_ID = '00000000-0000-0000-0000-000000000000'

/** Stores the account's current problems. Triggers record events for new and resolved ones. */
export const recordProblems = (app: App, accountId: string): Promise<void> =>
  inAccount(app.db.work, accountId, async tx => {
    const { data } = await listProblems(asMember(app, tx, { accountId, userId: NO_USER_ID, role: 'owner' }))
    const found = data.map(details => ({
      id: randomUUIDv7(),
      kind: details.kind,
      about_id: details.about.id,
      details,
    }))
    const rows = tx`jsonb_to_recordset(${tx.json(found)}) f (id uuid, kind text, about_id uuid, details jsonb)`
    await tx`
      delete from problems p
       where p.account_id = ${accountId}
         and not exists (select from ${rows} where f.kind = p.kind and f.about_id = p.about_id)`
    await tx`
      insert into problems (account_id, id, kind, about_id, details)
      select ${accountId}, f.id, f.kind, f.about_id, f.details from ${rows}
          on conflict (account_id, kind, about_id)
          do update set details = excluded.details, updated_at = now() where problems.details <> excluded.details`
  })
