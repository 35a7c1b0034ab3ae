import type { ReactNode } from 'react'
import { Tabs } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { usePendingApprovalCount } from './pending-approvals.ts'

/** Around the lists: calls, those that wait for somebody to approve them, who calls, and who agreed to it. */
export function CallsLayout({ action, children }: { action?: ReactNode; children: ReactNode }) {
  const waiting = usePendingApprovalCount()
  return (
    <Page title="Calls" intro="Calls that assistants place, and those that they ask for." action={action}>
      <Tabs
        label="Calls"
        items={[
          { to: '/calls', label: 'All calls' },
          { to: '/calls/requests', label: `Waiting for approval${waiting ? ` (${waiting})` : ''}` },
          { to: '/calls/assistants', label: 'Assistants' },
          { to: '/calls/consents', label: 'Consents' },
        ]}
      />
      {children}
    </Page>
  )
}
