import type { Context } from '../../kernel/context.ts'
import { conflict, invalid } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { getAddresses } from '../messages/recipients.ts'
import type { EmailFile, EmailRecipients } from '../messages/write-email-messages.ts'

const MAX_DAYS_AHEAD = 366

/** Throws Conflict when the recipients of an email differ from those approved. */
export function requireExpectedRecipients(recipients: EmailRecipients, expected: string[] | undefined): void {
  const addresses = getAddresses(recipients)
  const toKey = (emails: string[]) =>
    [...new Set(emails.map(email => canonicalEmail(email) ?? email))].sort().join()
  if (expected && toKey(expected) !== toKey(addresses)) {
    throw conflict(
      `The email was not sent because its recipients differ from those you approved. They are now ${addresses.join(', ')}. Check them and send the email again.`,
    )
  }
}

/** Throws Conflict when the files of an email differ from those that the sender has seen. */
export function requireExpectedFiles(files: readonly EmailFile[], expectedIds: string[] | undefined): void {
  const toKey = (ids: readonly unknown[]) => ids.toSorted().join()
  if (!expectedIds || toKey(expectedIds) === toKey(files.map(({ id }) => id))) return
  const names = files.map(({ name }) => name).join(', ')
  throw conflict(
    `The email was not sent because its files differ from those you have seen. It now has ${names ? `these files: ${names}` : 'no files'}. Check the email and send it again.`,
  )
}

/** Parses the time to send an email. Throws ValidationError unless it is in the future. */
export function parseSendAt({ app }: Context, sendAt: string | undefined): Date | undefined {
  if (sendAt === undefined) return undefined
  const at = new Date(sendAt)
  const daysAhead = (at.getTime() - app.now().getTime()) / 86_400_000
  if (daysAhead <= 0) throw invalid('sendAt', 'must be in the future; omit it to send the email now')
  if (daysAhead > MAX_DAYS_AHEAD) throw invalid('sendAt', 'must be at most a year ahead')
  return at
}

/** Returns the time this many seconds from now. */
export const toDelayedTime = ({ app }: Context, delaySeconds: number | undefined): Date | undefined =>
  delaySeconds === undefined ? undefined : new Date(app.now().getTime() + delaySeconds * 1000)

/**
 * Throws when somebody has changed the text of a draft since the caller read it. A draft that already has the `next`
 * text is accepted: the caller repeats a request whose response was lost.
 */
export function requireUnchanged(text: string, expected: string | undefined, next?: string): void {
  if (expected !== undefined && expected !== text && next !== text)
    throw conflict('The draft was changed elsewhere. Read it again before you change or send it.')
}
