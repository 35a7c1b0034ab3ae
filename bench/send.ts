import { spawn } from 'node:child_process'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationName, Output, RawInput } from '../src/contract/index.ts'
import { invoke } from '../src/server/invoke.ts'
import type { App, Context } from '../src/server/kernel/context.ts'
import { analyzeGrownTables, type Sql } from '../src/server/kernel/db/database.ts'
import { account, getBaselineEmail, prospect, sender, step } from './mail.ts'
import { median, readCpu, readRssMb } from './measure.ts'
import type { Row } from './print.ts'
import { overture, spawnCommand } from './process.ts'
import { withoutSearchIndexes } from './seed.ts'

type Options = {
  app: App
  owner: Sql
  dataDir: string
  postmaster: number
  emails: number
  rounds: number
  log: (message: string) => void
}

type Run = { perSec: number; nodeCpuUs: number; pgCpuUs: number; rssMb: number }

const MAILBOXES = 32
/** The number of connections that the engine opens for these mailboxes. */
const CONNECTIONS = 3 * MAILBOXES
const CHUNK_SIZE = 1_000

/**
 * Measures one engine that sends a campaign's first step to Postfix's smtp-sink, which includes planning, claiming,
 * composing, gating and recording each email. The baseline is nodemailer's pool with the same email and as many
 * connections, which only composes and sends.
 */
export const measureSend = (options: Options): Promise<Row> =>
  measureRounds('send', options, port => runBaseline(options.app, port, options.emails))

/** Measures the cost of the search indexes for sending: the baseline sends the same emails without them. */
export const measureSendIndexes = (options: Options): Promise<Row> =>
  measureRounds('send:search-indexes', options, port =>
    withoutSearchIndexes(options.owner, () => runOurs(options, port)),
  )

async function measureRounds(
  caseName: string,
  options: Options,
  measureBaseline: (port: number) => Promise<Run>,
): Promise<Row> {
  const { rounds, log } = options
  await using sink = await openSink()
  const measured: { ours: Run; baseline: Run }[] = []
  for (let round = 1; round <= rounds; round++) {
    log(`${caseName}, round ${round} of ${rounds}`)
    const baseline = await measureBaseline(sink.port)
    const ours = await runOurs(options, sink.port)
    measured.push({ baseline, ours })
    log(`${ours.perSec.toFixed(0)} emails/s (baseline: ${baseline.perSec.toFixed(0)})`)
  }
  const medianBy = (read: (round: { ours: Run; baseline: Run }) => number) => median(measured.map(read))
  return {
    case: caseName,
    ratio: medianBy(({ ours, baseline }) => ours.perSec / baseline.perSec),
    reqPerSec: medianBy(({ ours }) => ours.perSec),
    baselineReqPerSec: medianBy(({ baseline }) => baseline.perSec),
    p50Ms: null,
    p99Ms: null,
    nodeCpuUs: medianBy(({ ours }) => ours.nodeCpuUs),
    pgCpuUs: medianBy(({ ours }) => ours.pgCpuUs),
    baselineNodeCpuUs: medianBy(({ baseline }) => baseline.nodeCpuUs),
    baselinePgCpuUs: medianBy(({ baseline }) => baseline.pgCpuUs),
    rssMb: medianBy(({ ours }) => ours.rssMb),
  }
}

async function runBaseline(app: App, port: number, emails: number): Promise<Run> {
  const child = spawnCommand([
    process.execPath,
    'baseline-send.ts',
    ...[port, emails, CONNECTIONS].map(String),
  ])
  child.stdin!.end(JSON.stringify(getBaselineEmail(app)))
  let node = 0
  const sampling = setInterval(() => {
    node = Math.max(node, readCpu({ node: child.pid!, postmaster: 0 }).node)
  }, 50)
  const [output] = await Promise.all([text(child.stdout!), once(child, 'exit')])
  clearInterval(sampling)
  return { perSec: Number(output), nodeCpuUs: node / emails, pgCpuUs: 0, rssMb: 0 }
}

