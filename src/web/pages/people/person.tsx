import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { OptOutBadge } from '../../components/opt-out-badge.tsx'
import { PersonActions } from '../../components/person-actions.tsx'
import { getCompanyName, getPersonName, type Person } from '../../components/person-name.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DataActions } from './data-actions.tsx'
import { DoNotContact } from './do-not-contact.tsx'
import { PersonCampaigns } from './person-campaigns.tsx'
import { PersonDetails } from './person-details.tsx'
import { PersonTags } from './person-tags.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/shell/people/$personId')

/** Shows a person with their details, campaigns and timeline. */
export function PersonPage() {
  const { personId } = route.useParams()
  const query = useOperation('getPerson', { personId })
  const person = query.data
  const isGone = person?.isErased || person?.mergedIntoId !== undefined
  return (
    <Page
      key={personId}
      above={
        <Link to="/people" className="text-accent underline-offset-2 hover:underline">
          People
        </Link>
      }
      title={person ? getPersonName(person) : 'Person'}
      intro={person && !isGone && <Intro person={person} />}
      action={person && !isGone && <PersonActions person={person} />}
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {person => (isGone ? <GonePerson person={person} /> : <Body person={person} />)}
      </Loaded>
    </Page>
  )
}

const Intro = ({ person }: { person: Person }) => {
  const { title, companyId } = person
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {title}
      {title && companyId && <span aria-hidden="true">·</span>}
      {companyId && (
        <Link to="/companies/$companyId" params={{ companyId }} className="text-accent hover:underline">
          {getCompanyName(person)}
        </Link>
      )}
      <OptOutBadge person={person} />
    </span>
  )
}

/** Shows an erased person, or a duplicate that was merged into another person. */
const GonePerson = ({ person: { mergedIntoId } }: { person: Person }) =>
  mergedIntoId ? (
    <EmptyState title="This duplicate was merged">
      <p>All of its data is with the person it was merged into.</p>
      <Link
        to="/people/$personId"
        params={{ personId: mergedIntoId }}
        className="text-accent underline-offset-2 hover:underline"
      >
        Open the person
      </Link>
    </EmptyState>
  ) : (
    <EmptyState title="This person was erased">Their personal data was deleted for good.</EmptyState>
  )

const Body = ({ person }: { person: Person }) => (
  <div className="grid grid-cols-1 items-start gap-8 wide:grid-cols-[20rem_minmax(0,1fr)]">
    <div className="min-w-0">
      <PersonDetails person={person} />
      <PersonTags person={person} />
      <DoNotContact person={person} />
      <PersonCampaigns person={person} />
      <DataActions person={person} />
    </div>
    <div className="min-w-0">
      <Timeline person={person} />
    </div>
  </div>
)
