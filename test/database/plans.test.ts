import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OperationName, operations } from '../../src/contract/index.ts'
import type { Role } from '../../src/contract/permissions.ts'
import { findOptOut } from '../../src/server/domain/people/opt-outs/find-opt-outs.ts'
import { type Handler, handlers } from '../../src/server/handlers.ts'
import { signToken, verifyToken } from '../../src/server/kernel/crypto.ts'
import { connect, type Pool } from '../../src/server/kernel/db/database.ts'
import { AppError } from '../../src/server/kernel/errors.ts'
import { createCaller, openTestApp, type TestApp } from '../support/app.ts'
import { DEEP_AT, type SeededAccount, seedSkewed } from '../support/db/plan-seed.ts'
import { recordStatements, type SentStatement } from '../support/db/record-statements.ts'
import { isSelected } from '../support/run/is-selected.ts'

/**
 * The cost of a page of ten doesn't depend on its position or filters: no plan node reads more than ten times as many
 * rows. The plans are those of the lists' actual statements, run by the same role, once as custom plans and once as
 * generic plans, which PostgreSQL uses after several executions.
 */
const LIMIT = 10
const MAX_ROWS = 10 * LIMIT
/** Blocks of 8 kB, to detect an index scan that reads much and finds little. */
const MAX_BLOCKS = 900

const lists = (Object.keys(operations) as OperationName[]).filter(
  name => 'cursor' in operations[name].input.shape,
)

let app: TestApp
let account: SeededAccount
let sql: Pool
let sent: SentStatement[] = []

beforeAll(async () => {
  app = await openTestApp()
  const owner = connect(app.connection, { max: 1, statementTimeoutMs: 120_000 })
  account = await seedSkewed(owner)
  await owner.end()
  sql = recordStatements(connect(app.connection, { max: 1, role: 'overture_app' }), statement => {
    if (statement.text.includes('app.account_id')) sent.push(statement)
  })
})
afterAll(async () => {
  await sql?.end()
  await app[Symbol.asyncDispose]()
})

type Filters = Record<string, unknown>

/** Returns values of a filter that match most rows, the oldest few, and none. */
function getFilterValues(field: string, schema: z.core.JSONSchema.BaseSchema): unknown[] {
  const { ids, tags } = account
  const valuesByField: Record<string, unknown[]> = {
    emailThreadId: Object.values(ids.thread),
    campaignId: Object.values(ids.campaign),
    prospectId: Object.values(ids.prospect),
    personId: Object.values(ids.person),
    repId: Object.values(ids.rep),
    ownerRepId: Object.values(ids.rep),
    companyId: Object.values(ids.company),
    assistantId: Object.values(ids.assistant),
    webhookId: Object.values(ids.webhook),
    assigneeId: Object.values(ids.member),
    since: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    dueAfter: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    dueBefore: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    startsAfter: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    startsBefore: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    until: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    tag: [...Object.values(tags), 'no such tag'],
    email: ['person7@company1.example', 'nobody@company1.example'],
    phoneNumber: ['+442079460019', '+442079460020', '+442079460021'],
    domain: ['company1.example', 'company3.example', 'company7.example', 'nobody.example'],
    custom: ['industry:Retail', 'industry:Logistics', 'industry:Nobody'],
    lastContactedBefore: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    lastContactedAfter: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    notContactedForDays: [1, 3650],
    contactedWithinDays: [1, 3650],
    query: ['company example', 'person19990', 'nobody'],
    createdSince: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    updatedSince: ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
    userId: Object.values(ids.member),
    addedById: Object.values(ids.member),
    auditedType: ['campaign', 'person', 'tag'],
    action: ['update', 'delete', 'create'],
  }
  if (valuesByField[field]) return valuesByField[field]
  if (schema.const !== undefined) return [schema.const]
  if (schema.type === 'boolean') return [true, false]
  if (schema.enum) return schema.enum
  const items = schema.items as z.core.JSONSchema.BaseSchema | undefined
  if (items?.enum) return [...items.enum.map(value => [value]), items.enum.slice(2), items.enum]
  throw new Error(`The filter ${field} has no test values. Add some here.`)
}

/**
 * Lists without an index for each pair of filters. Unless one of the two is `order`, a page with two filters may scan
 * all rows that match one of them. Teams work through their conversations, so a view has few rows to scan, whereas a
 * campaign or intent accumulates old conversations. The audit log has only one index per filter, because every change
 * has to update each index.
 */
const listsWithoutPairs: OperationName[] = ['listConversations', 'listAuditLog']

