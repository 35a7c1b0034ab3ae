import type { Row } from '../lean-row.ts'
import type { Addition } from './reader.ts'

/** Adds the next step of the prospect whose task ended. */
export const describeNext: Addition = async (read, { prospectId }) => {
  const prospect = prospectId ? await read('getProspect', { prospectId: String(prospectId) }) : undefined
  if (!prospect) return {}
  return { prospect: { status: prospect.status, next: prospect.next ?? 'no further step' } }
}

/** Adds the blocked identifiers, because a caller that passed a person's ID doesn't know their identifiers. */
export const listIdentifiers: Addition = async (_read, _result, { identifiers }) => ({
  blocked: (identifiers as Row[]).slice(0, 20).map(({ identifier }) => identifier),
})
