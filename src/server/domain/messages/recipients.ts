import { type ErrorDetail, invalid, invalidAll } from '../../kernel/errors.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { cleanText } from '../../protocols/identity/text.ts'
import type { EmailContact, EmailRecipients } from './write-email-messages.ts'

const MAX_NAME_LENGTH = 200
/** As many as one mail may go to at once. */
const MAX_RECIPIENTS = 100

type Given = { email: string; name?: string | undefined }
type GivenRecipients = { to: Given[]; cc?: Given[] | undefined; bcc?: Given[] | undefined }

/** Recipients with canonical addresses, each once in its list, and names fit for a header; or what is wrong. */
export function readRecipients({ to, cc, bcc }: GivenRecipients): EmailRecipients {
  const faults: ErrorDetail[] = []
  const read = (list: Given[], path: string) => readContacts(list, `recipients.${path}`, faults)
  const recipients = {
    to: read(to, 'to'),
    ...(cc && { cc: read(cc, 'cc') }),
    ...(bcc && { bcc: read(bcc, 'bcc') }),
  }
  if (faults.length > 0) throw invalidAll(faults)
  if (addressesOf(recipients).length > MAX_RECIPIENTS) {
    throw invalid('recipients', `must have at most ${MAX_RECIPIENTS} addresses`)
  }
  return recipients
}

function readContacts(list: Given[], path: string, faults: ErrorDetail[]): EmailContact[] {
  const contacts = new Map<string, EmailContact>()
  for (const [index, given] of list.entries()) {
    const email = canonicalEmail(given.email)
    if (email) {
      // Without a name the address stands in, as mail programs show it.
      const name = cleanText(given.name ?? '', MAX_NAME_LENGTH)?.replace(/[\p{Cc}\s]+/gu, ' ')
      if (!contacts.has(email)) contacts.set(email, { name: name ?? email, email })
    } else {
      faults.push({ path: `${path}.${index}.email`, message: 'must be a valid email address' })
    }
  }
  return [...contacts.values()]
}

export const addressesOf = ({ to, cc = [], bcc = [] }: EmailRecipients): string[] => [
  ...new Set([...to, ...cc, ...bcc].map(({ email }) => email)),
]
