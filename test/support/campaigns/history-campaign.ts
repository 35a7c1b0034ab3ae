import { randomUUIDv7 } from 'node:crypto'
import type { RawInput } from '../../../src/contract/index.ts'
import { weekdays } from '../../../src/contract/schedule.ts'
import type { Caller } from '../app.ts'
import { toMemberId } from '../linkedin/unipile-server.ts'
import { makeConsent } from '../voice/consents.ts'
import type { History } from './history.ts'
import type { PickItem } from './history-acts.ts'
import { connectLinkedin, linkedinAccess, toProfile } from './history-linkedin.ts'
import type { World } from './history-world.ts'

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>

const PEOPLE = 5

const email = (n: number, variants: string[], more: object = {}) => ({
  ...more,
  variants: variants.map(name => ({ subject: `Step ${n}${name}`, body: `[${n}${name}] Hi {{ firstName }}` })),
})

const soon = { amount: 1, unit: 'hours' } as const

/** Returns the steps that may come between the two emails. */
const betweenEmails = (assistantId: string): Steps[] => [
  [{ channel: 'call', delay: soon, call: { assistantId, retries: 1 } }],
  [{ channel: 'call', delay: soon, call: { assistantId, retries: 0, onAnswered: 'continue' } }],
  [{ channel: 'linkedin_connect', delay: soon, body: 'Hi {{ firstName }}' }],
  [
    { channel: 'linkedin_connect' },
    { channel: 'linkedin_message', body: 'Glad to meet you, {{ firstName }}', acceptWithinDays: 1 },
  ],
  [{ channel: 'linkedin_message', delay: soon, body: 'Are you hiring, {{ firstName }}?' }],
  [{ channel: 'task', delay: { amount: 0, unit: 'days' }, body: 'Send {{ firstName }} a card' }],
]

/**
 * Launches a campaign of two emails with other steps between them, for a rep with a mailbox and a LinkedIn account. The
 * last prospect's address doesn't exist.
 */
export async function makeRandomCampaign(
  world: World,
  { owner, pick, nth, timezones }: { owner: Caller; pick: PickItem; nth: number; timezones: string[] },
): Promise<Pick<History, 'campaignId' | 'repId' | 'mailbox' | 'linkedin' | 'channels' | 'people'>> {
  const { call } = owner
  const { id: repId } = await call('createRep', { name: 'Ada Byron' })
  const mailbox = await openMailbox(world, owner, repId)
  const linkedin = await connectLinkedin(world, owner, { repId, access: pick(linkedinAccess) })
  const assistant = await call('createAssistant', { name: 'Desk', fromNumber: '+442079460018', repId })
  const between = pick(betweenEmails(assistant.id))
  const { id: campaignId } = await call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId] },
    steps: [
      email(1, ['A', 'B']),
      ...between,
      email(between.length + 2, pick([['A', 'B'], ['A']]), { delay: { amount: 4, unit: 'hours' } }),
    ],
    ...(pick([true, false, false]) && {
      schedule: { windows: [{ days: [...weekdays], from: '08:00', to: '20:00' }] },
    }),
  })
  const data = Array.from({ length: PEOPLE }, (_, n) => ({
    firstName: `P${n}`,
    email: `${n === PEOPLE - 1 ? 'gone' : `p${n}`}@c${n}-${nth}.example`,
    linkedinUrl: `linkedin.com/in/${toProfile(10 * nth + n)}`,
    ...(n > 0 && { phone: `+4420794612${nth}${n}` }),
    ...(n > 2 && { timezone: pick(timezones) }),
  }))
  if (between[0]!.channel === 'call') for (const { phone } of data) if (phone) await makeConsent(owner, phone)
  const added = await call('addProspectsToCampaign', { campaignId, data })
  const people = added.data.map(({ prospectId, personId }, n) => {
    const { email: address, linkedinUrl } = data[n]!
    const [member, name] = [10 * nth + n, `P${n} of campaign ${nth}`]
    addMember(world, member)
    return {
      prospectId: prospectId!,
      contact: { name, member, linkedinUrl, personId: personId!, emails: [address] },
    }
  })
  await call('launchCampaign', { campaignId })
  return { campaignId, repId, mailbox, linkedin, channels: between.map(({ channel }) => channel!), people }
}

async function openMailbox({ server }: World, { call }: Caller, repId: string): Promise<History['mailbox']> {
  const smtp = { host: '127.0.0.1', port: server.port, tls: 'none' as const }
  const address = `ada-${randomUUIDv7()}@acme.example`
  const { id: mailboxId } = await call('createMailbox', { repId, kind: 'smtp', email: address, smtp })
  await call('verifyMailbox', { mailboxId })
  const { inboundUrl } = await call('getMailbox', { mailboxId })
  return { id: mailboxId, email: address, inboundUrl: inboundUrl! }
}

/** Adds a member to Unipile unless it exists, because several accounts have people with the same profile. */
function addMember({ unipile: { members } }: World, member: number): void {
  const publicIdentifier = toProfile(member)
  if (members.every(each => each.publicIdentifier !== publicIdentifier))
    members.push({ memberId: toMemberId(member), publicIdentifier })
}
