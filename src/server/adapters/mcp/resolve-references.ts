import type { Output } from '../../../contract/index.ts'
import { invoke } from '../../invoke.ts'
import { type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Row } from './lean-row.ts'
import type { Tool } from './tools.ts'

const id = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const isId = (value: unknown): value is string => typeof value === 'string' && id.test(value)
const isName = (value: unknown): value is string => typeof value === 'string' && !id.test(value)

/**
 * Replaces references that a model knows with the ID that the operation needs. A campaign, rep, member, company or
 * person may be given by name, and a mailbox by its address. The IDs of related objects work too: a prospect or
 * conversation for its person, a person or conversation for its prospect, and a conversation for its last message. An
 * ambiguous name causes an error that lists the candidates; an unknown name is left to validation.
 */
export async function resolveReferences(ctx: Context, { operation, fields }: Tool, args: Row): Promise<Row> {
  const { campaignId, repId, repIds, mailboxId, companyId, personId, prospectId, prospectIds } = args
  const resolved = { ...args }
  for (const field of ['assigneeId', 'addedById']) {
    if (isName(args[field])) resolved[field] = await findMember(ctx, field, args[field])
  }
  if (isName(campaignId)) resolved.campaignId = await findByName(ctx, 'campaign', campaignId)
  if (isName(repId)) resolved.repId = await findByName(ctx, 'rep', repId)
  if (isName(companyId)) resolved.companyId = await findByName(ctx, 'company', companyId)
  if (isName(mailboxId)) resolved.mailboxId = await findMailbox(ctx, mailboxId)
  if (Array.isArray(repIds)) {
    const found = repIds.map(value => (isName(value) ? findByName(ctx, 'rep', value) : value))
    resolved.repIds = await Promise.all(found)
  }
  // Rows are short, so all open replies of an intent usually fit.
  if (operation === 'listConversations' && args.intent && !args.cursor) resolved.limit ??= 25
  if (operation === 'createCampaign' && !repIds) Object.assign(resolved, await findOwnRep(ctx))
  if (draftOperations.has(operation)) resolved.emailMessageId = await findDraft(ctx, args.emailMessageId)
  if (operation === 'addOptOuts') resolved.identifiers = await expandPersons(ctx, args.identifiers)
  if (operation === 'createEmailDraft') {
    Object.assign(resolved, await findMessage(ctx, args), args.prospectId && { prospectId })
    return resolved
  }
  if (fields.has('personId')) {
    if (isName(personId)) resolved.personId = await findPerson(ctx, personId)
    if (isId(personId)) resolved.personId = (await findRelatedPerson(ctx, personId)) ?? personId
    if (isId(prospectId) && !fields.has('prospectId')) {
      delete resolved.prospectId
      resolved.personId = (await findRelatedPerson(ctx, prospectId)) ?? prospectId
    }
  }
  if (fields.has('prospectId') && prospectId !== undefined)
    resolved.prospectId = await findProspect(ctx, prospectId)
  if (Array.isArray(prospectIds) && prospectIds.length <= MAX_PROSPECTS)
    resolved.prospectIds = await Promise.all(prospectIds.map(value => findProspect(ctx, value)))
  return resolved
}

/** Longer lists must contain prospect IDs. */
const MAX_PROSPECTS = 10

const tables = { campaign: 'campaigns', rep: 'reps', company: 'companies' } as const

async function findByName(ctx: Context, kind: keyof typeof tables, name: string): Promise<string> {
  const { sql, accountId } = toReader(ctx)
  const found = await sql<{ id: string }[]>`
    select found.id from ${withAccount({ sql, accountId })} cross join lateral (
      select n.id from ${sql.identifier(tables[kind])} n
       where n.account_id = s.account_id
         and ${kind === 'company' ? sql`n.name_key` : sql`lower(n.name)`} = ${name.trim().toLowerCase()}
       order by n.created_at desc
       limit 5) found`
  return choose(`${kind}Id`, found) ?? name
}

async function findMailbox(ctx: Context, email: string): Promise<string> {
  const { sql, accountId } = toReader(ctx)
  const [found] = await sql<{ id: string }[]>`
    select found.id from ${withAccount({ sql, accountId })} cross join lateral (
      select id from mailboxes
       where account_id = s.account_id and email = ${email.trim().toLowerCase()} and removed_at is null) found`
  return found?.id ?? email
}

/** Returns the ID of the only member with this name or email address, or the given text if there is none. */
async function findMember(ctx: Context, field: string, name: string): Promise<string> {
  const key = name.trim().toLowerCase()
  const { text } = await invoke(ctx, { name: 'listMembers', input: { limit: 100 } })
  const { data } = JSON.parse(text) as Output<'listMembers'>
  const found = data.filter(member => [member.name, member.email].some(text => text.toLowerCase() === key))
  return (
    choose(
      field,
      found.map(({ id, email }) => ({ id, label: email })),
    ) ?? name
  )
}

/** Returns the ID of the only person with this full name or email address, or the given text if there is none. */
async function findPerson(ctx: Context, name: string): Promise<string> {
  const { sql, accountId } = toReader(ctx)
  // `sort_name` is the full name, or another identifier of a person without a name.
  const found = await sql<{ id: string; label: string | null }[]>`
    select found.id, found.email as label from ${withAccount({ sql, accountId })} cross join lateral (
      select id, email from persons where account_id = s.account_id and email = lower(${name.trim()})
       union
      select id, email from persons
       where account_id = s.account_id and sort_name = lower(${name.trim()})
         and (first_name is not null or last_name is not null)
       limit 5) found`
  return choose('personId', found) ?? name
}