/** Filters that change the order: combined with a selective filter, a page reads every matching row. */
const reordering: Partial<Record<OperationName, string[]>> = {
  listCampaigns: ['sort'],
  listPersons: [
    'sort',
    'lastContactedBefore',
    'lastContactedAfter',
    'notContactedForDays',
    'contactedWithinDays',
  ],
}

/**
 * Filters, or values of a filter, that read more than a page. Filtering by company reads all of its people. Filtering
 * by intent reads all prospects with that intent. Sorting by activity reads all campaigns, a few thousand at most,
 * because an index would have to be updated on every send.
 */
const exemptFilters: Partial<Record<OperationName, Record<string, 'all' | unknown[]>>> = {
  listCampaigns: { sort: ['lastActivityAt'] },
  listConversations: { companyId: 'all' },
  listPersons: { intent: 'all' },
}

/** Full-text search has its own limit. */
const MAX_SEARCH_ROWS: Partial<Record<OperationName, number>> = { listConversations: 10_000 }

/**
 * Returns the inputs to test: for each value of the path parameter, one without filters, one for each value of each
 * filter, and one for each selected pair of values.
 */
function listCases(name: OperationName): { path: Filters; filters: Filters }[] {
  const { properties, required = [] } = z.toJSONSchema(operations[name].input, { io: 'input' })
  const { limit, cursor, ...fields } = properties!
  const isExempt = (field: string, value: unknown) => {
    const values = exemptFilters[name]?.[field]
    return values === 'all' || values?.includes(value)
  }
  const all = Object.entries(fields).flatMap(([field, schema]) =>
    getFilterValues(field, schema as z.core.JSONSchema.BaseSchema)
      .filter(value => !isExempt(field, value))
      .map(value => ({ [field]: value })),
  )
  const isPath = (filter: Filters) => required.includes(Object.keys(filter)[0]!)
  const paths = required.length > 0 ? all.filter(isPath) : [{}]
  const singles = all.filter(filter => !isPath(filter))
  const pairs = singles.flatMap((filter, index) =>
    singles
      .slice(index + 1)
      .filter(other => Object.keys(other)[0] !== Object.keys(filter)[0])
      .filter(other => !reordering[name]?.some(field => field in filter || field in other))
      .map((other): Filters => ({ ...filter, ...other }))
      .filter(pair => !listsWithoutPairs.includes(name) || 'order' in pair)
      .filter((_, at) => isSelected(`${name} ${index} ${at}`)),
  )
  return paths
    .flatMap(path => [{}, ...singles, ...pairs].map(filters => ({ path, filters })))
    .filter(({ path, filters }) => operations[name].input.safeParse({ ...path, ...filters }).success)
}

/**
 * Runs the list as this role. Returns the page, its statement, and the lookup of IDs, which runs when nothing is found.
 */
async function run(name: OperationName, role: Role, input: Filters) {
  const userId = role === 'owner' ? account.ownerId : account.memberId
  const { context } = createCaller(app, {
    accountId: account.accountId,
    userId,
    role,
    actor: 'test',
    isReadOnly: true,
  })
  const parsed = operations[name].input.parse(input)
  const handler = handlers[name] as Handler<OperationName>
  sent = []
  const result = await handler({ ...context, sql }, parsed as never).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NotFound') return { text: '{"data":[]}' }
    throw error
  })
  const page = ('text' in result ? JSON.parse(String(result.text)) : result) as {
    data: object[]
    next?: string
  }
  const statement = sent.find(({ text }) => text.includes(') page limit '))!
  const lookup = sent.find(({ text }) => text.includes('unnest('))
  return { page, statement, lookup }
}

/** Returns cursors deep in the list, by page; empty when the list has too few rows. */
async function makeDeepCursors(
  name: OperationName,
  role: Role,
  filters: Filters,
): Promise<[page: string, cursor: string][]> {
  const { page } = await run(name, role, { ...filters, limit: 1 })
  if (!page.next) return []
  const purpose = `cursor ${name} ${account.accountId}`
  const [version, , , id, isIncluded, , cursorFilters] = JSON.parse(
    verifyToken(app.keys, purpose, page.next)!,
  )
  const makeCursor = (direction: string) =>
    signToken(
      app.keys,
      purpose,
      JSON.stringify([version, direction, DEEP_AT, id, isIncluded, LIMIT, cursorFilters]),
    )
  return [
    ['deep', makeCursor('next')],
    ['previous', makeCursor('previous')],
  ]
}

type PlanNode = { 'Node Type': string; Plans?: PlanNode[] } & Record<string, number | string | undefined>

