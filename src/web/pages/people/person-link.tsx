import { Link } from '@tanstack/react-router'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { Badge } from '../../ui/badge.tsx'

/** The name of a person, which opens their page, and whether they opted out. */
export const PersonLink = ({ person }: { person: Person }) => (
  <>
    <Link
      to="/people/$personId"
      params={{ personId: person.id }}
      className="wrap-anywhere line-clamp-2 min-w-0 underline-offset-2 hover:underline"
    >
      {getPersonName(person)}
    </Link>
    {person.isOptedOut && <Badge tone="red">Opted out</Badge>}
  </>
)
