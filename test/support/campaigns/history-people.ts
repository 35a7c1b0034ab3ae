/** A person of an account, who may be in several of its campaigns. */
export type Contact = {
  name: string
  /** Number of the person as a member of LinkedIn. */
  member: number
  linkedinUrl: string
  personId: string
  /** Email addresses, the latest last. */
  emails: string[]
  /** Set once the person was merged into another. */
  mergedInto?: Contact
}

/** A contact as the prospect of one campaign. */
export type Person = { prospectId: string; contact: Contact }

/** Returns the contact that a merged one has become. */
export const getCurrent = (contact: Contact): Contact =>
  contact.mergedInto ? getCurrent(contact.mergedInto) : contact

export const getEmail = ({ contact }: Person): string => getCurrent(contact).emails.at(-1)!

export const getPersonId = ({ contact }: Person): string => getCurrent(contact).personId

/** Returns every address that emails to a contact may have gone to. */
export const listAddresses = ({ emails, mergedInto }: Contact): string[] => [
  ...emails,
  ...(mergedInto ? listAddresses(mergedInto) : []),
]
