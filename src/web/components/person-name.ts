import type { Output } from '../../contract/index.ts'

export type Person = Output<'getPerson'>

type NameFields = {
  [F in 'firstName' | 'lastName' | 'email' | 'linkedinUrl' | 'phone']?: string | null | undefined
} & { isErased?: true | undefined }

/** Returns the person's name, or else an address or number that identifies them. */
export const getPersonName = ({
  firstName,
  lastName,
  email,
  linkedinUrl,
  phone,
  isErased,
}: NameFields): string =>
  isErased
    ? 'Erased person'
    : [firstName, lastName].filter(Boolean).join(' ') || email || linkedinUrl || phone || 'Unnamed person'

/** Returns the name of the person's company, or else the domain of their email address. */
export const getCompanyName = ({ company, email }: Pick<Person, 'company' | 'email'>): string =>
  company ?? email?.split('@')[1] ?? 'Unnamed company'
