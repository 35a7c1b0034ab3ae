import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  openWorker,
  type Worker,
} from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

const HOUR_MS = 3_600_000

let app: TestApp
let server: ScriptedSmtp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-23T09:00:00.000Z')
  server = await ScriptedSmtp.open()
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** A step of the sequence. `key` identifies the step permanently, and `version` its text; the subject contains both. */
type Step = { key: number; version: number; hours: number; id?: string }
const formatSubject = ({ key, version }: Step) => `${key} ${version}`
const toInput = (step: Step) => ({
  ...(step.id && { id: step.id }),
  delay: { amount: step.hours, unit: 'hours' as const },
  subject: formatSubject(step),
  body: formatSubject(step),
})

/** A random edit: existing steps are kept, dropped, or altered and moved to `place`, and steps are added. */
const edit = fc.record({
  kept: fc.array(fc.record({ isDropped: fc.boolean(), isAltered: fc.boolean(), place: fc.nat(9) }), {
    minLength: 8,
    maxLength: 8,
  }),
  added: fc.array(fc.record({ place: fc.nat(9), hours: fc.nat(3) }), { maxLength: 2 }),
})
const action = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), hours: fc.nat(3) }),
  fc.record({ kind: fc.constant('edit' as const), edit }),
  fc.record({ kind: fc.constant('both' as const), edit, hours: fc.nat(3) }),
  fc.record({ kind: fc.constant('join' as const) }),
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never

function applyEdit(steps: readonly Step[], { kept, added }: Edit): Step[] {
  const remaining = steps.flatMap((step, n) => {
    const { isDropped, isAltered, place } = kept[n % kept.length]!
    if (isDropped && n > 0) return []
    return isAltered ? [{ place, step: { ...step, version: step.version + 1 } }] : [{ place: n, step }]
  })
  const fresh = added.map(({ place, hours }) => ({ place, step: { key: nextKey++, version: 0, hours } }))
  return [...remaining, ...fresh].sort((a, b) => a.place - b.place).map(({ step }) => step)
}
let nextKey = 100

/** Sets the steps and expects that they keep their IDs and are numbered in list order. */
async function setSteps({ owner, campaignId }: MailCampaign, steps: readonly Step[]): Promise<Step[]> {
  const stored = await owner.call('setCampaignSteps', { campaignId, steps: steps.map(toInput) })
  expect(stored.steps.map(({ position }) => position)).toEqual(steps.map((_, n) => n + 1))
  for (const [n, { id }] of steps.entries()) if (id) expect(stored.steps[n]!.id).toBe(id)
  return steps.map((step, n) => ({ ...step, id: stored.steps[n]!.id }))
}

/** Returns sent emails of a campaign in order, with recipient and step. */
async function readCampaignMails({ emails, campaignId }: MailCampaign) {
  const mails = await readMails(server)
  return mails
    .filter(({ to }) => emails.includes(to) || to.endsWith(`@${campaignId}.example`))
    .map(({ to, mail }) => ({ to, subject: mail.subject!, key: Number(mail.subject!.split(' ')[0]) }))
}

/** Expects every new email to have the current text of a current step, which the person hasn't received before. */
function checkNew(
  mails: Awaited<ReturnType<typeof readCampaignMails>>,
  seen: number,
  lists: readonly (readonly Step[])[],
): void {
  for (const [n, { to, subject, key }] of mails.entries()) {
    if (n < seen) continue
    expect(lists.flatMap(list => list.map(formatSubject))).toContain(subject)
    const received = mails.slice(0, n).filter(earlier => earlier.to === to)
    expect(received.map(earlier => earlier.key)).not.toContain(key)
    const [steps, ...others] = lists
    // During an edit, some emails follow the old list and some the new one.
    if (others.length > 0) continue
    const getPlace = (stepKey: number) => steps!.findIndex(step => step.key === stepKey)
    for (const earlier of received) expect(getPlace(earlier.key)).toBeLessThan(getPlace(key))
  }
}

/** Positions of steps by key, including removed steps. */
type Places = ReadonlyMap<number, number>