const formatLiteral = (value: unknown): string => {
  if (value === null) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  const text = Array.isArray(value) ? `{${value.map(one => JSON.stringify(one)).join(',')}}` : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

async function explain({ text, parameters }: SentStatement, planMode: string): Promise<PlanNode> {
  const values = parameters.length > 0 ? `(${parameters.map(formatLiteral).join(', ')})` : ''
  await sql.unsafe(`set plan_cache_mode = ${planMode}`)
  await sql.unsafe(`prepare list as ${text}`)
  const [row] = await sql.unsafe(`explain (analyze, buffers, timing off, format json) execute list${values}`)
  await sql.unsafe('deallocate list')
  return (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan
}

/** Returns the number of rows that a node read from its table or index, or sorted. */
function countRowsRead(node: PlanNode): number {
  const number = (key: string, from = node) => Number(from[key] ?? 0)
  if (node['Node Type'].endsWith('Sort')) {
    return (node.Plans ?? []).reduce(
      (sum, child) => sum + number('Actual Rows', child) * number('Actual Loops', child),
      0,
    )
  }
  if (!node['Relation Name'] && !node['Index Name']) return 0
  const each =
    number('Actual Rows') + number('Rows Removed by Filter') + number('Rows Removed by Index Recheck')
  return each * number('Actual Loops')
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

const countBlocks = (plan: PlanNode): number =>
  Number(plan['Shared Hit Blocks'] ?? 0) + Number(plan['Shared Read Blocks'] ?? 0)

function findErrors(plan: PlanNode, rows: number, maxRows = MAX_ROWS): string[] {
  const errors = listNodes(plan)
    .filter(node => countRowsRead(node) > maxRows)
    .map(
      node =>
        `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''} reads ${countRowsRead(node)} rows`,
    )
  if (countBlocks(plan) > MAX_BLOCKS * (maxRows / MAX_ROWS)) errors.push(`reads ${countBlocks(plan)} blocks`)
  // A plan that finds fewer rows than the page, for example because of row-level security, is not comparable.
  if (Number(plan['Actual Rows']) < rows) errors.push(`finds ${plan['Actual Rows']} of ${rows} rows`)
  return errors
}

/** Replaces IDs with their names. */
const replaceIds = (text: string): string =>
  Object.entries(account.ids)
    .flatMap(([kind, ids]) => Object.entries(ids).map(([skew, id]) => [id, `${skew} ${kind}`] as const))
    .reduce((all, [id, name]) => all.replaceAll(id, name), text)

describe.each(lists)('%s', name => {
  it.each(['owner', 'member'] as const)('reads few rows for each page requested as %s', async role => {
    const errors: string[] = []
    for (const { path, filters: optional } of listCases(name)) {
      const filters = { ...path, ...optional }
      const pages: [string, string | undefined][] = [
        ['first', undefined],
        ...(await makeDeepCursors(name, role, filters)),
      ]
      for (const [pageName, cursor] of pages) {
        const { page, statement } = await run(
          name,
          role,
          cursor ? { ...path, cursor } : { ...filters, limit: LIMIT },
        )
        for (const planMode of ['force_custom_plan', 'force_generic_plan']) {
          const maxRows = 'query' in filters ? MAX_SEARCH_ROWS[name] : undefined
          const found = findErrors(await explain(statement, planMode), page.data.length, maxRows)
          errors.push(
            ...found.map(error => `${JSON.stringify(filters)} ${pageName} page, ${planMode}: ${error}`),
          )
        }
      }
    }
    expect(replaceIds(errors.join('\n'))).toBe('')
  })
})

it.each(['force_custom_plan', 'force_generic_plan'])(
  'a list looks up an unknown ID only by keys (%s)',
  async planMode => {
    const input = { campaignId: account.ids.campaign.big, repId: randomUUIDv7() }
    const { lookup } = await run('listEmailMessages', 'member', input)
    expect(findErrors(await explain(lookup!, planMode), 0)).toEqual([])
  },
)

it.each(['force_custom_plan', 'force_generic_plan'])(
  'the Do Not Contact list is looked up by key in an account without statistics (%s)',
  async planMode => {
    const accountId = randomUUIDv7()
    await app.owner`insert into accounts (id, name) values (${accountId}, 'New')`
    await app.owner`
      insert into opt_outs (account_id, id, kind, value)
      select ${accountId}, gen_random_uuid(), 'email', 'person' || i || '@gone.example' from generate_series(1, 5000) i`
    const statements: SentStatement[] = []
    const recorded = recordStatements(sql, statement => statements.push(statement))
    await sql`select set_config('app.account_id', ${accountId}, false)`
    const contact = { personId: randomUUIDv7(), emails: ['person1@gone.example', 'ada@x.example'] }
    expect(await findOptOut({ sql: recorded, accountId, app }, contact)).toMatchObject({ kind: 'email' })
    expect(findErrors(await explain(statements.at(-1)!, planMode), 1)).toEqual([])
  },
)
