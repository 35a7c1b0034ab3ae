import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { PersonLink } from './person-link.tsx'

export function CompanyPeople({ companyId }: { companyId: string }) {
  const { query, more } = usePages('listPersons', { companyId })
  return (
    <Section title="People">
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {people =>
          people.length > 0 ? (
            <Table
              label="People"
              rows={people}
              more={more}
              columns={[
                {
                  head: 'Name',
                  cell: person => (
                    <span className="flex flex-wrap items-center gap-2">
                      <PersonLink person={person} />
                    </span>
                  ),
                },
                { head: 'Job title', cell: ({ title }) => title },
                {
                  head: 'Last contacted',
                  cell: ({ lastContactedAt }) => lastContactedAt && <Time at={lastContactedAt} />,
                  isMinor: true,
                },
                {
                  head: 'Last replied',
                  cell: ({ lastRepliedAt }) => lastRepliedAt && <Time at={lastRepliedAt} />,
                },
              ]}
            />
          ) : (
            <EmptyState title="No people yet">
              People with this company in their details, or with an email address at its domain, appear here.
            </EmptyState>
          )
        }
      </Loaded>
    </Section>
  )
}
