import { randomUUIDv7 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { openInstallation } from '../src/server/installation.ts'
import { connect, type Sql } from '../src/server/kernel/db/database.ts'
import { openPostgres } from '../src/server/postgres/open-postgres.ts'
import { createCaller } from '../test/support/app.ts'
import { asSuperuser } from '../test/support/db/postgres-processes.ts'
import { median, readCpu } from './measure.ts'
import type { Row } from './print.ts'
import { seedPeople } from './seed-people.ts'

const CALLS_PER_ROUND = 20
const PAGE_SIZE = 10

/** Search texts by case; a case uses its texts in turn. */
const queries = {
  'common-name': ['smith', 'mull', 'Garcia'],
  'rare-name': ['Featherst', 'stonehaugh'],
  'first-and-last': ['Anna Smith', 'Zoë Fern', 'tomas novak'],
  email: ['anna.smith', 'polar-robotics', 'thomas.berger1@'],
  misspelled: ['Featherstonhaw', 'Katarrina Schmitd'],
  nobody: ['qqxyz', 'wjkvq zzt'],
  'two-letters': ['an', 'mü', 'sm'],
} as const

const families = { 'find-person': 'listPersons', search: 'search' } as const
type Family = keyof typeof families

export const searchCaseNames = (Object.keys(families) as Family[]).flatMap(family =>
  Object.keys(queries).map(name => `${family}:${name}`),
)

type Cpu = ReturnType<typeof readCpu>

type Options = {
  app: Awaited<ReturnType<typeof openInstallation>>['app']
  dataDir: string
  people: number
  rounds: number
  selected: ReadonlySet<string>
  log: (message: string) => void
}

/**
 * Measures `listPersons` with `query`, and `search`, in an account with `people` people. The baseline finds the same
 * rows with one statement for each kind of object, using the same indexes, without row-level security, ranking or JSON.
 * `p99Ms` is the slowest call.
 */
export async function measureSearchCases(options: Options): Promise<Row[]> {
  const { app, dataDir, people, rounds, selected, log } = options
  await using postgres = await openPostgres({ dataDir })
  const connection = asSuperuser(postgres.connection, dataDir)
  const owner = connect({ options: connection }, { max: 1, statementTimeoutMs: 0 })
  const accountId = randomUUIDv7()
  await seedPeople(owner, { accountId, people, log })
  const [{ folder }] = await owner<[{ folder: string }]>`select current_setting('data_directory') as folder`
  const postmaster = Number((await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const readProcesses = () => readCpu({ node: process.pid, postmaster })
  // Plans each query for its own parameters.
  await owner`set plan_cache_mode = force_custom_plan`
  const { call } = createCaller(app, {
    ...{ accountId, userId: randomUUIDv7(), role: 'owner', actor: 'bench', isReadOnly: true },
  })
  const baselines = { 'find-person': listBaseline, search: searchBaseline }
  const rows: Row[] = []
  for (const family of Object.keys(families) as Family[]) {
    for (const [name, texts] of Object.entries(queries)) {
      const caseName = `${family}:${name}`
      if (!selected.has(caseName)) continue
      const patterns = await readPatterns(owner, texts)
      const ours = (query: string) => call(families[family], { query })
      const baseline = (query: string) =>
        baselines[family](owner, { accountId, query, ...patterns.get(query)! })
      await measureCalls(ours, texts, texts.length)
      await measureCalls(baseline, texts, texts.length)
      const times: { ours: number[]; baseline: number[] } = { ours: [], baseline: [] }
      const cpu: { ours: Cpu[]; baseline: Cpu[] } = { ours: [], baseline: [] }
      for (let round = 1; round <= rounds; round++) {
        log(`${caseName}, round ${round} of ${rounds}`)
        const before = readProcesses()
        times.baseline.push(...(await measureCalls(baseline, texts, CALLS_PER_ROUND)))
        const between = readProcesses()
        times.ours.push(...(await measureCalls(ours, texts, CALLS_PER_ROUND)))
        cpu.baseline.push(toPerCall(before, between))
        cpu.ours.push(toPerCall(between, readProcesses()))
      }
      const [p50Ms, baselineP50Ms] = [median(times.ours), median(times.baseline)]
      rows.push({
        ...{ case: caseName, ratio: baselineP50Ms / p50Ms, p50Ms, baselineP50Ms, rssMb: 0 },
        ...{ reqPerSec: null, baselineReqPerSec: null, p99Ms: Math.max(...times.ours) },
        nodeCpuUs: median(cpu.ours.map(({ node }) => node)),
        pgCpuUs: median(cpu.ours.map(({ postgres }) => postgres)),
        baselineNodeCpuUs: median(cpu.baseline.map(({ node }) => node)),
        baselinePgCpuUs: median(cpu.baseline.map(({ postgres }) => postgres)),
      })
    }
  }
  await owner.end()
  return rows
}

const toPerCall = (from: Cpu, to: Cpu): Cpu => ({
  node: (to.node - from.node) / CALLS_PER_ROUND,
  postgres: (to.postgres - from.postgres) / CALLS_PER_ROUND,
})

async function measureCalls(
  find: (query: string) => Promise<unknown>,
  texts: readonly string[],
  calls: number,
): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < calls; n++) {
    const startedAt = performance.now()
    await find(texts[n % texts.length]!)
    times.push(performance.now() - startedAt)
  }
  return times
}

type Search = { accountId: string; query: string; patterns: string[]; similarTo: string }

/** Returns the patterns that each query searches the indexes for. */
async function readPatterns(
  owner: Sql,
  queries: readonly string[],
): Promise<Map<string, Pick<Search, 'patterns' | 'similarTo'>>> {
  const rows = await owner<{ query: string; patterns: string[]; similarTo: string }[]>`
    select query, word_patterns(query) as patterns, search_key(query) as "similarTo"
      from unnest(${queries}::text[]) query`
  return new Map(rows.map(({ query, ...found }) => [query, found]))
}

/**
 * Lists the matching people. `offset 0` makes the planner use the word indexes instead of reading by time, which takes
 * seconds when few match.
 */
async function listBaseline(owner: Sql, { accountId, patterns, similarTo }: Search): Promise<unknown> {
  const matches = await owner`
    select *
      from (select id, first_name, last_name, email, created_at
              from persons
             where account_id = ${accountId} ${hasAll(owner, patterns)} offset 0) found
     order by created_at desc, id desc
     limit ${PAGE_SIZE + 1}`
  if (matches.length > 0) return matches
  return owner`
    select *
      from (select id, first_name, last_name, email, created_at
              from persons
             where account_id = ${accountId} and ${similarTo} <% search_text offset 0) found
     order by created_at desc, id desc
     limit ${PAGE_SIZE + 1}`
}

const hasAll = (owner: Sql, patterns: string[]) =>
  patterns.reduce((before, pattern) => owner`${before} and search_text like ${pattern}`, owner``)

const searchBaseline = async (owner: Sql, search: Search) => {
  const { accountId, query, patterns } = search
  const named = (table: string) => owner`
    select id from ${owner.identifier(table)} where account_id = ${accountId} ${hasAll(owner, patterns)} limit 5`
  return [
    await listBaseline(owner, search),
    await named('companies'),
    await named('campaigns'),
    await owner`
      select id
        from (select id, sent_at from email_messages
               where account_id = ${accountId} and type <> 'campaign'
                 and message_words(subject, coalesce(new_text, body)) @@ words_query(${query}) offset 0) found
       order by sent_at desc limit 5`,
  ]
}
