import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { filterClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatNumber, formatPercent, Time } from '../../ui/time.tsx'

type Results = Output<'getDmarcResults'>
type Source = Results['sources'][number]

const route = getRouteApi('/shell/settings/domains/$domainId/dmarc')

/** Shows receivers' reports about mail from a domain's addresses: how much passes DMARC, and who sent it. */
export function DmarcResultsPage() {
  const { domainId } = route.useParams()
  const { days } = route.useSearch()
  const query = useOperation('getDmarcResults', { domainId, days })
  return (
    <Page
      above={
        <Link to="/settings/domains" className="text-accent underline-offset-2 hover:underline">
          Domains
        </Link>
      }
      title="DMARC results"
      intro={
        query.data &&
        `How receivers judged mail from addresses at ${query.data.domain}, according to their reports. Anybody can send reports, so check surprising ones.`
      }
    >
      <nav aria-label="Period" className="mb-3 flex flex-wrap gap-1">
        {([30, 90, 365] as const).map(each => (
          <Link
            key={each}
            to="/settings/domains/$domainId/dmarc"
            params={{ domainId }}
            search={{ days: each }}
            aria-current={each === days ? 'page' : undefined}
            className={filterClass}
          >
            {each} days
          </Link>
        ))}
      </nav>
      <Loaded query={query} skeleton={<TableSkeleton rows={4} />}>
        {results =>
          results.reports > 0 ? <Figures results={results} /> : <NoReports domain={results.domain} />
        }
      </Loaded>
    </Page>
  )
}

const NoReports = ({ domain }: { domain: string }) => (
  <EmptyState title="No reports yet">
    Receivers such as Google and Yahoo send a daily report to the address in the DMARC record of {domain}. Add
    “rua=mailto:” with the address of a connected mailbox to that record, and the results appear here.
  </EmptyState>
)

function Figures({
  results: { messages, passed, reports, sources, reporters, hasMoreSources },
}: {
  results: Results
}) {
  return (
    <>
      <Metrics
        label="Totals"
        metrics={[
          { label: 'Messages', value: messages },
          { label: 'Passed', value: passed, total: messages },
          { label: 'Failed', value: messages - passed, total: messages },
          { label: 'Reports', value: reports },
        ]}
      />
      <Section
        title="Sources"
        intro={`Servers that sent these messages, most failures first. Servers that you use must sign with your domain (DKIM) or be in its SPF record; all others forge your addresses.${hasMoreSources ? ` The first ${sources.length} are shown.` : ''}`}
      >
        <Table
          label="Sources"
          columns={sourceColumns}
          rows={sources.map(source => ({ ...source, id: source.ip }))}
        />
      </Section>
      <Section title="Reported by">
        <Table
          label="Reported by"
          columns={reporterColumns}
          rows={reporters.map(reporter => ({ ...reporter, id: reporter.name }))}
        />
      </Section>
    </>
  )
}

/** Shows a number, with its name where the table has no headings. */
const Count = ({ count, name }: { count: number; name: string }) => (
  <>
    {formatNumber(count)}
    <span className="narrow:hidden"> {name}</span>
  </>
)

const Share = ({ count, name, messages }: { count: number; name: string; messages: number }) => (
  <span className="whitespace-nowrap">
    <Count count={count} name={name} /> ({formatPercent(count / messages)})
  </span>
)

const sourceColumns: Column<Source & { id: string }>[] = [
  {
    head: 'Server',
    cell: ({ ip, domains }) => (
      <>
        <span className="wrap-anywhere font-medium">{ip}</span>
        {domains.length > 0 && <span className="wrap-anywhere block text-muted">{domains.join(', ')}</span>}
      </>
    ),
  },
  { head: 'Messages', cell: ({ messages }) => <Count count={messages} name="messages" />, isNumber: true },
  {
    head: 'Passed',
    cell: ({ passed, messages }) => <Share count={passed} name="passed" messages={messages} />,
    isNumber: true,
  },
  {
    head: 'DKIM',
    cell: ({ dkimPassed, messages }) => <Share count={dkimPassed} name="DKIM" messages={messages} />,
    isNumber: true,
    isMinor: true,
  },
  {
    head: 'SPF',
    cell: ({ spfPassed, messages }) => <Share count={spfPassed} name="SPF" messages={messages} />,
    isNumber: true,
    isMinor: true,
  },
  {
    head: 'Spam folder',
    cell: ({ quarantined }) => formatNumber(quarantined),
    isNumber: true,
    isLeastImportant: true,
  },
  { head: 'Rejected', cell: ({ rejected }) => <Count count={rejected} name="rejected" />, isNumber: true },
  { head: 'Last report', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, isLeastImportant: true },
]

const reporterColumns: Column<Results['reporters'][number] & { id: string }>[] = [
  { head: 'Receiver', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
  { head: 'Messages', cell: ({ messages }) => <Count count={messages} name="messages" />, isNumber: true },
  {
    head: 'Passed',
    cell: ({ passed, messages }) => <Share count={passed} name="passed" messages={messages} />,
    isNumber: true,
  },
]
