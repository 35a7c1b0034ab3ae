import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOperation } from '../../api.ts'
import { OptOutBadge } from '../../components/opt-out-badge.tsx'
import { explainOptOut } from '../../components/opt-out-sources.ts'
import { PersonActions } from '../../components/person-actions.tsx'
import { getCompanyName, getPersonName, type Person } from '../../components/person-name.ts'
import { statusLabels } from '../../components/prospect-statuses.ts'
import { EntryLink, formatEntryTitle, getEntryLabel } from '../../components/timeline-entry.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { PersonPane } from './inbox-layout.tsx'

const MAX_EVENTS = 8

const linkClass = 'underline-offset-2 hover:underline'

/** Shows the person of the open conversation in the pane beside it. */
export const ConversationPerson = ({ personId }: { personId: string | undefined }) => (
  <PersonPane>
    {personId ? (
      <LoadedPerson key={personId} personId={personId} />
    ) : (
      <p className="text-muted text-sm">The contact of this conversation isn’t in People.</p>
    )}
  </PersonPane>
)

const LoadedPerson = ({ personId }: { personId: string }) => (
  <Loaded query={useOperation('getPerson', { personId })} skeleton={<FormSkeleton fields={3} />}>
    {person => (
      <div className="grid gap-5 text-sm">
        <ContactDetails person={person} />
        <PersonActions person={person} isPane />
        <Campaigns person={person} />
        <LatestEvents personId={person.id} />
      </div>
    )}
  </Loaded>
)

function ContactDetails({ person }: { person: Person }) {
  const { id, title, companyId, email, phone, linkedinUrl, isOptedOut, tags = [] } = person
  return (
    <section className="wrap-anywhere grid gap-1">
      <h2 className="font-semibold text-base">
        <Link to="/people/$personId" params={{ personId: id }} className={linkClass}>
          {getPersonName(person)}
        </Link>
      </h2>
      {title && <p>{title}</p>}
      {companyId && (
        <p>
          <Link to="/companies/$companyId" params={{ companyId }} className={linkClass}>
            {getCompanyName(person)}
          </Link>
        </p>
      )}
      {email && <p className="text-muted">{email}</p>}
      {phone && (
        <p>
          <a href={`tel:${phone}`} className={linkClass}>
            {phone}
          </a>
        </p>
      )}
      {linkedinUrl && (
        <p>
          <a href={linkedinUrl} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            LinkedIn profile<span className="sr-only"> in a new tab</span>
          </a>
        </p>
      )}
      {(isOptedOut || tags.length > 0) && (
        <p className="mt-1 flex flex-wrap gap-1.5">
          <OptOutBadge person={person} />
          {tags.map(tag => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      )}
      {isOptedOut && <p className="text-muted">{explainOptOut(person)}</p>}
    </section>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className="mb-1.5 font-medium text-muted">{title}</h3>
    {children}
  </section>
)

const Campaigns = ({ person: { prospects = [] } }: { person: Person }) => (
  <Part title="Campaigns">
    {prospects.length === 0 ? (
      <p>Not in any campaign.</p>
    ) : (
      <ul className="grid gap-1.5">
        {prospects.map(({ id, campaignId, campaign, status }) => (
          <li key={id} className="wrap-anywhere flex flex-wrap items-center gap-x-2 gap-y-1">
            <Link to="/campaigns/$campaignId" params={{ campaignId }} className={linkClass}>
              {campaign}
            </Link>
            <Badge>{statusLabels[status]}</Badge>
          </li>
        ))}
      </ul>
    )}
  </Part>
)

/** Shows the latest events on any channel; the page of the person shows all of them. */
const LatestEvents = ({ personId }: { personId: string }) => (
  <Part title="Latest events">
    <Loaded
      query={useOperation('getPersonTimeline', { personId, limit: MAX_EVENTS })}
      skeleton={<FormSkeleton fields={2} />}
    >
      {({ data, next }) => (
        <>
          <ul className="grid gap-2">
            {data.map(entry => (
              <li key={`${entry.type}-${entry.id}`} className="min-w-0">
                <p className="truncate">
                  <EntryLink entry={entry}>{formatEntryTitle(entry)}</EntryLink>
                </p>
                <p className="text-muted">
                  {getEntryLabel(entry)}
                  {entry.status === 'draft' ? ' draft' : entry.direction === 'in' && ' received'},{' '}
                  <Time at={entry.at} />
                </p>
              </li>
            ))}
          </ul>
          {next && (
            <p className="mt-2">
              <Link to="/people/$personId" params={{ personId }} className="text-accent hover:underline">
                Show all events
              </Link>
            </p>
          )}
        </>
      )}
    </Loaded>
  </Part>
)
