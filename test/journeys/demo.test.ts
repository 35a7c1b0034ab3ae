import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callOutcomes, callTypes } from '../../src/contract/calls.ts'
import { campaignStatuses } from '../../src/contract/campaigns.ts'
import { identifierTypes } from '../../src/contract/dnc.ts'
import { messageStatuses, messageTypes } from '../../src/contract/inbox.ts'
import type { OperationName } from '../../src/contract/index.ts'
import { makeScratch, readServerPid, waitForExit } from '../support/db/postgres-processes.ts'
import { openDemoProcess, type RunningDemo, startDemo } from '../support/processes/demo.ts'
import { environment, isMissing } from '../support/processes/environment.ts'

const WAIT = { timeout: 180_000, interval: 200 }

let scratch: Awaited<ReturnType<typeof makeScratch>>
let dataDir: string
let demo: RunningDemo
beforeAll(async () => {
  scratch = await makeScratch()
  dataDir = join(scratch.dir, 'data')
  demo = await openDemoProcess(dataDir)
})
afterAll(async () => {
  await demo?.stop()
  await scratch[Symbol.asyncDispose]()
})

const run = async (command: string): Promise<unknown> => {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { env: environment() })
  return JSON.parse(stdout)
}

const lists = [
  'listCampaigns',
  'listProspects',
  'listPersons',
  'listCompanies',
  'listEmailMessages',
  'listLinkedinMessages',
  'listTags',
  'listReps',
  'listMailboxes',
  'listOptOuts',
  'listCalls',
  'listAssistants',
] as const satisfies OperationName[]

/** Reads every item of a list. */
async function listAll(on: RunningDemo, as: string, name: (typeof lists)[number], accountId?: string) {
  const items: { id: string }[] = []
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const page = await on.call(as, name, { limit: 100, cursor }, accountId)
    items.push(...page.data)
    cursor = page.next
    isLast = cursor === undefined
  }
  return items
}

const acmeId = async () => (await demo.call('manager', 'getAccount', {})).id
const globexId = async () => (await demo.call('rival', 'getAccount', {})).id

const emailFiles = () => globSync('sandbox/*/*.eml', { cwd: dataDir })

