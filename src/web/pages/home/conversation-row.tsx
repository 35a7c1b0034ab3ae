import type { Output } from '../../../contract/index.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { CardRow } from './day-card.tsx'

export type Conversation = Output<'listConversations'>['data'][number]

const getPersonName = ({ person }: Conversation): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || 'Unknown sender'

const getPage = ({ emailThreadId, linkedinConversationId }: Conversation): string =>
  emailThreadId ? `/inbox/${emailThreadId}` : `/inbox/linkedin/${linkedinConversationId}`

/** A conversation, linked to its page. */
export function ConversationRow({ conversation }: { conversation: Conversation }) {
  const { intent, lastMessage, subject } = conversation
  const [label, tone] = intent ? replyIntents[intent] : []
  return (
    <CardRow
      to={getPage(conversation)}
      title={getPersonName(conversation)}
      text={lastMessage.text || subject}
      aside={
        <>
          {label && <Badge tone={tone!}>{label}</Badge>}
          <Time at={lastMessage.at} />
        </>
      }
    />
  )
}