/** Runs an engine. Computes the rate from the times at which the first and the last email were recorded as sent. */
async function runOurs({ app, owner, dataDir, postmaster, emails }: Options, port: number): Promise<Run> {
  const accountId = await createCampaignToSend(app, port, emails)
  // Engines also update the statistics of grown tables periodically.
  await analyzeGrownTables(owner)
  const before = readCpu({ node: 0, postmaster })
  const child = spawnCommand(
    [overture, 'serve', '--role', 'engine', '--json', '--data', dataDir, '--log-level', 'silent'],
    { ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  )
  child.stdout!.resume()
  const ended = once(child, 'exit')
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error('The engine exited before it had sent all emails.')
      await sleep(1_000)
      const [row] = await owner<{ sent: number; seconds: number }[]>`
        select count(*)::int as sent, extract(epoch from max(ended_at) - min(ended_at))::float8 as seconds
          from email_sends where account_id = ${accountId} and state = 'sent'`
      if (row!.sent < emails) continue
      const after = readCpu({ node: child.pid!, postmaster })
      const pgCpuUs = (after.postgres - before.postgres) / emails
      return {
        perSec: emails / row!.seconds,
        nodeCpuUs: after.node / emails,
        pgCpuUs,
        rssMb: readRssMb(child.pid!),
      }
    }
  } finally {
    child.kill()
    await ended
  }
}

/** Creates an account with a launched campaign to `emails` people. */
async function createCampaignToSend(app: App, port: number, emails: number): Promise<string> {
  const [accountId, userId] = [randomUUIDv7(), randomUUIDv7()]
  await app.db.auth.begin(async sql => {
    await sql`insert into accounts (id, name) values (${accountId}, 'Acme')`
    await sql`insert into users (id, email, name) values (${userId}, ${`${userId}@acme.example`}, 'Owner')`
    await sql`insert into members (account_id, user_id, role) values (${accountId}, ${userId}, 'owner')`
  })
  const ctx: Context = {
    ...{ app, sql: app.db.app, accountId, userId, role: 'owner', actor: 'bench' },
    ...{ isReadOnly: false, requestId: 'bench', afterCommit: () => {} },
  }
  const call = async <N extends OperationName>(name: N, input: RawInput<N>): Promise<Output<N>> =>
    JSON.parse((await invoke(ctx, { name, input })).text)
  await call('updateAccount', account)
  const repIds: string[] = []
  for (let n = 0; n < MAILBOXES; n++) {
    const { id: repId } = await call('createRep', { name: sender.name })
    const smtp = { host: '127.0.0.1', port, tls: 'none' } as const
    const email = sender.address.replace('0', String(n))
    const { id: mailboxId } = await call('createMailbox', { repId, kind: 'smtp', email, smtp })
    await call('verifyMailbox', { mailboxId })
    repIds.push(repId)
  }
  const { id: campaignId } = await call('createCampaign', { name: 'Bench', repIds, steps: [step] })
  for (let from = 0; from < emails; from += CHUNK_SIZE) {
    const rows = Array.from(
      { length: Math.min(CHUNK_SIZE, emails - from) },
      (_, n) => `${prospect.firstName},ada${from + n}@${prospect.domain}`,
    )
    await call('importProspects', { campaignId, csv: `First Name,Email\n${rows.join('\n')}\n` })
  }
  await call('launchCampaign', { campaignId })
  return accountId
}

async function openSink(): Promise<AsyncDisposable & { port: number }> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as { port: number }
  free.close()
  await once(free, 'close')
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const child = spawn('smtp-sink', [...asRoot, `127.0.0.1:${port}`, '1000'], { stdio: 'ignore', env })
  child.once('error', () => {
    throw new Error('The case "send" needs smtp-sink: install Postfix.')
  })
  await once(child, 'spawn')
  await sleep(500)
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
