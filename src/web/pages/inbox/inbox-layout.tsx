import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Tabs } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'

type Props = { channel: 'Email' | 'LinkedIn'; isOpen: boolean; list: ReactNode; children: ReactNode }

/** The list, and what is open of it beside it; one of the two where there is no room. */
export const InboxLayout = ({ channel, isOpen, list, children }: Props) => (
  <Page title="Inbox" intro="What was written to prospects, and what they answered.">
    <Tabs
      label="Channels"
      items={[
        { to: '/inbox', label: 'Email', isCurrent: channel === 'Email' },
        { to: '/inbox/linkedin', label: 'LinkedIn', isCurrent: channel === 'LinkedIn' },
      ]}
    />
    <div className="gap-6 wide:grid wide:grid-cols-[20rem_minmax(0,1fr)]">
      <div className={isOpen ? 'hidden wide:block' : ''}>{list}</div>
      <div className={isOpen ? '' : 'hidden wide:block'}>
        {isOpen ? children : <EmptyState title="No conversation is open">Choose one to read it.</EmptyState>}
      </div>
    </div>
  </Page>
)

export const choice = {
  activeOptions: { exact: true },
  className:
    'rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent',
}
