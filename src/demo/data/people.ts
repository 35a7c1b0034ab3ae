import { americas } from './people-americas.ts'
import { asiaAfricaOceania } from './people-asia-africa-oceania.ts'
import { europe } from './people-europe.ts'

/**
 * A fictional company and its people. Domains end in .example, LinkedIn profiles begin with demo-, and phone numbers are
 * from the ranges that Germany, France, Sweden, the United Kingdom, Ireland, North America and Australia reserve for
 * fiction; people elsewhere have none.
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

/** A fictional person; `slug` is the local part of the email address and the end of the LinkedIn profile's URL. */
export type Person = [firstName: string, lastName: string, slug: string, title: string, phone?: string]

export const companies: Company[] = [...europe, ...americas, ...asiaAfricaOceania]
