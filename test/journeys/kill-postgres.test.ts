import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LEASE_MS } from '../../src/server/engine/attempt/lease.ts'
import { lockFile } from '../../src/server/postgres/folder-lock.ts'
import { killServer, makeScratch } from '../support/db/postgres-processes.ts'
import { checkDeliveries, tally } from '../support/mail/sink-tally.ts'
import { hasSmtpSink, SmtpSink } from '../support/mail/smtp-sink.ts'
import {
  type Api,
  createApi,
  makeInstallation,
  makeMailbox,
  makeToken,
  type Served,
} from '../support/processes/installed.ts'
import { randomFrom } from '../support/random.ts'

const emails = Array.from({ length: 40 }, (_, n) => `person${n}@people.example`)

describe.skipIf(!hasSmtpSink())(
  'after kill -9 of PostgreSQL and an outage longer than a lease, while emails are being sent,',
  () => {
    const random = randomFrom('POSTGRES_KILL_SEED')
    let scratch: Awaited<ReturnType<typeof makeScratch>>
    let dataDir: string
    let sink: SmtpSink
    let served: Served
    let api: Api
    let campaignId: string

    beforeAll(async () => {
      scratch = await makeScratch()
      dataDir = join(scratch.dir, 'data')
      // Replies to each final dot after a second.
      sink = await SmtpSink.open(['-W', '.:1'])
      const installed = makeInstallation(dataDir)
      const token = await makeToken(installed)
      const { repId } = await makeMailbox(installed, {
        name: 'Ada',
        email: 'ada@acme.example',
        port: sink.port,
      })
      served = await installed.serve()
      api = createApi(() => served.url, token)
      await api('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
      const campaign = await api('createCampaign', {
        name: 'Spring',
        repIds: [repId],
        steps: [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
      })
      campaignId = campaign.id
      const csv = `First Name,Email\n${emails.map(email => `Person,${email}`).join('\n')}`
      await api('importProspects', { campaignId, csv })
    })
    afterAll(async () => {
      await served?.stop()
      await sink?.[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    })

    it('the same process continues and sends every email exactly once, with none unconfirmed', async () => {
      await api('launchCampaign', { campaignId })
      const hasArrived = async (count: number) => (await tally(sink)).messageIds.length >= count
      await vi.waitFor(async () => expect(await hasArrived(3)).toBe(true), { timeout: 180_000, interval: 50 })
      await sleep(random() * 2_000)
      {
        // Prevents the restart until all leases have ended.
        using _lock = await lockFile(join(dataDir, 'postgres/lock'), 60_000)
        killServer(dataDir)
        await sleep(LEASE_MS)
      }
      // The server recovers by itself.
      await vi.waitFor(
        async () => expect((await api('getCampaign', { campaignId })).status).toBe('completed'),
        { timeout: 180_000, interval: 500 },
      )
      // The process still knows which emails it sends and how the mail server replied, so it leaves none unconfirmed.
      await expect
        .poll(() => checkDeliveries(api, sink, { campaignId, emails }))
        .toEqual({ sent: emails.length, unconfirmed: 0, lost: 0 })
    })
  },
)
