import { once } from 'node:events'
import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { checkDeliveries, tally } from '../support/mail/sink-tally.ts'
import { hasSmtpSink, SmtpSink } from '../support/mail/smtp-sink.ts'
import {
  type Api,
  createApi,
  type Installed,
  listAll,
  makeInstallation,
  makeMailbox,
  makeToken,
  type Served,
} from '../support/processes/installed.ts'
import { randomFrom } from '../support/random.ts'

const KILLS = 3
const EMAILS_PER_CAMPAIGN = 24

const getFileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

describe.skipIf(!hasSmtpSink())('kill -9', () => {
  const random = randomFrom('KILL_SEED')
  let scratch: Awaited<ReturnType<typeof makeScratch>>
  let sink: SmtpSink
  let installed: Installed
  let served: Served
  let api: Api

  beforeAll(async () => {
    scratch = await makeScratch()
    // Replies to each final dot after a second: a kill in between leaves the email unconfirmed.
    sink = await SmtpSink.open(['-W', '.:1'])
    installed = makeInstallation(join(scratch.dir, 'data'))
    const token = await makeToken(installed)
    api = createApi(() => served.url, token)
    served = await installed.serve()
    await api('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  })
  afterAll(async () => {
    await served?.stop()
    await sink?.[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  it('killing an import loses no row, and nobody is added twice when the file is imported again', async () => {
    const emails = Array.from({ length: 12_000 }, (_, n) => `row${n}@import.example`)
    const file = join(scratch.dir, 'rows.csv')
    await writeFile(file, `First Name,Email\n${emails.map((email, n) => `Row${n},${email}`).join('\n')}\n`)
    const { id: campaignId } = await api('createCampaign', { name: 'Imported' })
    const args = ['import', 'prospects', '--campaign', campaignId, '--json', file]
    // Without a server, the command starts the database, which the next command finds running after a kill.
    await served.stop()
    for (let kill = 0; kill < KILLS; kill += 1) {
      const result = `${file}.${kill}.csv`
      const command = installed.startOverture([...args, '--result', result])
      const ended = once(command, 'exit')
      // The first command is killed before it has reported a row, the others afterwards.
      const minBytes = kill === 0 ? 0 : 100
      await vi.waitFor(() => expect(getFileSize(result)).toBeGreaterThan(minBytes), {
        timeout: 180_000,
        interval: 10,
      })
      await sleep(random() * 500)
      command.kill('SIGKILL')
      await ended
    }
    const { total, outcomes } = JSON.parse(await installed.overture(args))
    expect(total).toBe(emails.length)
    expect(Object.keys(outcomes).sort()).toEqual(['added', 'already_in_campaign'])
    served = await installed.serve()
    const people = await listAll(api, 'listPersons', {})
    expect(people.map(person => person.email).sort()).toEqual(emails.toSorted())
    const prospects = await listAll(api, 'listProspects', { campaignId })
    expect(new Set(prospects.map(prospect => prospect.personId)).size).toBe(emails.length)
    expect(prospects).toHaveLength(emails.length)
  })

  it('killing the process while it sends loses nothing and sends nothing twice, and work continues after the lease', async () => {
    const campaigns: { campaignId: string; emails: string[] }[] = []
    for (let round = 0; round <= KILLS; round += 1) {
      const email = `ada${round}@acme.example`
      const { repId } = await makeMailbox(installed, { name: `Ada ${round}`, email, port: sink.port })
      const { id: campaignId } = await api('createCampaign', {
        name: `Round ${round}`,
        repIds: [repId],
        steps: [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
      })
      const emails = Array.from({ length: EMAILS_PER_CAMPAIGN }, (_, n) => `person${n}@round${round}.example`)
      const csv = `First Name,Email\n${emails.map(each => `Person,${each}`).join('\n')}`
      await api('importProspects', { campaignId, csv })
      campaigns.push({ campaignId, emails })
    }
    // Each kill hits a different campaign, whose mailbox isn't blocked by an earlier kill.
    for (const [round, { campaignId, emails }] of campaigns.entries()) {
      await api('launchCampaign', { campaignId })
      if (round === KILLS) break
      await vi.waitFor(async () => expect((await tally(sink)).byAddress.has(emails[0]!)).toBe(true), {
        timeout: 180_000,
        interval: 50,
      })
      await sleep(random() * 2_000)
      await served.kill()
      served = await installed.serve()
    }
    for (const { campaignId } of campaigns) {
      await vi.waitFor(
        async () => expect((await api('getCampaign', { campaignId })).status).toBe('completed'),
        { timeout: 120_000, interval: 500 },
      )
    }
    let unconfirmed = 0
    for (const campaign of campaigns) {
      const counts = await checkDeliveries(api, sink, campaign)
      expect(counts.sent + counts.unconfirmed).toBe(EMAILS_PER_CAMPAIGN)
      unconfirmed += counts.unconfirmed
    }
    // At most twelve emails of a mailbox are in flight, so a kill leaves at most twelve unconfirmed.
    expect(unconfirmed).toBeLessThanOrEqual(12 * KILLS)
  })
})
