import { addressIn } from '../support/mail/mail-campaign.ts'
import { type Reaction, ScriptedSmtp, type Step, type Transfer } from '../support/mail/scripted-smtp.ts'
import type { Journal } from './journal.ts'

/** How the peer reacts instead of as usual; at the dot also whether it took the mail all the same. */
export type Behaviour = (step: Step, line: string, transfer: Transfer | undefined) => Behaved | undefined
type Behaved = { reaction: Reaction; isAccepted?: boolean }

/** A mail server that enters in the journal what it got, before it answers. */
export function openMailPeer(journal: Journal, behave: Behaviour = () => undefined): Promise<ScriptedSmtp> {
  /** Refused before their end came; no server takes such a mail afterwards. */
  const refused = new WeakSet<Transfer>()
  return ScriptedSmtp.open((step, line, transfer) => {
    const behaviour: Behaved | undefined =
      transfer && refused.has(transfer) ? { reaction: 'cut' } : behave(step, line, transfer)
    if (step === 'RCPT') journal.attempt(addressIn(line))
    if (transfer && step === 'BODY' && behaviour) refused.add(transfer)
    if (transfer && step === 'DOT') {
      journal.dot({
        to: recipientOf(transfer),
        messageId: /^Message-ID: (\S+)\r$/im.exec(transfer.wire.toString('latin1'))?.[1] ?? '',
        isAccepted: behaviour ? (behaviour.isAccepted ?? false) : true,
        wire: transfer.wire.toString('base64'),
      })
    }
    return behaviour?.reaction
  })
}

export const recipientOf = ({ envelope }: Transfer): string =>
  addressIn(envelope.find(line => /^RCPT/i.test(line)) ?? '')
