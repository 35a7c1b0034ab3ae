import { Link } from '@tanstack/react-router'
import { usePages } from '../../api.ts'
import { type Conversation, getContactName, getConversationPath } from '../../components/conversations.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** Shows the email and LinkedIn conversations with the people of a company. */
export function CompanyConversations({ companyId }: { companyId: string }) {
  const { query, more } = usePages('listConversations', { companyId })
  return (
    <Section title="Conversations">
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {conversations =>
          conversations.length > 0 ? (
            <Table
              label="Conversations"
              rows={conversations}
              more={more}
              columns={[
                {
                  head: 'Last message',
                  cell: conversation => <ConversationLink conversation={conversation} />,
                },
                { head: 'Person', cell: getContactName },
                { head: 'Intent', cell: conversation => <Intent conversation={conversation} /> },
                { head: 'Campaign', cell: ({ campaign }) => campaign?.name, isMinor: true },
                { head: 'Last activity', cell: ({ lastMessage }) => <Time at={lastMessage.at} /> },
              ]}
            />
          ) : (
            <EmptyState title="No conversations yet">
              Replies from people at this company, and your answers, appear here.
            </EmptyState>
          )
        }
      </Loaded>
    </Section>
  )
}

const ConversationLink = ({ conversation }: { conversation: Conversation }) => (
  <Link
    to={getConversationPath(conversation)}
    className="block max-w-[48ch] truncate underline-offset-2 hover:underline"
  >
    {conversation.subject ?? conversation.lastMessage.text}
  </Link>
)

function Intent({ conversation: { intent } }: { conversation: Conversation }) {
  if (!intent) return null
  const [label, tone] = replyIntents[intent]
  return <Badge tone={tone}>{label}</Badge>
}
