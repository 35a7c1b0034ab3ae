import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openExportWorker } from '../../src/server/engine/exports/export-worker.ts'
import { openTestServer } from '../support/http/server.ts'
import { deliverDueEvents, isSigned, WebhookReceiver } from '../support/http/webhook-receiver.ts'
import { makeReply } from '../support/mail/answers.ts'
import { openPostOffice } from '../support/mail/correspondence.ts'
import { isMissing } from '../support/processes/environment.ts'
import { openTerminal } from '../support/processes/guide.ts'

const TIMEOUT_MS = 600_000

/** A date in the guide that has to be in the future. */
const expiry = '2027-06-30T00:00:00Z'

/** Returns the shell blocks of each task, keyed by its number. Those before the first task have the key ''. */
async function readBlocks(): Promise<Record<string, string[]>> {
  const guide = await readFile(join(import.meta.dirname, '../../docs/api-guide.md'), 'utf8')
  const [start = '', ...sections] = guide.split(/^## /m)
  const blocks = (text: string) => [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  const named = sections.map(text => [/^\d+/.exec(text)![0], blocks(text)] as const)
  return { '': blocks(start), ...Object.fromEntries(named) }
}

it.skipIf(isMissing('jq'))(
  "the API guide's twelve tasks work as printed",
  async () => {
    await using server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    await using post = await openPostOffice(server.app)
    await using receiver = await WebhookReceiver.open()
    await using _worker = openExportWorker(server.app)
    const { owner, campaignId, receive, sent } = await post.write(1, [
      { subject: 'Hello', body: 'Hi {{ firstName }}' },
      { delay: { amount: 3, unit: 'days' }, body: 'Did you see this?' },
    ])
    await using terminal = await openTerminal(server.url, await server.createToken(owner))
    const blocks = await readBlocks()
    expect(Object.keys(blocks)).toHaveLength(13)
    const run = async (task: string) => {
      const results: unknown[] = []
      for (const block of blocks[task]!) results.push(...(await terminal.run(block)))
      return results
    }

    expect(await run('')).toMatchObject([{ user: { id: owner.userId }, token: { name: 'test' } }])
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    expect(await terminal.run(blocks['1']![0]!.replace(expiry, expiresAt))).toMatchObject([
      { isReadOnly: true, token: { name: 'CRM sync', expiresAt } },
      'Refused: the token is read-only.',
    ])
    const [conflict, updated] = await run('2')
    const [grace] = (await owner.call('listPersons', { email: 'grace@navy.example' })).data
    expect(conflict).toMatchObject({ error: 'Conflict', details: [{ path: 'personId', message: grace!.id }] })
    expect(updated).toMatchObject({ id: grace!.id, title: 'Rear Admiral', timezone: 'America/New_York' })
    expect(await run('3')).toMatchObject([{ data: [{ campaignId }] }])
    expect(await run('4')).toMatchObject([{ key: 'plan' }, { id: grace!.id, custom: { plan: 'Team' } }])
    expect(await run('5')).toMatchObject([
      { data: [{ outcome: 'added', personId: grace!.id }, { outcome: 'added' }], added: 2 },
      { data: [{ campaignId, person: { email: 'alan@bletchley.example' } }] },
    ])
    await post.worker.work()

    const [webhook, poll, read] = blocks['6']!
    const [created] = await terminal.run(
      webhook!.replace('https://crm.acme.example/overture', receiver.url()),
    )
    await terminal.run(poll!)
    const mail = (await post.mails()).find(({ to }) => to === 'grace@navy.example')!
    await receive(makeReply(mail, 'Yes, on Thursday.'))
    await deliverDueEvents(server.app)
    expect(receiver.posted.map(({ event }) => event.type).sort()).toEqual([
      'email.received',
      'prospect.replied',
    ])
    for (const posted of receiver.posted)
      expect(isSigned(posted, (created as { secret: string }).secret)).toBe(true)
    // Events appear once all older transactions of the database server have ended, including those of other tests.
    await vi.waitFor(async () => {
      const { data } = await owner.call('listEvents', { types: ['email.received'] })
      expect(data).toHaveLength(1)
    }, 180_000)
    expect(await terminal.run(read!)).toMatchObject([{ newText: 'Yes, on Thursday.' }])

    expect(await run('7')).toMatchObject([
      { status: 'draft', recipients: { to: [{ email: 'grace@navy.example' }] } },
      { deliveryStatus: 'queued' },
    ])
    await post.worker.work()
    expect((await post.mails()).at(-1)!.mail.text).toContain('Thursday suits me well.')

    expect(await run('8')).toMatchObject([
      { added: 2, pausedProspects: 1, inFlight: 0 },
      {
        data: expect.arrayContaining(
          ['rival.example', 'alan@bletchley.example'].map(identifier =>
            expect.objectContaining({ identifier }),
          ),
        ),
      },
    ])
    const [problems, paused, resumed] = await run('9')
    expect(problems).toMatchObject({ data: expect.any(Array) })
    expect(paused).toMatchObject({ sendingPauseReason: 'Wrong price in step 2', inFlight: 0 })
    expect(resumed).not.toHaveProperty('sendingPausedAt')

    const [report, lines] = await run('10')
    expect(report).toMatchObject({ total: { contacted: 3, replied: 1 }, data: [{ key: campaignId }] })
    expect(Number(/\d+/.exec(lines as string)![0])).toBeGreaterThan(1)
    const counted = (await run('11')) as string[]
    const rows = counted.map(line => Number(/\d+/.exec(line)![0]))
    expect(rows.slice(0, 4)).toEqual([4, 4, expect.any(Number), 3])
    expect(await sent()).toHaveLength(1)
    expect(await run('12')).toEqual([{ ok: true, inFlight: 0 }])
    expect((await owner.call('listPersons', { query: 'grace' })).data).toEqual([])
  },
  TIMEOUT_MS,
)
