import type { Output } from '../../../contract/index.ts'

export type Message = Output<'listEmailMessages'>['data'][number]

const getName = (contact: { name: string; email: string } | null | undefined): string =>
  contact?.name || contact?.email || 'Unknown contact'

/** Returns the name of a message's sender. */
export const getSenderName = ({ from }: Message): string => getName(from)

/** Formats the recipients of a draft, or of a reply to this message. */
export const formatRecipients = ({ type, from, replyTo, recipients }: Message): string =>
  (type === 'received' ? (replyTo ?? (from ? [from] : [])) : recipients.to).map(formatAddress).join(', ')

/** Returns the other recipients of a message, as in `['Cc', 'Ada (ada@analytical.example)']`. */
export const getCopies = ({ recipients: { cc, bcc } }: Message): [kind: string, to: string][] =>
  Object.entries({ Cc: cc ?? [], Bcc: bcc ?? [] })
    .filter(([, contacts]) => contacts.length > 0)
    .map(([kind, contacts]) => [kind, contacts.map(formatAddress).join(', ')])

const formatAddress = ({ name, email }: { name: string; email: string }): string =>
  name && name !== email ? `${name} (${email})` : email

/** Names the recipients of a message. */
export const getRecipientNames = ({ recipients }: Message): string => recipients.to.map(getName).join(', ')
