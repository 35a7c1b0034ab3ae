import { type ErrorDetail, invalid, invalidAll } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { cleanText } from '../../protocols/identity/text.ts'
import type { EmailContact, EmailRecipients } from './write-email-messages.ts'

const MAX_NAME_LENGTH = 200
/** In to, cc and bcc together. */
const MAX_RECIPIENTS = 100

type ContactInput = { email: string; name?: string | undefined }
type RecipientsInput = {
  to: ContactInput[]
  cc?: ContactInput[] | undefined
  bcc?: ContactInput[] | undefined
}

/**
 * Parses recipients: canonical addresses, unique within each list, with names that are safe in a header. Throws
 * `invalid` with all errors.
 */
export function parseRecipients({ to, cc, bcc }: RecipientsInput): EmailRecipients {
  const errors: ErrorDetail[] = []
  const parse = (list: ContactInput[], path: string) => parseContacts(list, `recipients.${path}`, errors)
  const recipients = {
    to: parse(to, 'to'),
    ...(cc && { cc: parse(cc, 'cc') }),
    ...(bcc && { bcc: parse(bcc, 'bcc') }),
  }
  if (errors.length > 0) throw invalidAll(errors)
  if (getAddresses(recipients).length > MAX_RECIPIENTS) {
    throw invalid('recipients', `must have at most ${MAX_RECIPIENTS} addresses`)
  }
  return recipients
}

function parseContacts(list: ContactInput[], path: string, errors: ErrorDetail[]): EmailContact[] {
  const contacts = new Map<string, EmailContact>()
  for (const [index, contact] of list.entries()) {
    const email = canonicalEmail(contact.email)
    if (email) {
      const name = cleanText(contact.name ?? '', MAX_NAME_LENGTH)?.replace(/[\p{Cc}\s]+/gu, ' ')
      // Without a name, email clients show the address.
      if (!contacts.has(email)) contacts.set(email, { name: name ?? email, email })
    } else {
      errors.push({ path: `${path}.${index}.email`, message: 'must be a valid email address' })
    }
  }
  return [...contacts.values()]
}

export const getAddresses = ({ to, cc = [], bcc = [] }: EmailRecipients): string[] => [
  ...new Set([...to, ...cc, ...bcc].map(({ email }) => email)),
]
