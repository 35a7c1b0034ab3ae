import { Badge } from '../ui/badge.tsx'
import { explainOptOut, getOptOutLabel } from './opt-out-sources.ts'
import type { Person } from './person-name.ts'

/** Marks people on the Do Not Contact list with the reason. */
export const OptOutBadge = ({ person }: { person: Person }) =>
  person.isOptedOut && (
    <span title={explainOptOut(person)}>
      <Badge tone="red">{getOptOutLabel(person.optOutSource)}</Badge>
    </span>
  )
