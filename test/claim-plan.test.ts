import { randomUUIDv7 } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedClaims } from '../bench/claim-seed.ts'
import { connect, type Sql } from '../src/server/db.ts'
import { claimDueProspects } from '../src/server/prospects/claim-prospects.ts'
import { openTestApp, type TestApp } from './support/app.ts'

const LIMIT = 200

let app: TestApp
let engine: Sql
let sent: { text: string; parameters: unknown[] } | undefined
const now = new Date('2026-11-23T12:00:00.000Z')

beforeAll(async () => {
  app = await openTestApp()
  const owner = connect(app.connection, { max: 1, statementTimeoutMs: 120_000 })
  await seedClaims(owner, { accountId: randomUUIDv7(), now, active: 20_000, ended: 40_000 })
  await owner`vacuum analyze`
  await owner.end()
  const options = {
    max: 1,
    onnotice: () => {},
    connection: { TimeZone: 'UTC', role: 'overture_engine', jit: false },
    debug: (_connection: number, text: string, parameters: unknown[]) => {
      if (text.includes('recursive firsts')) sent = { text, parameters }
    },
  }
  engine = (
    'url' in app.connection
      ? postgres(app.connection.url, options)
      : postgres({ ...app.connection.options, ...options })
  ) as Sql
}, 240_000)
afterAll(async () => {
  await engine?.end()
  await app[Symbol.asyncDispose]()
})

type PlanNode = { 'Node Type': string; Plans?: PlanNode[] } & Record<string, number | string | undefined>
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

it.each(['force_custom_plan', 'force_generic_plan'])(
  'looking for due work reads what is due, not what there is (%s)',
  async planMode => {
    const claimed = await claimDueProspects(engine, { now, limit: LIMIT, perMailbox: 50, leaseMs: 30_000 })
    expect(claimed).toHaveLength(LIMIT)
    const { text, parameters } = sent!
    const values = parameters.map(value => `'${value instanceof Date ? value.toISOString() : value}'`)
    await engine.unsafe(`set plan_cache_mode = ${planMode}`)
    await engine.unsafe(`prepare claim as ${text}`)
    const [row] = await engine.unsafe(
      `explain (analyze, buffers, format json) execute claim(${values.join(', ')})`,
    )
    await engine.unsafe('deallocate claim')
    const plan = (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan
    const readWhole = nodesOf(plan).filter(
      node => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'prospects',
    )
    expect(readWhole, 'read as a whole').toEqual([])
    const read = nodesOf(plan)
      .filter(node => node['Relation Name'] === 'prospects')
      .reduce((sum, node) => sum + Number(node['Actual Rows']) * Number(node['Actual Loops']), 0)
    // The first of each of the 380 lanes is looked at, and each claimed one found twice and written.
    expect(read).toBeLessThan(1_200)
  },
)
