import type { Output } from '../../../../contract/index.ts'
import type { Row } from '../lean-row.ts'
import { formatPerson } from '../lean-shapes.ts'
import { truncateText } from '../list-rows.ts'
import { addNames } from '../related-names.ts'
import type { Addition } from './reader.ts'

const LATEST = 6

/** Adds the newest entries of a person's timeline, shortened. */
export const describeLatest: Addition = async (read, { id }, _input, ctx) => {
  const page = await read('getPersonTimeline', { personId: id, limit: LATEST })
  if (!page) return {}
  const entries = page.data.map(
    ({ at, type, direction, status, title, text, repId }): Row => ({
      objectType: 'timeline_entry',
      ...{ at, type, direction, status, repId },
      ...(title && !/^re:/i.test(title) && { title }),
      text: truncateText(text, 240),
    }),
  )
  await addNames(ctx, entries, true)
  return { latest: entries, ...(page.hasMore && { notice: 'get_person_timeline has earlier entries.' }) }
}

const SHOWN_PEOPLE = 10

/**
 * Adds the people of a company if the change affected none of them. The statuses of their prospects explain why.
 */
export const explainCompany: Addition = async (read, { total }, { companyId }) => {
  if (!companyId || total !== 0) return {}
  const page = await read('listPersons', { companyId, limit: SHOWN_PEOPLE })
  return page ? { peopleOfCompany: page.data.map(toStatusRow) } : {}
}

const toStatusRow = (person: Output<'listPersons'>['data'][number]): Row => ({
  objectType: 'person',
  person: formatPerson(person),
  prospects: person.prospects?.map(({ status, campaign }) => ({ status, campaign })),
})