/** Returns the ID of the person of a prospect or conversation; undefined when the ID belongs to neither. */
async function findRelatedPerson(ctx: Context, givenId: string): Promise<string | undefined> {
  const { sql, accountId } = toReader(ctx)
  const [found] = await sql<{ id: string | null }[]>`
    select found.id from ${withAccount({ sql, accountId })} cross join lateral (
      select person_id as id from prospects where account_id = s.account_id and id = ${givenId}
       union all
      select person_id from conversations where account_id = s.account_id and id = ${givenId}
       limit 1) found`
  return found?.id ?? undefined
}

/**
 * Returns the ID of the prospect of a person (given by name or ID) or of a conversation. Returns other values
 * unchanged.
 */
async function findProspect(ctx: Context, given: unknown): Promise<unknown> {
  const person = isName(given) ? await findPerson(ctx, given) : given
  return isId(person) ? ((await findOnlyProspect(ctx, person)) ?? person) : given
}

/** Returns the ID of a conversation's prospect or of a person's only prospect; undefined when there is none. */
async function findOnlyProspect(ctx: Context, givenId: string): Promise<string | undefined> {
  const { sql, accountId } = toReader(ctx)
  const found = await sql<{ id: string; label: string }[]>`
    select found.* from ${withAccount({ sql, accountId })} cross join lateral (
      select r.id, c.name || ', ' || r.status as label
        from prospects r
        join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
       where r.account_id = s.account_id
         and (r.person_id = ${givenId}
              or r.id = (select prospect_id from conversations where account_id = s.account_id and id = ${givenId}))
       order by r.created_at desc
       limit 20) found`
  return choose('prospectId', found)
}

const draftOperations = new Set<string>(['updateEmailDraft', 'sendEmailDraft', 'deleteEmailDraft'])

/** Returns the ID of a conversation's only draft, or the given ID. */
async function findDraft(ctx: Context, givenId: unknown): Promise<unknown> {
  if (!isId(givenId)) return givenId
  const { sql, accountId } = toReader(ctx)
  const found = await sql<{ id: string; label: string }[]>`
    select found.* from ${withAccount({ sql, accountId })} cross join lateral (
      select m.id, left(m.body, 60) as label from email_messages m
       where m.account_id = s.account_id and m.thread_id = ${givenId} and m.status = 'draft'
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`m.rep_id`)}
       order by m.created_at desc
       limit 5) found`
  return choose('emailMessageId', found) ?? givenId
}

/** Returns the user's rep as the sender of a campaign, if there is exactly one. */
async function findOwnRep(ctx: Context): Promise<Row> {
  const { text } = await invoke(ctx, { name: 'getMe', input: {} })
  const { reps } = JSON.parse(text) as Output<'getMe'>
  return reps.length === 1 ? { repIds: [reps[0]!.id] } : {}
}

/** Returns the message that a draft replies to (for a conversation, the last one) and its prospect. */
async function findMessage(ctx: Context, { emailMessageIdToReplyTo: givenId }: Row): Promise<Row> {
  if (!isId(givenId)) return {}
  const { sql, accountId } = toReader(ctx)
  const [found] = await sql<{ id: string; prospectId: string | null }[]>`
    select found.* from ${withAccount({ sql, accountId })} cross join lateral (
      select m.id, m.prospect_id as "prospectId" from email_messages m
       where m.account_id = s.account_id
         and m.id in (${givenId}, (select last_message_id from conversations
                                    where account_id = s.account_id and id = ${givenId}))
       limit 1) found`
  if (!found) return {}
  return { emailMessageIdToReplyTo: found.id, ...(found.prospectId && { prospectId: found.prospectId }) }
}

/**
 * Replaces a person among identifiers with all their email addresses, LinkedIn profiles and phone numbers. Throws when
 * there are none, because the result would block nobody.
 */
async function expandPersons(ctx: Context, identifiers: unknown): Promise<unknown> {
  if (!Array.isArray(identifiers) || identifiers.length > MAX_IDENTIFIERS) return identifiers
  const expanded = identifiers.map(async (given: unknown, index) => {
    const entry = typeof given === 'string' ? { identifier: given } : (given as Row)
    if (!isId(entry?.identifier)) return [entry]
    const { email, linkedinUrl, phone, ...person } = await readPerson(ctx, entry.identifier)
    const name = [person.firstName, person.lastName].filter(Boolean).join(' ')
    const { otherEmails = [], otherLinkedinUrls = [], otherPhones = [] } = person
    const known = [email, ...otherEmails, linkedinUrl, ...otherLinkedinUrls, phone, ...otherPhones]
      .filter(Boolean)
      .map(identifier => ({ identifier, name }))
    if (known.length > 0) return known
    throw invalid(
      `identifiers.${index}`,
      'must be a person with an email address, LinkedIn profile or phone number. Nobody was blocked',
    )
  })
  return (await Promise.all(expanded)).flat()
}

/** Reads a person, or the one that a duplicate was merged into. */
async function readPerson(ctx: Context, personId: string): Promise<Output<'getPerson'>> {
  const { text } = await invoke(ctx, { name: 'getPerson', input: { personId } })
  const person = JSON.parse(text) as Output<'getPerson'>
  return person.mergedIntoId ? readPerson(ctx, person.mergedIntoId) : person
}

const MAX_IDENTIFIERS = 500

const toReader = ({ app, accountId }: Context) => ({ sql: app.db.app, accountId })

/** Returns the ID of the only candidate, if any. Throws, listing the candidates, when there are several. */
function choose(field: string, found: { id: string; label?: string | null }[]): string | undefined {
  if (found.length < 2) return found[0]?.id
  const list = found.map(({ id, label }) => (label ? `${id} (${label})` : id)).join('; ')
  throw invalid(field, `is ambiguous. Pass one of these ids: ${list}`)
}