describe('the demo', () => {
  it.skipIf(isMissing('curl'))('prints commands that work when copied', async () => {
    const [watch, numbers, add, asOwner] = demo.commands
    await vi.waitFor(async () => {
      expect(await run(watch!)).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ type: 'campaign' })]),
      })
    }, WAIT)
    expect(await run(numbers!)).toMatchObject({ objectType: 'campaign_stats' })
    expect(await run(add!)).toMatchObject({ added: 1, data: [{ outcome: 'added' }] })
    expect(await run(asOwner!)).toMatchObject({ data: expect.any(Array), hasMore: false })
    await vi.waitFor(() => expect(emailFiles().join()).toContain('ada@analytical.example'), WAIT)
  })

  it('sends emails that appear in the inbox and in the sandbox folder', async () => {
    const before = new Date()
    const newest = await vi.waitFor(async () => {
      const { data } = await demo.call('manager', 'listEmailMessages', {
        type: 'campaign',
        status: 'sent',
        limit: 1,
      })
      expect(new Date(data[0]!.sentAt) > before).toBe(true)
      return data[0]!
    }, WAIT)
    expect(newest.body).toContain(newest.from!.name)
    expect(emailFiles().join()).toContain(newest.recipients.to[0]!.email)
  })

  it('simulates replies, out-of-office replies, bounces, complaints and opt-outs, which the campaign statistics count', async () => {
    const { data: campaigns } = await demo.call('manager', 'listCampaigns', {
      status: ['active'],
      limit: 100,
    })
    const { id: campaignId } = campaigns.find(({ name }) => name === 'Two-week logger trial')!
    await vi.waitFor(
      async () => {
        const { data } = await demo.call('manager', 'listProspects', { campaignId, limit: 100 })
        const statuses = new Set(data.map(({ status }) => status))
        expect(statuses).toEqual(
          statuses.union(new Set(['replied', 'out_of_office', 'bounced', 'opted_out'])),
        )
        const stats = await demo.call('manager', 'getCampaignStats', { campaignId })
        for (const name of ['replied', 'autoReplied', 'bouncedHard', 'complaints'] as const)
          expect(stats[name], name).toBeGreaterThan(0)
      },
      { timeout: 120_000, interval: 500 },
    )
    const { data: received } = await demo.call('manager', 'listEmailMessages', {
      campaignId,
      type: 'received',
    })
    const thread = await demo.call('manager', 'getEmailThread', {
      emailThreadId: received[0]!.emailThreadId!,
    })
    expect(thread.messages.map(({ type }) => type)).toEqual(expect.arrayContaining(['campaign', 'received']))
  })

  it('sends events to its webhook page, which rejects forged requests', async () => {
    const page = `${demo.url}/demo/webhooks`
    const readItems = async () => {
      const text = await (await fetch(page)).text()
      return text.split('<li ').slice(1)
    }
    await demo.call('admin', 'addOptOuts', {
      identifiers: [{ identifier: 'grace@webhook.example' }],
    })
    const findItem = (id: string) => async () => {
      const item = (await readItems()).find(each => each.includes(id))
      expect(item).toBeDefined()
      return item!
    }
    const item = await vi.waitFor(findItem('grace@webhook.example'), WAIT)
    expect(item).toContain('<b>opt_out.added</b>')
    expect(item).toContain('>Verified<')

    const { data: webhooks } = await demo.call('admin', 'listWebhooks', {})
    expect(webhooks).toMatchObject([{ url: expect.stringMatching(/\/demo\/webhooks$/), failures: 0 }])
    const forged = await fetch(page, {
      method: 'POST',
      headers: { 'webhook-id': 'forged', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) },
      body: '{"type":"<script>alert(1)</script>"}',
    })
    expect(forged.status).toBe(401)
    const refused = await findItem('forged')()
    expect(refused).toContain('Not verified')
    expect(refused).not.toContain('<script>')
  })

  it('allows each role exactly its permissions', async () => {
    const { data: campaigns } = await demo.call('viewer', 'listCampaigns', { status: ['draft'] })
    const { data: optOuts } = await demo.call('viewer', 'listOptOuts', { limit: 1 })
    const statuses = async (
      ...attempt: Parameters<RunningDemo['status']> extends [string, ...infer R] ? R : never
    ) =>
      Object.fromEntries(
        await Promise.all(
          ['viewer', 'member', 'manager', 'admin'].map(async role => [
            role,
            await demo.status(role, ...attempt),
          ]),
        ),
      )
    expect(await statuses('listEmailMessages', {})).toEqual({
      viewer: 200,
      member: 200,
      manager: 200,
      admin: 200,
    })
    expect(await statuses('addOptOuts', { identifiers: [{ identifier: optOuts[0]!.identifier }] })).toEqual({
      viewer: 403,
      member: 200,
      manager: 200,
      admin: 200,
    })
    expect(
      await statuses('updateCampaign', { campaignId: campaigns[0]!.id, name: campaigns[0]!.name }),
    ).toEqual({
      viewer: 403,
      member: 403,
      manager: 200,
      admin: 200,
    })
    expect(await statuses('updateAccount', { name: 'Acme' })).toEqual({
      viewer: 403,
      member: 403,
      manager: 403,
      admin: 200,
    })
  })

  it('shows a member the messages and calls of their own rep, and a viewer all of them', async () => {
    const repsIn = async (as: string) => {
      const { data } = await demo.call(as, 'listEmailMessages', { limit: 100 })
      return new Set(data.map(message => message.repId))
    }
    const { data: reps } = await demo.call('viewer', 'listReps', {})
    // One rep has no working mailbox.
    const writers = reps.filter(({ name }) => name !== 'Inês Faria')
    expect([reps.length, writers.length]).toEqual([4, 3])
    expect(await repsIn('viewer')).toEqual(new Set(writers.map(rep => rep.id)))
    const own = await repsIn('member')
    expect(own.size).toBe(1)
    expect(reps.find(rep => own.has(rep.id))?.email).toBe('tomas@acme.example')
    const countCalls = async (as: string) => (await listAll(demo, as, 'listCalls')).length
    expect(await countCalls('member')).toBeLessThan(await countCalls('viewer'))
  })

  it('requires users who belong to both accounts to specify the account', async () => {
    expect(await demo.status('owner', 'listCampaigns', {})).toBe(401)
    for (const id of [await acmeId(), await globexId()]) {
      expect((await demo.call('owner', 'getAccount', {}, id)).id).toBe(id)
    }
    expect(await demo.status('rival', 'getAccount', {}, await acmeId())).toBe(401)
  })

  it.each(lists)('keeps the accounts separate in %s', async name => {
    const acme = await listAll(demo, 'admin', name)
    const globex = await listAll(demo, 'rival', name)
    expect(acme.length).toBeGreaterThan(0)
    expect(new Set(acme.map(item => item.id)).isDisjointFrom(new Set(globex.map(item => item.id)))).toBe(true)
    expect(await listAll(demo, 'owner', name, await globexId())).toEqual(globex)
  })

  it('has messages of every type and status, including undelivered ones', async () => {
    for (const list of ['listEmailMessages', 'listLinkedinMessages'] as const) {
      for (const type of messageTypes) {
        expect(
          (await demo.call('admin', list, { type, status: 'sent' })).data,
          `${list} ${type}`,
        ).not.toEqual([])
      }
      for (const status of messageStatuses) {
        expect((await demo.call('admin', list, { status })).data, `${list} ${status}`).not.toEqual([])
      }
    }
    type Message = { id: string; type: string; status: string; deliveryStatus?: string }
    const all = (await listAll(demo, 'admin', 'listEmailMessages')) as Message[]
    const drafts = all.filter(({ status }) => status === 'draft')
    expect(new Set(drafts.map(({ type }) => type))).toEqual(new Set(['manual', 'reply_agent']))
    expect([...new Set(all.map(message => message.deliveryStatus))]).toEqual(
      expect.arrayContaining(['unconfirmed', 'failed', 'suppressed']),
    )
    expect((await demo.call('admin', 'listLinkedinMessages', { unread: true })).data.length).toBeGreaterThan(
      3,
    )
  })

  it('has exactly one last message for each thread, and some of these are replies from prospects', async () => {
    const last = await demo.call('admin', 'listEmailMessages', { onlyLastMessagePerThread: true, limit: 100 })
    const threads = last.data.map(message => message.emailThreadId)
    expect(new Set(threads).size).toBe(threads.length)
    expect(last.data.filter(message => message.type === 'received').length).toBeGreaterThan(3)
  })

  it('has tagged threads that are found by their tag', async () => {
    const { data: tags } = await demo.call('admin', 'listTags', { limit: 100 })
    for (const { name } of tags) {
      const emails = await demo.call('admin', 'listEmailMessages', { tag: name })
      const onLinkedin = await demo.call('admin', 'listLinkedinMessages', { tag: name })
      const found = [...emails.data, ...onLinkedin.data]
      expect(found.length, name).toBeGreaterThan(0)
      expect(found.every(message => message.tags?.includes(name))).toBe(true)
    }
  })

  it('has a campaign of each status and an archived one', async () => {
    const { data } = await demo.call('admin', 'listCampaigns', { limit: 100 })
    expect(new Set(data.map(campaign => campaign.status))).toEqual(new Set(campaignStatuses))
    expect(data.filter(campaign => campaign.isArchived)).toHaveLength(1)
  })

  it('has calls of every type and outcome, with transcripts, and a queued one', async () => {
    const { data } = await demo.call('admin', 'listCalls', { limit: 100 })
    expect(new Set(data.map(call => call.callType))).toEqual(new Set(callTypes))
    expect(new Set(data.flatMap(call => call.outcome ?? []))).toEqual(new Set(callOutcomes))
    expect(data.filter(call => call.summary && call.transcript && call.duration).length).toBeGreaterThan(2)
    expect(data.filter(call => call.status === 'queued' && call.notBefore)).toHaveLength(1)
  })

  it('has a Do Not Contact entry of every kind', async () => {
    const { data } = await demo.call('admin', 'listOptOuts', { limit: 100 })
    expect(new Set(data.map(entry => entry.identifierType))).toEqual(new Set(identifierTypes))
  })

  it('continues with the same data after Ctrl-C, which leaves no process behind', async () => {
    const ids = async (name: (typeof lists)[number]) =>
      (await listAll(demo, 'admin', name)).map(item => item.id)
    const [persons, messages] = [await ids('listPersons'), await ids('listEmailMessages')]
    const { tokens } = demo
    const postgres = readServerPid(dataDir)
    expect(await demo.stop()).toBe(0)
    await waitForExit(postgres)

    demo = await openDemoProcess(dataDir)
    expect(demo.tokens).toEqual(tokens)
    expect(await ids('listPersons')).toEqual(persons)
    expect(new Set(await ids('listEmailMessages')).isSupersetOf(new Set(messages))).toBe(true)
  })
})

it('a demo killed during its first start is completed by the next start', async () => {
  const otherDir = join(scratch.dir, 'killed')
  const child = startDemo(otherDir)
  await vi.waitFor(() => expect(globSync('demo-tokens.json', { cwd: otherDir })).toHaveLength(1), WAIT)
  child.kill('SIGKILL')
  await once(child, 'exit')

  const again = await openDemoProcess(otherDir)
  try {
    for (const name of ['listPersons', 'listLinkedinMessages', 'listCalls'] as const) {
      expect((await listAll(again, 'rival', name)).length).toBe((await listAll(demo, 'rival', name)).length)
    }
    expect((await listAll(again, 'admin', 'listReps')).map(rep => rep.id)).toEqual(
      (await listAll(demo, 'admin', 'listReps')).map(rep => rep.id),
    )
  } finally {
    await again.stop()
  }
})
