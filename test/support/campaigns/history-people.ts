/** A person of an account, who may be in several of its campaigns. */
export type Contact = {
  name: string
  /** The person's LinkedIn member number. */
  member: number
  linkedinUrl: string
  personId: string
  /** Email addresses, the latest last. */
  emails: string[]
  /** Set once the person is merged into another. */
  mergedInto?: Contact
}

/** A contact as the prospect of one campaign. */
export type Person = { prospectId: string; contact: Contact }

/** Returns the contact that this contact was merged into, or the contact itself. */
export const getCurrent = (contact: Contact): Contact =>
  contact.mergedInto ? getCurrent(contact.mergedInto) : contact

export const getEmail = ({ contact }: Person): string => getCurrent(contact).emails.at(-1)!

export const getPersonId = ({ contact }: Person): string => getCurrent(contact).personId

/** Returns every address that emails to a contact may have gone to. */
export const listAddresses = ({ emails, mergedInto }: Contact): string[] => [
  ...emails,
  ...(mergedInto ? listAddresses(mergedInto) : []),
]
