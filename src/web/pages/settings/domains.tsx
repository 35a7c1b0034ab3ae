import { Link } from '@tanstack/react-router'
import { usePages, usePermission } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { DomainSection } from './domain-section.tsx'

export function DomainsPage() {
  const { query, more } = usePages('listDomains', {})
  const canEdit = usePermission('Rep.EditRep')
  return (
    <Page
      title="Domains"
      intro="The DNS records that let receivers trust your mail. Without them, your emails are treated as spam."
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {domains =>
          domains.length > 0 ? (
            domains.map(domain => <DomainSection key={domain.id} domain={domain} />)
          ) : (
            <EmptyState title="No domains yet">
              Connect a mailbox, and the domain of its address appears here. Test mailboxes add no domain.
              {canEdit && (
                <Link to="/settings/senders/connect" className={buttonClass('primary')}>
                  Connect mailbox
                </Link>
              )}
            </EmptyState>
          )
        }
      </Loaded>
      <LoadMore {...more} count={query.data?.length ?? 0} />
    </Page>
  )
}
