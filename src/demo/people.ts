import { americas } from './people-americas.ts'
import { asiaAfricaOceania } from './people-asia-africa-oceania.ts'
import { europe } from './people-europe.ts'

/**
 * Nobody of these exists. Domains end in .example, profiles begin with demo-, and numbers are from the ranges that
 * Germany, France, Sweden, the United Kingdom, Ireland, North America and Australia keep free for films and books;
 * who lives elsewhere has none.
 */
export type Company = {
  name: string
  domain: string
  industry: string
  city: string
  state?: string
  country: string
  timezone: string
  people: Person[]
}

/** `slug` is the part before the @ and the end of the profile's address. */
export type Person = [firstName: string, lastName: string, slug: string, title: string, phone?: string]

export const companies: Company[] = [...europe, ...americas, ...asiaAfricaOceania]
