import PostalMime from 'postal-mime'
import { expect } from 'vitest'
import { type Api, listAll } from '../processes/installed.ts'
import type { SmtpSink } from './smtp-sink.ts'

/** Counts received emails by address, and returns their Message-IDs. */
export async function tally(
  sink: SmtpSink,
): Promise<{ byAddress: Map<string, number>; messageIds: string[] }> {
  const emails = await Promise.all((await sink.messages()).map(email => PostalMime.parse(email)))
  const byAddress = new Map<string, number>()
  for (const email of emails) {
    const address = email.to![0]!.address!
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
  }
  return { byAddress, messageIds: emails.map(email => email.messageId!) }
}

/**
 * Checks the delivery guarantee against the emails that the server received: each person has one message, sent messages
 * arrived exactly once, and all other messages are unconfirmed. Returns the counts.
 */
export async function checkDeliveries(
  api: Api,
  sink: SmtpSink,
  { campaignId, emails }: { campaignId: string; emails: string[] },
): Promise<{ sent: number; unconfirmed: number; lost: number }> {
  const messages = await listAll(api, 'listEmailMessages', { campaignId })
  const { byAddress, messageIds } = await tally(sink)
  expect(messages.map(message => message.recipients.to[0]!.email).sort()).toEqual(emails.toSorted())
  expect(new Set(messageIds).size).toBe(messageIds.length)
  const counts = { sent: 0, unconfirmed: 0, lost: 0 }
  for (const { status, deliveryStatus, recipients } of messages) {
    const arrived = byAddress.get(recipients.to[0]!.email) ?? 0
    if (status === 'sent') {
      expect([deliveryStatus, arrived]).toEqual([undefined, 1])
      counts.sent += 1
    } else {
      expect(deliveryStatus).toBe('unconfirmed')
      expect(arrived).toBeLessThanOrEqual(1)
      counts.unconfirmed += 1
      if (arrived === 0) counts.lost += 1
    }
  }
  return counts
}
