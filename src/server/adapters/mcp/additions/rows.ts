import { findOptOutForEach } from '../../../domain/people/opt-outs/find-opt-outs.ts'
import { type Context, inAccount } from '../../../kernel/context.ts'
import type { Row } from '../lean-row.ts'
import { truncateText } from '../list-rows.ts'
import { openReader, type Read } from './reader.ts'

/** Longer lists omit additions that need one read per row. */
const MAX_ROWS = 10
const MAX_ENDED = 25

/** Adds data to rows that would otherwise need one call for each row. If that fails, the rows stay unchanged. */
export async function describeRows(ctx: Context, tool: string, rows: Row[]): Promise<void> {
  const describe = describers[tool]
  if (!describe || rows.length === 0) return
  try {
    await describe(openReader(ctx), rows, ctx)
  } catch (error) {
    ctx.app.log.warn({ requestId: ctx.requestId, tool, err: error }, 'mcp: rows are incomplete')
  }
}

type Describe = (read: Read, rows: Row[], ctx: Context) => Promise<void>

const describeProspects: Describe = async (read, rows, ctx) => {
  await Promise.all([addChannels(read, rows, ctx), addNext(read, rows)])
}

const describers: Record<string, Describe> = {
  list_prospects: describeProspects,
  get_prospect: describeProspects,
  list_conversations: addDraftTexts,
}

/** Adds, for bounced and opted-out prospects, the channels on the Do Not Contact list and those that remain. */
async function addChannels(read: Read, rows: Row[], ctx: Context): Promise<void> {
  const ended = rows
    .filter(({ status }) => status === 'bounced' || status === 'opted_out')
    .slice(0, MAX_ENDED)
  await Promise.all(
    ended.map(async row => {
      const person = await read('getPerson', { personId: row.personId })
      if (!person) return
      const { email, phone, linkedinUrl } = person
      const contacts = [
        { channel: 'email', value: email, contact: { emails: email ? [email] : [] } },
        { channel: 'phone', value: phone, contact: { phone } },
        { channel: 'LinkedIn', value: linkedinUrl, contact: { linkedinUrl } },
      ].filter(({ value }) => value)
      const blocked = await inAccount(ctx.app.db.app, ctx.accountId, sql =>
        findOptOutForEach(
          { sql, accountId: ctx.accountId, app: ctx.app },
          contacts.map(({ contact }) => ({ personId: undefined, ...contact })),
        ),
      )
      const listed = contacts.filter((_, index) => blocked[index]).map(({ channel }) => channel)
      const others = contacts
        .filter(({ channel }, index) => channel !== 'email' && !blocked[index])
        .map(({ channel, value }) => `${channel} ${value}`)
      row.onDoNotContact = listed.length > 0 ? listed : 'none'
      row.otherChannels = others.length > 0 ? others : 'none'
    }),
  )
}

/** Adds the next step to the rows of a short list. */
async function addNext(read: Read, rows: Row[]): Promise<void> {
  if (rows.length > MAX_ROWS) return
  await Promise.all(
    rows
      .filter(({ next, status }) => !next && unfinished.has(String(status)))
      .map(async row => {
        const { stepId: _, ...next } = (await read('getProspect', { prospectId: row.id }))?.next ?? {}
        row.next = next
      }),
  )
}

const unfinished = new Set(['pending', 'active', 'paused', 'out_of_office'])

/** Adds the beginning of the newest draft to the rows of a short list. */
async function addDraftTexts(read: Read, rows: Row[]): Promise<void> {
  if (rows.length > MAX_ROWS) return
  await Promise.all(
    rows
      .filter(({ channel, draftIds }) => channel === 'email' && Array.isArray(draftIds))
      .map(async row => {
        const [emailMessageId] = row.draftIds as string[]
        const draft = await read('getEmailMessage', { emailMessageId })
        if (draft) row.draftText = truncateText(draft.body, 160)
      }),
  )
}
