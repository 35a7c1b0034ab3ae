import { Link } from '@tanstack/react-router'
import { OptOutBadge } from '../../components/opt-out-badge.tsx'
import { getPersonName, type Person } from '../../components/person-name.ts'

/** Links a person's name to their page. Shows a badge with the reason if they must not be contacted. */
export const PersonLink = ({ person }: { person: Person }) => (
  <>
    <Link
      to="/people/$personId"
      params={{ personId: person.id }}
      className="wrap-anywhere line-clamp-2 min-w-0 underline-offset-2 hover:underline"
    >
      {getPersonName(person)}
    </Link>
    <OptOutBadge person={person} />
  </>
)
