import { linkedinEvent } from '../../../contract/linkedin.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock } from '../../kernel/db/database.ts'
import { invalid, invalidAll, notFound, unauthorized, unavailable } from '../../kernel/errors.ts'
import {
  type ConnectedAccount,
  decryptSecret,
  findConnectedAccount,
  recordActivity,
  setAccountStatus,
} from './accounts.ts'
import { applyAcceptance, applyMessage } from './apply-event.ts'
import { hasSecret, hasValidSignature } from './check-signature.ts'
import { type LinkedinEvent, NO_TEXT } from './linkedin-event.ts'
import { findMember, type LinkedinMember } from './members.ts'
import { findProfile } from './unipile.ts'
import { parseUnipileEvent } from './unipile-events.ts'

export type InboundRequest = {
  accountId: string
  id: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export type EventResult = { outcome: 'stored' | 'duplicate' | 'ignored'; reason?: string; messageId?: string }

/** Receives an event from a provider or from the account’s own program. Idempotent. */
export async function receiveLinkedinEvent(app: App, request: InboundRequest): Promise<EventResult> {
  const account = await inAccount(app.db.app, request.accountId, tx => findConnectedAccount(tx, request.id))
  if (!account) throw notFound('inbound URL for LinkedIn')
  checkSender(app, account, request)
  const event = parseEvent(account, request.body, app.now())
  if ('ignored' in event) return { outcome: 'ignored', reason: event.ignored }
  if (event.type === 'account') return applyAccountState(app, account, event.state)
  const found = await inAccount(app.db.app, request.accountId, tx => findMember(tx, event.member))
  const member = found ? event.member : await addProfileUrl(app, account, event.member)
  return retryOnDeadlock(() =>
    inAccount(app.db.app, request.accountId, async tx => {
      const ownMemberId = 'ownMemberId' in event ? event.ownMemberId : undefined
      await recordActivity(tx, account.id, ownMemberId)
      const personId = await findMember(tx, member)
      if (!personId) return { outcome: 'ignored', reason: 'the account has no such person' } as const
      const pair = { repId: account.repId, personId }
      if (event.type === 'connection.accepted') {
        const isNew = await applyAcceptance(tx, pair, event.happenedAt, app.now())
        return { outcome: isNew ? 'stored' : 'duplicate' } as const
      }
      const isReceived = event.type === 'message.received'
      const applied = await applyMessage(
        tx,
        { ...event, ...pair, type: isReceived ? 'received' : 'manual', isUnread: isReceived },
        app.now(),
      )
      return { outcome: applied.isNew ? 'stored' : 'duplicate', messageId: applied.id } as const
    }),
  )
}

function checkSender(app: App, account: ConnectedAccount, { headers, body }: InboundRequest): void {
  const secret = decryptSecret(app.keys, account)
  if (
    account.provider === 'unipile'
      ? hasSecret(headers, secret)
      : hasValidSignature(headers, body, secret, app.now())
  )
    return
  throw unauthorized(
    account.provider === 'unipile'
      ? 'The Overture-Secret header does not match this account.'
      : 'The signature does not match the body and secret, or is older than five minutes. See docs/linkedin.md.',
  )
}

function parseEvent(account: ConnectedAccount, body: Buffer, now: Date): LinkedinEvent | { ignored: string } {
  const json = parseJson(body)
  if (account.provider === 'unipile') return parseUnipileEvent(json, account, now)
  const parsed = linkedinEvent.safeParse(json)
  if (!parsed.success)
    throw invalidAll(
      parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })).slice(0, 20),
    )
  const { type, person, happenedAt, text, ...ids } = parsed.data
  if (!person.linkedinUrl && !person.memberId) throw invalid('person', 'must have linkedinUrl or memberId')
  const shared = { member: person, happenedAt: new Date(happenedAt) }
  if (type === 'connection.accepted') return { type, ...shared }
  if (!text && type === 'message.sent') throw invalid('text', 'is required for a sent message')
  return { type, ...shared, text: text ?? NO_TEXT, ...ids }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw invalid('', 'The body must be JSON.')
  }
}

/**
 * Adds the profile URL, because providers identify strangers by a LinkedIn ID that only the provider can resolve.
 * Throws when the lookup fails temporarily, so that the event is sent again.
 */
async function addProfileUrl(
  app: App,
  account: ConnectedAccount,
  member: LinkedinMember,
): Promise<LinkedinMember> {
  if (account.provider !== 'unipile' || !member.memberId) return member
  const profile = await findProfile(app, account, member.memberId)
  const setStatus = (status: Parameters<typeof setAccountStatus>[2]) =>
    inAccount(app.db.app, account.accountId, tx => setAccountStatus(tx, account.id, status))
  if ('publicIdentifier' in profile) {
    await setStatus({ status: 'working' })
    return { ...member, linkedinUrl: `https://www.linkedin.com/in/${profile.publicIdentifier}` }
  }
  const { outcome, reason } = profile
  if (outcome === 'refused') return member
  if (outcome === 'account_failed') await setStatus({ status: 'failing', reason })
  throw unavailable('Unipile can’t identify this person at the moment. Send the event again later.')
}

/** Unipile’s states of a working account. Any other state needs attention. */
const workingStates = ['OK', 'SYNC_SUCCESS', 'CREATION_SUCCESS', 'RECONNECTED', 'CONNECTING']

const applyAccountState = (app: App, account: ConnectedAccount, state: string): Promise<EventResult> =>
  inAccount(app.db.app, account.accountId, async tx => {
    await setAccountStatus(
      tx,
      account.id,
      workingStates.includes(state)
        ? { status: 'working' }
        : { status: 'failing', reason: `Unipile reports ${state}. Reconnect the account there.` },
    )
    return { outcome: 'stored' }
  })
