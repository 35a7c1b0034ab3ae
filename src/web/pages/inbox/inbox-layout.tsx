import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Tabs } from '../../ui/layout.tsx'
import { Page } from '../../ui/page.tsx'

type Props = { channel: 'Email' | 'LinkedIn'; isOpen: boolean; list: ReactNode; children: ReactNode }

/** The list beside the open conversation; one of the two on narrow screens. */
export const InboxLayout = ({ channel, isOpen, list, children }: Props) => (
  <Page title="Inbox" intro="Conversations with your prospects.">
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
        {isOpen ? (
          children
        ) : (
          <EmptyState title="No conversation selected">Select a conversation to read it.</EmptyState>
        )}
      </div>
    </div>
  </Page>
)

export const filterLinkProps = {
  activeOptions: { exact: true },
  className:
    'rounded-control px-2.5 py-1 text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-quiet aria-[current=page]:font-medium aria-[current=page]:text-accent',
}
