import { randomUUIDv7 } from 'node:crypto'
import type { CompanyFacts, CompanyRow } from './write-companies.ts'

/** A company in memory; `isNew` and `isFilled` say whether it must be inserted or updated. */
export type IndexedCompany = CompanyRow & { isNew: boolean; isFilled: boolean }

/** Finds companies by domain, or else by name, among stored and previously resolved ones; creates missing ones. */
export function indexCompanies(stored: readonly CompanyRow[]) {
  const byDomain = new Map<string, IndexedCompany>()
  const byName = new Map<string, IndexedCompany>()

  const addToIndex = (company: IndexedCompany) => {
    if (company.domain && !byDomain.has(company.domain)) byDomain.set(company.domain, company)
    const name = toNameKey(company.name)
    if (name && !byName.has(name)) byName.set(name, company)
    return company
  }

  /** Fills unknown fields only, and never with a domain that another company has. */
  const fill = (company: IndexedCompany, { name, domain, website }: CompanyFacts) => {
    const merged = {
      name: company.name ?? name,
      domain: company.domain ?? (domain && byDomain.has(domain) ? null : domain),
      website: company.website ?? website,
    }
    if (
      merged.name === company.name &&
      merged.domain === company.domain &&
      merged.website === company.website
    )
      return company
    return addToIndex(Object.assign(company, merged, { isFilled: !company.isNew }))
  }

  for (const company of stored) addToIndex({ ...company, isNew: false, isFilled: false })

  return {
    /** Finds or creates the company; returns undefined if neither name nor domain is known. */
    resolve(facts: CompanyFacts): IndexedCompany | undefined {
      const name = toNameKey(facts.name)
      if (!facts.domain && !name) return undefined
      const found = (facts.domain && byDomain.get(facts.domain)) || (name && byName.get(name))
      if (found) return fill(found, facts)
      return addToIndex({ ...facts, id: randomUUIDv7(), isNew: true, isFilled: false })
    },
  }
}

/** Returns the name in lower case without surrounding white space, for comparison. */
const toNameKey = (name: string | null): string | undefined => name?.trim().toLowerCase() || undefined
