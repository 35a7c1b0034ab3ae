import { type Conversation, getContactName, getConversationPath } from '../../components/conversations.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { CardRow } from './day-card.tsx'

/** Shows a conversation, linked to its page. */
export function ConversationRow({ conversation }: { conversation: Conversation }) {
  const { intent, lastMessage, subject } = conversation
  const [label, tone] = intent ? replyIntents[intent] : []
  return (
    <CardRow
      to={getConversationPath(conversation)}
      title={getContactName(conversation)}
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
