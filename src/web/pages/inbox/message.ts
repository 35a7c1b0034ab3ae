import type { Output } from '../../../contract/index.ts'

export type Message = Output<'listEmailMessages'>['data'][number]

export type Contact = { name: string; email: string }

const getName = (contact: Contact | null | undefined): string =>
  contact?.name || contact?.email || 'Unknown contact'

/** Returns the name of a message's sender. */
export const getSenderName = ({ from }: Message): string => getName(from)

/** Adds the person's name to a received message whose sender has their address but no name. */
export function nameSender(message: Message, person: { name: string; email: string | undefined }): Message {
  const { type, from } = message
  const isNameless = from && (!from.name || from.name === from.email)
  return type === 'received' && isNameless && from.email.toLowerCase() === person.email?.toLowerCase()
    ? { ...message, from: { ...from, name: person.name } }
    : message
}

/** Returns the recipients of a reply to this message. */
export const getReplyRecipients = ({ type, from, replyTo, recipients }: Message): Contact[] =>
  type === 'received' ? (replyTo ?? (from ? [from] : [])) : recipients.to

export const formatAddresses = (contacts: readonly Contact[]): string =>
  contacts.map(formatAddress).join(', ')

type Copies = { cc?: readonly Contact[] | undefined; bcc?: readonly Contact[] | undefined }

/** Formats the other recipients of a message, as in `['Cc', 'Ada (ada@analytical.example)']`. */
export const formatCopies = ({ cc = [], bcc = [] }: Copies): [kind: string, to: string][] =>
  Object.entries({ Cc: cc, Bcc: bcc })
    .filter(([, contacts]) => contacts.length > 0)
    .map(([kind, contacts]) => [kind, formatAddresses(contacts)])

export const formatAddress = ({ name, email }: Contact): string =>
  name && name !== email ? `${name} (${email})` : email

/** Returns the names of a message's recipients. */
export const getRecipientNames = ({ recipients }: Message): string => recipients.to.map(getName).join(', ')
