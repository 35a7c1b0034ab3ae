import { addressIn } from '../support/mail/mail-campaign.ts'
import { type Reaction, ScriptedSmtp, type Step, type Transfer } from '../support/mail/scripted-smtp.ts'
import type { Journal } from './journal.ts'

/** Overrides the server's reaction; at the final dot also says whether the server accepted the mail. */
export type Behavior = (step: Step, line: string, transfer: Transfer | undefined) => Override | undefined
type Override = { reaction: Reaction; isAccepted?: boolean }

/** Opens a mail server that records in the journal what it receives, before it replies. */
export function openJournaledSmtp(
  journal: Journal,
  behave: Behavior = () => undefined,
): Promise<ScriptedSmtp> {
  // Refused before the final dot: no server would accept these afterwards.
  const refused = new WeakSet<Transfer>()
  return ScriptedSmtp.open((step, line, transfer) => {
    const behaviour: Override | undefined =
      transfer && refused.has(transfer) ? { reaction: 'cut' } : behave(step, line, transfer)
    if (step === 'RCPT') journal.attempt(addressIn(line))
    if (transfer && step === 'BODY' && behaviour) refused.add(transfer)
    if (transfer && step === 'DOT') {
      journal.dot({
        to: getRecipient(transfer),
        messageId: /^Message-ID: (\S+)\r$/im.exec(transfer.wire.toString('latin1'))?.[1] ?? '',
        isAccepted: behaviour ? (behaviour.isAccepted ?? false) : true,
        wire: transfer.wire.toString('base64'),
      })
    }
    return behaviour?.reaction
  })
}

export const getRecipient = ({ envelope }: Transfer): string =>
  addressIn(envelope.find(line => /^RCPT/i.test(line)) ?? '')
