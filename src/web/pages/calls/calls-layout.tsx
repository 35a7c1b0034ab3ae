import type { ReactNode } from 'react'
import { usePendingApprovalCount } from '../../components/pending-approvals.ts'
import { Tabs } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'

/** Shows the page frame with the tabs of the calls area. */
export function CallsLayout({ action, children }: { action?: ReactNode; children: ReactNode }) {
  const pendingCount = usePendingApprovalCount()
  return (
    <Page title="Calls" intro="Calls by AI assistants, and the calls that your team logs." action={action}>
      <Tabs
        label="Calls"
        items={[
          { to: '/calls', label: 'All calls' },
          { to: '/calls/requests', label: 'Pending approval', count: pendingCount },
          { to: '/calls/assistants', label: 'Assistants' },
          { to: '/calls/consents', label: 'Consents' },
        ]}
      />
      {children}
    </Page>
  )
}
