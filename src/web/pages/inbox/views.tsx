import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { filterClass } from '../../ui/button.tsx'
import { TabCount } from '../../ui/tab-count.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { toListConversationsInput, type View, viewLabels } from './search-params.ts'

const route = getRouteApi('/shell/inbox')

const MAX_COUNT = 10_000
const formatCount = (count: number): string => `${formatNumber(count)}${count === MAX_COUNT ? '+' : ''}`

const countNames: Record<View, keyof Output<'getConversationCounts'>> = {
  needs_reply: 'needsReply',
  drafts: 'drafts',
  needs_approval: 'needsApproval',
  unconfirmed: 'unconfirmed',
  waiting: 'waiting',
  snoozed: 'snoozed',
  done: 'done',
  all: 'all',
}

/** Links to the views with their counts. Switching between them keeps the filters. */
export function Views() {
  const { view: current = 'needs_reply', ...filters } = route.useSearch()
  const { view: _view, order: _order, ...input } = toListConversationsInput(filters)
  const { data: counts } = useOperation('getConversationCounts', input)
  const nav = useRef<HTMLElement>(null)
  // On narrow screens, the strip of views scrolls sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current view decides which link is scrolled into view
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav
      ref={nav}
      aria-label="Views"
      className="mb-4 flex gap-1 overflow-x-auto whitespace-nowrap border-line border-b p-0.5 pb-2 narrow:max-wide:gap-0.5 narrow:max-wide:*:px-1.5 wide:flex-wrap"
    >
      {Object.entries(viewLabels).map(([name, label]) => {
        const view = name as View
        const count = counts?.[countNames[view]]
        return (
          <Link
            key={view}
            to="/inbox"
            search={{ ...filters, ...(view !== 'needs_reply' && { view }) }}
            activeOptions={{ exact: true }}
            aria-current={view === current ? 'page' : undefined}
            className={filterClass}
          >
            {label} <TabCount text={count ? formatCount(count) : undefined} />
          </Link>
        )
      })}
    </nav>
  )
}
