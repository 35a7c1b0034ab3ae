import PostalMime, { type Email } from 'postal-mime'
import { parseEnvelopeAddress } from './mail-campaign.ts'
import type { ScriptedSmtp, Transfer } from './scripted-smtp.ts'

/** An email as the server received it. */
export type SentMail = { to: string; mail: Email }

/** Returns every email that was received completely, in order. */
export const readMails = ({ transfers }: ScriptedSmtp): Promise<SentMail[]> =>
  Promise.all(transfers.filter(({ isComplete }) => isComplete).map(readMail))

/** Parses an email that was received completely. */
export async function readMail({ envelope, wire }: Transfer): Promise<SentMail> {
  const to = parseEnvelopeAddress(envelope.find(line => /^RCPT/i.test(line)) ?? '')
  return { to, mail: await PostalMime.parse(wire.subarray(0, -5)) }
}

/** Returns the message IDs in the References header, in order. */
export const getReferences = ({ mail }: SentMail): string[] => mail.references?.match(/<[^>]+>/g) ?? []
