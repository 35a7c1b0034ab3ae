import type { ReactNode } from 'react'
import { Tabs } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'
import { useWaitingCalls } from './waiting.ts'

/** Around both lists: the calls, and those that wait for somebody to approve them. */
export function CallsFrame({ children }: { children: ReactNode }) {
  const waiting = useWaitingCalls()
  return (
    <Page title="Calls" intro="Calls that assistants place, and those that they ask for.">
      <Tabs
        label="Calls"
        items={[
          { to: '/calls', label: 'All calls' },
          { to: '/calls/requests', label: `Waiting for approval${waiting ? ` (${waiting})` : ''}` },
        ]}
      />
      {children}
    </Page>
  )
}