/** Returns positions after an edit. A removed step is placed between its former neighbors, as late as possible. */
function getPlacesAfter(places: Places, old: readonly Step[], next: readonly Step[]): Places {
  const positions = new Map(next.map(({ key }, n) => [key, n + 1]))
  const remaining = old
    .filter(({ key }) => positions.has(key))
    .map(({ key }) => [places.get(key)!, positions.get(key)!] as const)
  const findPlace = (was: number): number => {
    const before = remaining.filter(([place]) => place <= was).map(([, now]) => now)
    const after = remaining.filter(([place]) => place > was).map(([, now]) => now)
    const upTo = after.length > 0 ? Math.min(...after) - 1 : Math.min(was, next.length)
    return Math.max(0, upTo, ...before)
  }
  return new Map([...[...places].map(([key, was]) => [key, findPlace(was)] as const), ...positions])
}

/** Returns the steps that a person has yet to receive: those after the last received one, or none once completed. */
async function getRemainingSteps(
  { owner, prospects }: MailCampaign,
  to: string,
  received: readonly number[],
  steps: readonly Step[],
  places: Places,
): Promise<number[]> {
  const { data } = await owner.call('listPersons', { email: to })
  const prospect = (await prospects()).find(({ personId }) => personId === data[0]!.id)!
  const last = Math.max(0, ...received.map(key => places.get(key)!))
  return prospect.status === 'completed' ? [] : steps.slice(last).map(({ key }) => key)
}

const workAfterHours = (hours: number) => worker.workAfter(hours * HOUR_MS)

async function play(actions: readonly Action[]): Promise<void> {
  const first = [0, 1, 2].map((key): Step => ({ key, version: 0, hours: key === 0 ? 0 : 1 }))
  const campaign = await makeMailCampaign(app, [server], 2, first.map(toInput))
  const { owner, campaignId } = campaign
  const stored = await owner.call('getCampaign', { campaignId })
  let steps: Step[] = first.map((step, n) => ({ ...step, id: stored.steps[n]!.id }))
  let seen: Awaited<ReturnType<typeof readCampaignMails>> = []
  const sentMessages = async () => {
    const messages = (await campaign.messages()).filter(({ status }) => status === 'sent')
    return messages.map(({ id, subject, body, sentAt }) => ({ id, subject, body, sentAt }))
  }
  let places: Places = new Map(steps.map(({ key }, n) => [key, n + 1]))
  const set = async (edit: Edit) => {
    const next = await setSteps(campaign, applyEdit(steps, edit))
    places = getPlacesAfter(places, steps, next)
    return next
  }
  const getKeysSentTo = (to: string) => seen.filter(mail => mail.to === to).map(({ key }) => key)
  const joined: string[] = []
  const expected = new Map<string, number[]>()
  const waits = Array<Action>(30).fill({ kind: 'wait', hours: 4 })
  for (const [n, each] of [...actions, ...waits].entries()) {
    if (n === actions.length) {
      for (const to of [...campaign.emails, ...joined])
        expected.set(to, [
          ...getKeysSentTo(to),
          ...(await getRemainingSteps(campaign, to, getKeysSentTo(to), steps, places)),
        ])
    }
    const sent = await sentMessages()
    const lists = [steps]
    if (each.kind === 'join') {
      if ((await owner.call('getCampaign', { campaignId })).status !== 'active') continue
      const email = `joined${joined.length}@${campaignId}.example`
      joined.push(email)
      await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    } else if (each.kind === 'edit') {
      steps = await set(each.edit)
    } else {
      const [next] = await Promise.all([
        each.kind === 'both' ? set(each.edit) : undefined,
        workAfterHours(each.hours),
      ])
      if (next) lists.push(next)
      steps = next ?? steps
    }
    const mails = await readCampaignMails(campaign)
    expect(mails.slice(0, seen.length)).toEqual(seen)
    checkNew(mails, seen.length, lists)
    seen = mails
    expect(await sentMessages()).toEqual(expect.arrayContaining(sent))
  }
  for (const [to, keys] of expected) expect(getKeysSentTo(to)).toEqual(keys)
  expect(new Set((await campaign.prospects()).map(({ status }) => status))).toEqual(new Set(['completed']))
}

it('editing steps while they are sent changes no sent email and continues with the remaining steps in order', async () => {
  const actions = fc.array(action, { minLength: 4, maxLength: 12 })
  await fc.assert(fc.asyncProperty(actions, play), { numRuns: 8, seed: 20_261_121, endOnFailure: true })
})
