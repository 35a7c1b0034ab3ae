import { Link } from '@tanstack/react-router'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { useOperation } from '../../api.ts'
import type { Conversation } from '../../components/conversations.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { formatNumber } from '../../ui/time.tsx'
import { ConversationRow } from './conversation-row.tsx'
import { CardRows, DayCard } from './day-card.tsx'

const MAX_COUNT = 100
const MAX_ROWS = 4
const POLL_MS = 60_000

/** Shows the conversations in which the prospect wrote last, and counts them by the intent of the reply. */
export function RepliesCard() {
  const query = useOperation(
    'listConversations',
    { view: 'needs_reply', limit: MAX_COUNT },
    { fallbackIntervalMs: POLL_MS },
  )
  return (
    <DayCard
      title="Replies to answer"
      link={{ to: '/inbox', label: 'Open inbox' }}
      query={query}
      count={({ data, hasMore }) => (hasMore ? `${MAX_COUNT}+` : data.length)}
      empty="You have answered every reply."
    >
      {({ data }) => (
        <>
          <IntentCounts conversations={data} />
          <CardRows label="Newest replies to answer">
            {data.slice(0, MAX_ROWS).map(conversation => (
              <ConversationRow key={conversation.id} conversation={conversation} />
            ))}
          </CardRows>
        </>
      )}
    </DayCard>
  )
}

function IntentCounts({ conversations }: { conversations: Conversation[] }) {
  const counted = Object.entries(replyIntents).map(([intent, [label]]) => ({
    intent,
    label,
    count: conversations.filter(each => each.intent === intent).length,
  }))
  const other = {
    intent: undefined,
    label: 'Not classified',
    count: conversations.filter(({ intent }) => !intent).length,
  }
  return (
    <ul aria-label="Replies by intent" className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {[...counted, other]
        .filter(({ count }) => count > 0)
        .map(({ intent, label, count }) => (
          <li key={label} className="text-muted">
            {intent ? (
              <Link
                to="/inbox"
                search={{ intent: intent as ReplyIntent }}
                className="underline-offset-2 hover:underline"
              >
                {label}
              </Link>
            ) : (
              label
            )}{' '}
            <span className="font-medium text-text tabular-nums">{formatNumber(count)}</span>
          </li>
        ))}
    </ul>
  )
}
