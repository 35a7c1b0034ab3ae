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
import { account, bareMail, prospect, sender, step } from './mail.ts'
import { cpuOf, median, rssMbOf } from './measure.ts'
import type { Row } from './print.ts'
import { overture, spawnHere } from './process.ts'

type Options = {
  app: App
  owner: Sql
  dataDir: string
  postmaster: number
  mails: number
  rounds: number
  say: (message: string) => void
}

type Run = { perSec: number; nodeCpuUs: number; pgCpuUs: number; rssMb: number }

const MAILBOXES = 32
/** As many as the engine opens for so many mailboxes. */
const CONNECTIONS = 3 * MAILBOXES
const CHUNK = 1_000

/**
 * A campaign's first step into Postfix's smtp-sink: planned, claimed, composed, gated and recorded by one engine; the
 * limit is nodemailer's own pool with the same mail and as many connections, which does nothing of it but compose and
 * send.
 */
export async function measureSend({ rounds, say, ...options }: Options): Promise<Row> {
  const { app, owner, dataDir, postmaster, mails } = options
  await using sink = await openSink()
  const measured: { ours: Run; limit: Run }[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`send, round ${round} of ${rounds}`)
    const limit = await bareRun(app, sink.port, mails)
    const accountId = await aCampaign(app, sink.port, mails)
    const ours = await ourRun(owner, { accountId, dataDir, postmaster, mails })
    measured.push({ limit, ours })
    say(`${ours.perSec.toFixed(0)} of ${limit.perSec.toFixed(0)} mails a second`)
  }
  const of = (read: (round: { ours: Run; limit: Run }) => number) => median(measured.map(read))
  return {
    case: 'send',
    ratio: of(({ ours, limit }) => ours.perSec / limit.perSec),
    reqPerSec: of(({ ours }) => ours.perSec),
    limitReqPerSec: of(({ limit }) => limit.perSec),
    p50Ms: null,
    p99Ms: null,
    nodeCpuUs: of(({ ours }) => ours.nodeCpuUs),
    pgCpuUs: of(({ ours }) => ours.pgCpuUs),
    limitNodeCpuUs: of(({ limit }) => limit.nodeCpuUs),
    limitPgCpuUs: 0,
    rssMb: of(({ ours }) => ours.rssMb),
  }
}

async function bareRun(app: App, port: number, mails: number): Promise<Run> {
  const child = spawnHere([process.execPath, 'bare-send.ts', ...[port, mails, CONNECTIONS].map(String)])
  child.stdin!.end(JSON.stringify(bareMail(app)))
  let node = 0
  const sampling = setInterval(() => {
    node = Math.max(node, cpuOf({ node: child.pid!, postmaster: 0 }).node)
  }, 50)
  const [said] = await Promise.all([text(child.stdout!), once(child, 'exit')])
  clearInterval(sampling)
  return { perSec: Number(said), nodeCpuUs: node / mails, pgCpuUs: 0, rssMb: 0 }
}

/** The rate is the database's own: from the first mail that was recorded as sent to the last. */
async function ourRun(
  owner: Sql,
  {
    accountId,
    dataDir,
    postmaster,
    mails,
  }: Omit<Options, 'app' | 'owner' | 'rounds' | 'say'> & { accountId: string },
): Promise<Run> {
  // What an engine does now and then.
  await analyzeGrownTables(owner)
  const before = cpuOf({ node: 0, postmaster })
  const child = spawnHere(
    [overture, 'serve', '--role', 'engine', '--json', '--data', dataDir, '--log-level', 'silent'],
    { ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  )
  child.stdout!.resume()
  const ended = once(child, 'exit')
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error('the engine ended before it had sent everything')
      await sleep(1_000)
      const [row] = await owner<{ sent: number; seconds: number }[]>`
        select count(*)::int as sent, extract(epoch from max(ended_at) - min(ended_at))::float8 as seconds
          from email_sends where account_id = ${accountId} and state = 'sent'`
      if (row!.sent < mails) continue
      const after = cpuOf({ node: child.pid!, postmaster })
      const pgCpuUs = (after.postgres - before.postgres) / mails
      return {
        perSec: mails / row!.seconds,
        nodeCpuUs: after.node / mails,
        pgCpuUs,
        rssMb: rssMbOf(child.pid!),
      }
    }
  } finally {
    child.kill()
    await ended
  }
}

/** An account of its own with a launched campaign to so many people. */
async function aCampaign(app: App, port: number, mails: number): Promise<string> {
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
  for (let from = 0; from < mails; from += CHUNK) {
    const rows = Array.from(
      { length: Math.min(CHUNK, mails - from) },
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
