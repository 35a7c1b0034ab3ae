import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DomainSection } from './domain-section.tsx'

export function DomainsPage() {
  const { query, more } = usePages('listDomains', {})
  return (
    <Page
      title="Domains"
      intro="The DNS records that let receivers trust mail from your domains. Without them it is treated as spam."
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {domains =>
          domains.length > 0 ? (
            domains.map(domain => <DomainSection key={domain.id} domain={domain} />)
          ) : (
            <EmptyState title="No domains yet">
              Connect a mailbox with its own mail server, and the domain of its address appears here.
            </EmptyState>
          )
        }
      </Loaded>
      <LoadMore {...more} count={query.data?.length ?? 0} />
    </Page>
  )
}
