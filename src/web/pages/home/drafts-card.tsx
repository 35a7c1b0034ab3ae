import { useOperation } from '../../api.ts'
import { ConversationRow } from './conversation-row.tsx'
import { CardRows, DayCard } from './day-card.tsx'

const MAX_COUNT = 100
const MAX_ROWS = 4
const POLL_MS = 60_000

/** Shows the conversations with a draft to read and send. */
export function DraftsCard() {
  const query = useOperation(
    'listConversations',
    { view: 'drafts', limit: MAX_COUNT },
    { refetchIntervalMs: POLL_MS },
  )
  return (
    <DayCard
      title="Drafts to approve"
      link={{ to: '/inbox', search: { view: 'drafts' }, label: 'Show drafts' }}
      query={query}
      count={({ data, hasMore }) => (hasMore ? `${MAX_COUNT}+` : data.length)}
      empty="No drafts are waiting for you."
    >
      {({ data }) => (
        <CardRows label="Conversations with drafts">
          {data.slice(0, MAX_ROWS).map(conversation => (
            <ConversationRow key={conversation.id} conversation={conversation} />
          ))}
        </CardRows>
      )}
    </DayCard>
  )
}
