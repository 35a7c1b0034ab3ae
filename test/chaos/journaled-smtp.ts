import { parseEnvelopeAddress } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { type Reaction, ScriptedSmtp, type Step, type Transfer } from '../support/mail/scripted-smtp.ts'
import { readXoauth2 } from './faulty-oauth.ts'
import type { Journal } from './journal.ts'

/** Google explains a refusal with a challenge, which the client has to answer. */
const CHALLENGE = `334 ${btoa('{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}')}`

/** A function that overrides the server's reaction and, at the final dot, reports whether it accepted the email. */
export type Behavior = (step: Step, line: string, transfer: Transfer | undefined) => Override | undefined
type Override = { reaction: Reaction; isAccepted?: boolean }

/**
 * Opens a mail server that records in the journal what it receives, before it replies. With `oauth`, it accepts only
 * a valid access token of the user.
 */
export function openJournaledSmtp(
  journal: Journal,
  behave: Behavior = () => undefined,
  oauth?: OAuthServer,
): Promise<ScriptedSmtp> {
  // Emails that were refused before the final dot. A server never accepts these afterwards.
  const refused = new WeakSet<Transfer>()
  return ScriptedSmtp.open((step, line, transfer) => {
    const override: Override | undefined =
      transfer && refused.has(transfer) ? { reaction: 'cut' } : behave(step, line, transfer)
    if (step === 'AUTH' && oauth && !override) {
      const { user, token } = readXoauth2(line)
      if (oauth.findUser(token)?.username !== user)
        return oauth.mode === 'google' ? CHALLENGE : '535 5.7.3 Authentication unsuccessful'
    }
    // The answer to a challenge is an empty line.
    if (line === '' && step === 'QUIT') return '535 5.7.8 Username and Password not accepted'
    if (step === 'RCPT') journal.attempt(parseEnvelopeAddress(line))
    if (transfer && step === 'BODY' && override) refused.add(transfer)
    if (transfer && step === 'DOT') {
      journal.dot({
        to: getRecipient(transfer),
        messageId: /^Message-ID: (\S+)\r$/im.exec(transfer.wire.toString('latin1'))?.[1] ?? '',
        isAccepted: override ? (override.isAccepted ?? false) : true,
        wire: transfer.wire.toString('base64'),
      })
    }
    return override?.reaction
  })
}

export const getRecipient = ({ envelope }: Transfer): string =>
  parseEnvelopeAddress(envelope.find(line => /^RCPT/i.test(line)) ?? '')
