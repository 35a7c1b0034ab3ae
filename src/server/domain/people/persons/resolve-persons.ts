import type { Context } from '../../../kernel/context.ts'
import { type Fragment, forceCustomPlans, pipeline, restorePlanCache } from '../../../kernel/db/database.ts'
import { type IndexedCompany, indexCompanies } from '../companies/company-index.ts'
import { lockPeople } from '../companies/lock-people.ts'
import {
  type CompanyFacts,
  fillCompanies,
  findCompanies,
  insertCompanies,
} from '../companies/write-companies.ts'
import { type IndexedPerson, indexPersons } from './person-index.ts'
import { fillPersons, findPersons, insertPersons, type PersonFacts } from './write-persons.ts'

type Account = Pick<Context, 'sql' | 'accountId'>

/** Facts about a person and the company they work for. */
export type PersonAtCompany = { person: PersonFacts; company: CompanyFacts }

/**
 * Resolves facts to persons, in the same order. Fills the unknown fields of stored persons and adds new ones, but only
 * in memory: `getWrites` returns the statements that write the wanted persons, for a pipeline, and
 * `listFilledCompanies` returns the IDs of the stored companies whose fields these persons fill. Locks the account's
 * persons and companies until the transaction ends.
 */
export async function resolvePersons(
  account: Account,
  facts: readonly PersonAtCompany[],
): Promise<{
  persons: IndexedPerson[]
  getWrites: (wanted: Iterable<IndexedPerson>) => Fragment[]
  listFilledCompanies: (wanted: Iterable<IndexedPerson>) => string[]
}> {
  const criteria = facts.map(({ person, company }) => ({
    ...person,
    companyName: company.name,
    companyDomain: company.domain,
  }))
  const companiesFound = findCompanies(
    account,
    facts.map(({ company }) => company),
  )
  const personsFound = findPersons(account, criteria)
  await pipeline(lockPeople(account), forceCustomPlans(account.sql), companiesFound, personsFound)
  const companyIndex = indexCompanies(await companiesFound)
  const personIndex = indexPersons(await personsFound)
  const companies = new Map<string, IndexedCompany>()
  const persons = facts.map(({ person, company: companyFacts }) => {
    const company = companyIndex.resolve(companyFacts)
    if (company) companies.set(company.id, company)
    return personIndex.resolve({ ...person, companyId: company?.id ?? null })
  })

  const listCompanies = (wanted: Iterable<IndexedPerson>) =>
    [...new Set([...wanted].map(person => person.companyId))].flatMap(id => (id && companies.get(id)) || [])
  const listFilledCompanies = (wanted: Iterable<IndexedPerson>) =>
    listCompanies(wanted)
      .filter(isFilled)
      .map(({ id }) => id)
  const getWrites = (wanted: Iterable<IndexedPerson>) => {
    const people = [...new Set(wanted)]
    const used = listCompanies(people)
    const filled = people.filter(isFilled)
    return [
      ...each(fillCompanies, used.filter(isFilled)),
      restorePlanCache(account.sql),
      ...each(insertCompanies, used.filter(isNew)),
      ...each(insertPersons, people.filter(isNew)),
      ...(filled.length > 0
        ? [forceCustomPlans(account.sql), fillPersons(account, filled), restorePlanCache(account.sql)]
        : []),
    ]
  }
  const each = <T>(write: (account: Account, rows: readonly T[]) => Fragment, rows: readonly T[]) =>
    rows.length > 0 ? [write(account, rows)] : []
  return { persons, getWrites, listFilledCompanies }
}

const isNew = (row: { isNew: boolean }) => row.isNew
const isFilled = (row: { isFilled: boolean }) => row.isFilled
