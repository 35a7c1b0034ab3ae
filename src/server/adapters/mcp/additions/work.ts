import type { Row } from '../lean-row.ts'
import type { Addition } from './reader.ts'

/** The next step of the prospect whose task ended. */
export const describeNext: Addition = async (read, { prospectId }) => {
  const prospect = prospectId ? await read('getProspect', { prospectId: String(prospectId) }) : undefined
  if (!prospect) return {}
  return { prospect: { status: prospect.status, next: prospect.next ?? 'no further step' } }
}

/** The blocked identifiers. A person's are known only after the change. */
export const listIdentifiers: Addition = async (_read, _answer, { identifiers }) => ({
  blocked: (identifiers as Row[]).slice(0, 20).map(({ identifier }) => identifier),
})
