import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../src/server/email/sandbox.ts'
import { SmtpPools } from '../src/server/engine/smtp-pools.ts'
import { aCaller, type Caller, callerOf, openTestApp, type TestApp } from './support/app.ts'
import { tick } from './support/tick.ts'

const MAILS = 1_200
const MAILBOXES = 8
const tables = ['email_sends', 'email_messages', 'email_threads', 'prospects', 'persons']

let app: TestApp
let sandbox: Sandbox
const pools = new SmtpPools()
beforeAll(async () => {
  const opened = await openTestApp()
  sandbox = await openSandbox({ dir: join(opened.dataDir, 'sandbox') })
  app = { ...opened, sandbox }
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function anOwner(): Promise<{ owner: Caller; repIds: string[] }> {
  const { accountId, userId } = await aCaller(app)
  const owner = callerOf(app, { accountId, userId, role: 'owner', actor: 'test', isReadOnly: false })
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const repIds: string[] = []
  for (let n = 0; n < MAILBOXES; n++) {
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    await owner.call('createMailbox', { repId, kind: 'sandbox', email: `ada${n}-${accountId}@acme.example` })
    repIds.push(repId)
  }
  return { owner, repIds }
}

/** A campaign to so many people, ready to be sent. */
async function launchCampaign({ owner, repIds }: Awaited<ReturnType<typeof anOwner>>, people: number) {
  const steps = [{ subject: 'An hour a day', body: 'Hi {{ firstName }}' }]
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds, steps })
  const rows = Array.from({ length: people }, (_, n) => `Grace,${campaignId}-${n}@people.example`)
  await owner.call('importProspects', { campaignId, csv: `First Name,Email\n${rows.join('\n')}\n` })
  await owner.call('launchCampaign', { campaignId })
  return async () => {
    for (;;) {
      const begun = await tick(app, pools)
      await Promise.all(begun.map(({ done }) => done))
      const { status } = await owner.call('getCampaign', { campaignId })
      if (status === 'completed') return
    }
  }
}

/** As far as sessions told, which each does once a second when it has something to do. */
async function rowsRead(): Promise<Record<string, number>> {
  await sleep(1_100)
  const everyone = [app.db.app, app.db.work, app.db.gate, app.db.engine]
  await Promise.all(everyone.flatMap(pool => Array.from({ length: 10 }, () => pool`select pg_sleep(0.05)`)))
  const rows = await app.owner<{ name: string; read: number }[]>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read
      from pg_stat_user_tables where relname = any(${tables})`
  return Object.fromEntries(rows.map(({ name, read }) => [name, read]))
}

it('a mail reads what is its own, not what its account has, by plans that were made when that was little', async () => {
  const acme = await anOwner()
  await (await launchCampaign(acme, 20))()
  const send = await launchCampaign(acme, MAILS)
  // Whatever was planned before is planned anew, for so few.
  await app.owner`analyze email_sends, email_messages, email_threads`
  const before = await rowsRead()
  await send()
  const after = await rowsRead()
  // Where the account is small, two of a batch's statements read all its prospects at once: twelve for each mail.
  for (const table of tables) expect((after[table]! - before[table]!) / MAILS, table).toBeLessThan(200)
}, 120_000)
