import { useOperation } from '../../api.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { formatNumber } from '../../ui/time.tsx'
import { type Conversation, ConversationRow } from './conversation-row.tsx'
import { CardRows, DayCard } from './day-card.tsx'

const COUNTED = 100
const SHOWN = 4
const POLL_MS = 60_000

/** Conversations in which the prospect wrote last, by the intent of their reply. */
export function RepliesCard() {
  const query = useOperation(
    'listConversations',
    { view: 'needs_reply', limit: COUNTED },
    { fallbackIntervalMs: POLL_MS },
  )
  return (
    <DayCard
      title="Replies to answer"
      link={{ to: '/inbox', search: { only: 'unanswered' }, label: 'Show unanswered' }}
      query={query}
      count={({ data, hasMore }) => (hasMore ? `${COUNTED}+` : data.length)}
      empty="You have answered every reply."
    >
      {({ data }) => (
        <>
          <IntentCounts conversations={data} />
          <CardRows label="Newest replies to answer">
            {data.slice(0, SHOWN).map(conversation => (
              <ConversationRow key={conversation.id} conversation={conversation} />
            ))}
          </CardRows>
        </>
      )}
    </DayCard>
  )
}

function IntentCounts({ conversations }: { conversations: Conversation[] }) {
  const counted = Object.entries(replyIntents).map(
    ([intent, [label]]) => [label, conversations.filter(each => each.intent === intent).length] as const,
  )
  const other = conversations.filter(({ intent }) => !intent).length
  const shown = [...counted, ['Not classified', other] as const].filter(([, count]) => count > 0)
  return (
    <ul aria-label="Replies by intent" className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {shown.map(([label, count]) => (
        <li key={label} className="text-muted">
          {label} <span className="font-medium text-text tabular-nums">{formatNumber(count)}</span>
        </li>
      ))}
    </ul>
  )
}
