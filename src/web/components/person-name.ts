import type { Output } from '../../contract/index.ts'

export type Person = Output<'getPerson'>

type Named = {
  [F in 'firstName' | 'lastName' | 'email' | 'linkedinUrl' | 'phone']?: string | null | undefined
} & { isErased?: true | undefined }

/** The person's name, or what they are known by. */
export const getPersonName = ({ firstName, lastName, email, linkedinUrl, phone, isErased }: Named): string =>
  isErased
    ? 'Erased person'
    : [firstName, lastName].filter(Boolean).join(' ') || email || linkedinUrl || phone || 'Unnamed person'

/** The name of the person's company, or the domain by which it was recognized. */
export const getCompanyName = ({ company, email }: Pick<Person, 'company' | 'email'>): string =>
  company ?? email?.split('@')[1] ?? 'Unnamed company'
