import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedClaims } from '../../bench/seed-claims.ts'
import { claimDueProspects } from '../../src/server/domain/prospects/claim-prospects.ts'
import { readStepFacts } from '../../src/server/domain/rendering/step-facts.ts'
import { listProblems } from '../../src/server/domain/reports/problems.ts'
import { connect, type Pool } from '../../src/server/kernel/db/database.ts'
import { createCaller, openTestApp, type TestApp } from '../support/app.ts'
import { recordStatements, type SentStatement } from '../support/db/record-statements.ts'

const LIMIT = 200

let app: TestApp
let engine: Pool
let work: Pool
let sent: SentStatement | undefined
const accountId = randomUUIDv7()
const now = new Date('2026-11-23T12:00:00.000Z')

beforeAll(async () => {
  app = await openTestApp()
  const owner = connect(app.connection, { max: 1, statementTimeoutMs: 120_000 })
  await seedClaims(owner, { accountId, now, active: 20_000, ended: 40_000 })
  await owner`vacuum analyze`
  await owner.end()
  engine = connectAs('overture_engine', 'recursive firsts')
  work = connectAs('overture_app', '"campaignStatus"')
})
afterAll(async () => {
  await engine?.end()
  await work?.end()
  await app[Symbol.asyncDispose]()
})

/** Connects as the role and records the last statement that contains `part`. */
const connectAs = (role: string, part: string): Pool =>
  recordStatements(connect(app.connection, { max: 1, role }), statement => {
    if (statement.text.includes(part)) sent = statement
  })

type PlanNode = { 'Node Type': string; Plans?: PlanNode[] } & Record<string, number | string | undefined>
const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

it.each(['force_custom_plan', 'force_generic_plan'])(
  'claiming due work reads only due rows (%s)',
  async planMode => {
    const claimed = await claimDueProspects(engine, { now, limit: LIMIT, perMailbox: 50, leaseMs: 30_000 })
    expect(claimed).toHaveLength(LIMIT)
    const { text, parameters } = sent!
    const values = parameters.map(value => `'${value}'`)
    await engine.unsafe(`set plan_cache_mode = ${planMode}`)
    await engine.unsafe(`prepare claim as ${text}`)
    const [row] = await engine.unsafe(
      `explain (analyze, buffers, format json) execute claim(${values.join(', ')})`,
    )
    await engine.unsafe('deallocate claim')
    const plan = (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan
    const sequentialScans = listNodes(plan).filter(
      node => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'prospects',
    )
    expect(sequentialScans, 'sequential scans').toEqual([])
    const read = listNodes(plan)
      .filter(node => node['Relation Name'] === 'prospects')
      .reduce((sum, node) => sum + Number(node['Actual Rows']) * Number(node['Actual Loops']), 0)
    // Reads the first row of each of the 380 dispatch keys; each claimed row is read twice and written.
    expect(read).toBeLessThan(1_200)
  },
)

it('planning a batch reads only its own prospects and those of the same people', async () => {
  const claimed = await claimDueProspects(engine, { now, limit: LIMIT, perMailbox: 50, leaseMs: 30_000 })
  const batch = claimed.slice(0, 50)
  const plan = await work.begin(async tx => {
    await tx`select set_config('app.account_id', ${accountId}, true)`
    expect(await readStepFacts(tx, batch, now)).toHaveLength(batch.length)
    const { text, parameters } = sent!
    const [row] = await tx.send(`explain (analyze, format json) ${text}`, parameters)
    return (row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan
  })
  const seen = listNodes(plan)
    .filter(node => node['Relation Name'] === 'prospects')
    .map(
      node =>
        (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) *
        Number(node['Actual Loops']),
    )
  // Every person here is in only one campaign.
  expect(seen).toEqual([batch.length, batch.length])
})

it('the count of prospects held up by failing mailboxes reads only due prospects that wait for them', async () => {
  await app.owner`
    insert into campaign_steps (account_id, id, campaign_id, position, channel)
    select account_id, gen_random_uuid(), id, 1, 'email' from campaigns where account_id = ${accountId}`
  await app.owner`update mailboxes set status = 'failing' where account_id = ${accountId}`
  await app.owner`update accounts set postal_address = '12 St James Square' where id = ${accountId}`
  app.setNow(now)
  const statements: SentStatement[] = []
  const sql = recordStatements(work, statement => statements.push(statement))
  const { context } = createCaller(app, {
    ...{ accountId, userId: randomUUIDv7(), role: 'owner', actor: 'test', isReadOnly: true },
  })
  const { data } = await listProblems({ ...context, sql })
  const failing = data.filter(({ kind }) => kind === 'mailbox_failing')
  expect(failing).toHaveLength(50)
  expect(failing[0]!.campaigns!.length).toBeGreaterThan(0)
  const counting = statements.filter(({ text }) => text.includes('next_step_at'))
  expect(counting).toHaveLength(2)
  const formatLiteral = (value: unknown) =>
    value === null ? 'null' : `'${Array.isArray(value) ? `{${value}}` : value}'`
  for (const planMode of ['force_custom_plan', 'force_generic_plan'])
    for (const { text, parameters } of counting) {
      await work.unsafe(`set plan_cache_mode = ${planMode}`)
      await work.unsafe(`prepare problems as ${text}`)
      const values = parameters.length > 0 ? `(${parameters.map(formatLiteral).join(', ')})` : ''
      const [row] = await work.unsafe(`explain (analyze, format json) execute problems${values}`)
      await work.unsafe('deallocate problems')
      const filteredRows = listNodes((row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan)
        .filter(node => node['Relation Name'] === 'prospects')
        .map(node => Number(node['Rows Removed by Filter'] ?? 0) * Number(node['Actual Loops']))
      expect(Math.max(...filteredRows), planMode).toBe(0)
    }
})
