import type { Input, OperationName, Operations } from '../../contract/index.ts'
import { getPermissionScope, type Permission } from '../../contract/permissions.ts'
import { type Context, ownRepsOnly, withAccount } from './context.ts'
import type { Fragment } from './db/database.ts'
import { notFoundAt } from './errors.ts'

type PathField<N extends OperationName> = Operations[N]['path'] extends `${string}{${infer Field}}${string}`
  ? Field
  : never

/** The ID filters of all lists and reports. */
type IdFilter = {
  [N in OperationName]: Extract<keyof Input<N>, 'cursor' | 'groupBy'> extends never
    ? never
    : Exclude<Extract<keyof Input<N>, `${string}Id`>, PathField<N>>
}[OperationName]

/** The table of a type of object, and the permission to read it. */
type ObjectType = {
  noun: string
  table: string
  permission: Permission
  /** Defaults to `id`. */
  idColumn?: string
  /** True if the table has a `rep_id`, which limits callers with the scope `own`. */
  belongsToRep?: true
}

const filterTypes: Record<IdFilter, ObjectType> = {
  campaignId: { noun: 'campaign', table: 'campaigns', permission: 'Campaign.ReadCampaign' },
  prospectId: { noun: 'prospect', table: 'prospects', permission: 'Prospect.ReadProspect' },
  personId: { noun: 'person', table: 'persons', permission: 'Prospect.ReadProspect' },
  companyId: { noun: 'company', table: 'companies', permission: 'Prospect.ReadProspect' },
  ownerRepId: { noun: 'rep', table: 'reps', permission: 'Rep.ReadRep' },
  repId: { noun: 'rep', table: 'reps', permission: 'Rep.ReadRep' },
  mailboxId: { noun: 'mailbox', table: 'mailboxes', permission: 'Rep.ReadRep' },
  assistantId: { noun: 'assistant', table: 'assistants', permission: 'Rep.ReadRep' },
  assigneeId: { noun: 'member', table: 'members', permission: 'Campaign.ReadCampaign', idColumn: 'user_id' },
  addedById: { noun: 'member', table: 'members', permission: 'Campaign.ReadCampaign', idColumn: 'user_id' },
  userId: { noun: 'member', table: 'members', permission: 'Campaign.ReadCampaign', idColumn: 'user_id' },
  emailThreadId: {
    noun: 'email thread',
    table: 'email_threads',
    permission: 'Inbox.ReadInbox',
    belongsToRep: true,
  },
}

const otherTypes: ObjectType[] = [
  { noun: 'step', table: 'campaign_steps', permission: 'Campaign.ReadCampaign' },
  { noun: 'email message', table: 'email_messages', permission: 'Inbox.ReadInbox', belongsToRep: true },
  {
    noun: 'LinkedIn conversation',
    table: 'linkedin_conversations',
    permission: 'Inbox.ReadInbox',
    belongsToRep: true,
  },
  { noun: 'LinkedIn message', table: 'linkedin_messages', permission: 'Inbox.ReadInbox', belongsToRep: true },
  { noun: 'custom field', table: 'custom_fields', permission: 'Prospect.ReadProspect' },
  { noun: 'tag', table: 'tags', permission: 'Inbox.ReadInbox' },
  { noun: 'snippet', table: 'snippets', permission: 'Campaign.ReadCampaign' },
  { noun: 'saved view', table: 'saved_views', permission: 'Prospect.ReadProspect' },
  { noun: 'note', table: 'notes', permission: 'Prospect.ReadProspect' },
  { noun: 'meeting', table: 'meetings', permission: 'Prospect.ReadProspect' },
  { noun: 'task', table: 'tasks', permission: 'Task.ReadTask', belongsToRep: true },
  { noun: 'call', table: 'calls', permission: 'Call.ReadCall', belongsToRep: true },
  { noun: 'call request', table: 'call_requests', permission: 'Call.ReadCall', belongsToRep: true },
  { noun: 'LinkedIn account', table: 'linkedin_accounts', permission: 'Rep.ReadRep' },
  { noun: 'domain', table: 'domains', permission: 'Rep.ReadRep' },
  { noun: 'Do Not Contact entry', table: 'opt_outs', permission: 'DoNotContact.ReadDoNotContact' },
  { noun: 'consent', table: 'consents', permission: 'DoNotContact.ReadDoNotContact' },
  { noun: 'webhook', table: 'webhooks', permission: 'Account.ManageWebhooks' },
]

const objectTypes = [...Object.values(filterTypes), ...otherTypes]

/**
 * Throws NotFound for the first filter whose ID is unknown, isn't readable by the caller, or belongs to another type of
 * object. Lists call this only when they find nothing, because any row proves that the IDs are valid.
 */
export async function requireKnownIds(ctx: Context, filters: object): Promise<void> {
  const idFilters = Object.entries(filters).filter(
    (entry): entry is [IdFilter, string] => entry[0] in filterTypes && typeof entry[1] === 'string',
  )
  if (idFilters.length === 0) return
  const ids = [...new Set(idFilters.map(([, id]) => id))]
  const expected = new Set(idFilters.map(([name]) => filterTypes[name]))
  const known = await findNouns(ctx, ids, [...expected])
  if (idFilters.every(([name, id]) => known.get(id) === filterTypes[name].noun)) return
  const nouns = await findNouns(ctx, ids, objectTypes)
  for (const [name, id] of idFilters) {
    const { noun } = filterTypes[name]
    const found = nouns.get(id)
    if (!found) throw notFoundAt(name, `there is no ${noun} with this ID.`)
    if (found !== noun)
      throw notFoundAt(name, `this is the ID of ${withArticle(found)}, not of ${withArticle(noun)}.`)
  }
}

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

/**
 * Returns the noun of the type that each ID belongs to. `limit` keeps lookups from running before the account is set.
 */
async function findNouns(
  ctx: Context,
  ids: string[],
  types: readonly ObjectType[],
): Promise<Map<string, string>> {
  const { sql } = ctx
  const toLookup = ({ noun, table, permission, idColumn = 'id', belongsToRep }: ObjectType): Fragment => sql`
    (select ${noun}::text as noun
       from ${sql.identifier(table)} o
      where o.account_id = s.account_id and o.${sql.identifier(idColumn)} = given.id
        ${belongsToRep ? ownRepsOnly(ctx, permission, sql`o.rep_id`) : sql``}
      limit 1)`
  const readable = types.filter(({ permission }) => getPermissionScope(ctx.role, permission))
  if (readable.length === 0) return new Map()
  const lookups = readable.map(toLookup).reduce((all, next) => sql`${all} union all ${next}`)
  const rows = await sql<{ id: string; noun: string }[]>`
    select given.id, found.noun
      from ${withAccount(ctx)}
     cross join unnest(${ids}::uuid[]) given(id)
     cross join lateral (${lookups}) found`
  return new Map(rows.map(({ id, noun }) => [id, noun]))
}
