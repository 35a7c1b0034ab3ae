import PostalMime from 'postal-mime'
import { expect } from 'vitest'
import { type Api, readAll } from '../processes/installed.ts'
import type { SmtpSink } from './smtp-sink.ts'

/** How often which address was written to, as the foreign server kept it. */
export async function tally(
  sink: SmtpSink,
): Promise<{ byAddress: Map<string, number>; messageIds: string[] }> {
  const mails = await Promise.all((await sink.messages()).map(mail => PostalMime.parse(mail)))
  const byAddress = new Map<string, number>()
  for (const mail of mails) {
    const address = mail.to![0]!.address!
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1)
  }
  return { byAddress, messageIds: mails.map(mail => mail.messageId!) }
}

/**
 * The guarantee, held against what the foreign server kept: everybody is accounted for by one message, what is
 * shown as sent arrived, nothing arrived twice, and where nobody can know it says so. Gives how many of each.
 */
export async function checkDeliveries(
  api: Api,
  sink: SmtpSink,
  { campaignId, emails }: { campaignId: string; emails: string[] },
): Promise<{ sent: number; unconfirmed: number; lost: number }> {
  const messages = await readAll(api, 'listEmailMessages', { campaignId })
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
