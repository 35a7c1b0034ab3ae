import type { Row } from '../lean-row.ts'
import { cutText } from '../list-rows.ts'
import { addNames } from '../related-names.ts'
import type { Addition } from './reader.ts'

const LATEST = 6

/** The newest entries of a person's timeline, in short. */
export const describeLatest: Addition = async (read, { id }, _input, ctx) => {
  const page = await read('getPersonTimeline', { personId: id, limit: LATEST })
  if (!page) return {}
  const entries = page.data.map(
    ({ at, type, direction, status, title, text, repId }): Row => ({
      objectType: 'timeline_entry',
      ...{ at, type, direction, status, repId },
      ...(title && !/^re:/i.test(title) && { title }),
      text: cutText(text, 240),
    }),
  )
  await addNames(ctx, entries, true)
  return { latest: entries, ...(page.hasMore && { notice: 'get_person_timeline has earlier entries.' }) }
}
