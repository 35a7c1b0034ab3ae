import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { filterClass } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { type View, viewLabels } from './search-params.ts'

const route = getRouteApi('/shell/inbox')

const MAX_COUNT = 10_000

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

/** Links to the views with their counts, unless filters are set. A view keeps the filters. */
export function Views() {
  const { view: current = 'needs_reply', ...filters } = route.useSearch()
  // The counts ignore filters.
  const isFiltered = Object.keys(filters).length > 0
  const { data: counts } = useOperation('getConversationCounts', {}, { isEnabled: !isFiltered })
  return (
    <nav aria-label="Views" className="mb-4 flex flex-wrap gap-1 border-line border-b pb-2">
      {Object.entries(viewLabels).map(([name, label]) => {
        const view = name as View
        const count = isFiltered ? undefined : counts?.[countNames[view]]
        return (
          <Link
            key={view}
            to="/inbox"
            search={{ ...filters, ...(view !== 'needs_reply' && { view }) }}
            activeOptions={{ exact: true }}
            aria-current={view === current ? 'page' : undefined}
            className={filterClass}
          >
            {label}{' '}
            {count ? (
              <span className="ml-0.5 text-xs tabular-nums">
                {formatNumber(count)}
                {count === MAX_COUNT && '+'}
              </span>
            ) : null}
          </Link>
        )
      })}
    </nav>
  )
}
