import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { canonicalLinkedin } from '../../protocols/identity/linkedin.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { applyMessage } from './apply-event.ts'
import { findMember } from './members.ts'
import { type ExportedMessage, parseExport } from './parse-export.ts'

const CHUNK_SIZE = 500

type Result = Output<'importLinkedinMessages'>
type Export = Input<'importLinkedinMessages'>

/** Imports an export within the current transaction. */
export const importLinkedinMessages = (ctx: Context, input: Export): Promise<Result> =>
  importExport(input, work => work(ctx))

/** Imports an export of any size that fits into memory. Each chunk has its own transaction. Idempotent. */
export const importLinkedinFile = (ctx: Context, input: Export): Promise<Result> =>
  importExport(input, work =>
    retryOnDeadlock(() => inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))),
  )

async function importExport(
  { repId, profileUrl, csv }: Export,
  inTransaction: <T>(work: (ctx: Context) => Promise<T>) => Promise<T>,
): Promise<Result> {
  const ownUrl = canonicalLinkedin(profileUrl)
  if (!ownUrl)
    throw invalid(
      'profileUrl',
      'must be the URL of a LinkedIn profile, such as https://www.linkedin.com/in/name',
    )
  await inTransaction(tx => checkRep(tx, repId))
  const { messages, invalid: invalidCount } = await parseExport(csv, ownUrl)
  const result = { total: messages.length + invalidCount, added: 0, alreadyPresent: 0, unknownPerson: 0 }
  // Oldest first, so that effects apply in order.
  messages.sort((a, b) => a.happenedAt.getTime() - b.happenedAt.getTime())
  for (let from = 0; from < messages.length; from += CHUNK_SIZE) {
    const chunk = messages.slice(from, from + CHUNK_SIZE)
    const outcomes = await inTransaction(async tx => {
      const stored: Outcome[] = []
      for (const message of chunk) stored.push(await importMessage(tx, repId, message))
      return stored
    })
    for (const outcome of outcomes) result[outcome] += 1
  }
  await inTransaction(tx => audit(tx, 'import_linkedin', 'rep', repId))
  return { ...result, invalid: invalidCount }
}

type Outcome = 'added' | 'alreadyPresent' | 'unknownPerson'

async function importMessage(
  { sql, app }: Context,
  repId: string,
  { personUrl, ...message }: ExportedMessage,
): Promise<Outcome> {
  const personId = personUrl && (await findMember(sql, { linkedinUrl: personUrl }))
  if (!personId) return 'unknownPerson'
  const { isNew } = await applyMessage(sql, { ...message, repId, personId }, app.now())
  return isNew ? 'added' : 'alreadyPresent'
}

async function checkRep(ctx: Context, repId: string): Promise<void> {
  const { sql, accountId } = ctx
  const [rep] = await sql`
    select from reps e
     where account_id = ${accountId} and id = ${repId} and ${isInScope(ctx, 'Inbox.SendMessage', sql`e.id`)}`
  if (!rep) throw invalid('repId', 'must be the ID of one of your reps')
}
