import { randomUUIDv7 } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Caller } from '../app.ts'
import { messageEvent, relationEvent, toMemberId } from '../linkedin/unipile-server.ts'
import type { Person } from './history-people.ts'
import type { InboundResult, World } from './history-world.ts'

export const linkedinAccess = ['by_hand', 'webhook', 'unipile'] as const

type Message = { person: Person; text: string; isOwn: boolean }

/** Functions that report events of a rep's LinkedIn account to Overture. */
export type Linkedin = {
  /** Reports a message between the rep and the person. Returns the message's ID if it was stored. */
  report: (message: Message) => Promise<string | undefined>
  /** Reports that the person accepted the invitation of this task. Returns whether the acceptance was new. */
  accept: (taskId: string, person: Person) => Promise<boolean>
}

/** Connects the rep's account with this kind of access. With `unipile`, the engine sends invitations and messages. */
export async function connectLinkedin(
  world: World,
  { call }: Caller,
  { repId, access }: { repId: string; access: (typeof linkedinAccess)[number] },
): Promise<Linkedin> {
  const { app, unipile } = world
  const post = async (url: string, body: string, headers: Record<string, string>): Promise<InboundResult> =>
    world.post(url, body, { 'content-type': 'application/json', ...headers })
  const isStored = ({ outcome }: InboundResult) => outcome === 'stored'
  const getStoredId = (result: InboundResult) => (isStored(result) ? result.messageId : undefined)
  if (access === 'by_hand')
    return {
      report: async ({ person: { prospectId }, text, isOwn }) => {
        const { id } = await call('recordLinkedinMessage', {
          ...{ prospectId, type: isOwn ? 'manual' : 'received', text },
          happenedAt: app.now().toISOString(),
        })
        return id
      },
      accept: async taskId => Boolean(await call('acceptTask', { taskId })),
    }
  if (access === 'webhook') {
    const { inboundUrl, secret } = await call('createLinkedinAccount', { repId, provider: 'webhook' })
    const send = async (person: Person, event: object): Promise<InboundResult> => {
      const id = `msg_${randomUUIDv7()}`
      const { linkedinUrl } = person.contact
      const body = JSON.stringify({ ...event, person: { linkedinUrl }, happenedAt: app.now().toISOString() })
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(app.now().getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, app.now(), body),
      }
      return post(inboundUrl, body, headers)
    }
    return {
      report: async ({ person, text, isOwn }) =>
        getStoredId(
          await send(person, {
            ...{ type: isOwn ? 'message.sent' : 'message.received', text },
            ...{ messageId: randomUUIDv7(), conversationId: `${repId} ${person.contact.member}` },
          }),
        ),
      accept: async (_, person) => isStored(await send(person, { type: 'connection.accepted' })),
    }
  }
  const accountId = `account of ${repId}`
  const { inboundUrl, secret } = await call('createLinkedinAccount', {
    ...{ repId, provider: 'unipile', baseUrl: unipile.url },
    ...{ apiKey: unipile.apiKey, providerAccountId: accountId },
  })
  const send = (event: object): Promise<InboundResult> =>
    post(inboundUrl, JSON.stringify(event), { 'overture-secret': secret })
  return {
    report: async ({ person: { contact }, text, isOwn }) => {
      const event = messageEvent(
        { accountId },
        { ...{ member: contact.member, n: 1, at: app.now(), text, isOwn } },
      )
      const chatId = `chat of ${repId} and ${contact.member}`
      return getStoredId(
        await send({ ...event, message_id: randomUUIDv7(), chat_id: chatId, provider_chat_id: chatId }),
      )
    },
    accept: async (_, { contact: { member } }) => {
      const profile = { memberId: toMemberId(member), publicIdentifier: toProfile(member) }
      return isStored(await send(relationEvent({ accountId }, profile)))
    },
  }
}

/** Returns the last part of a member's profile URL. */
export const toProfile = (member: number): string => `member-${member}`
