import type { Conversation } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { type Action, usePermittedActions, useTriage } from './triage.tsx'

/** The actions on the open conversation. */
export function ConversationActions({ conversation }: { conversation: Conversation }) {
  const act = useTriage()
  const can = usePermittedActions()
  const conversations = [conversation]
  const isOpen = conversation.status === 'open'
  const more: [action: Action, label: string, key: string][] = [
    ['unread', conversation.isUnread ? 'Mark as read' : 'Mark as unread', 'u'],
    ['stop', 'Stop sequence', 's'],
    ['optOut', 'Opt out', '#'],
  ]
  const permitted = more.filter(([action]) => can(action, conversations))
  return (
    <section aria-label="Actions" className="flex flex-wrap gap-1.5">
      <UpdateButtons conversations={conversations} status={isOpen ? 'open' : 'closed'} />
      {permitted.length > 0 && (
        <Menu label="More" ariaLabel="More actions" size="small">
          {permitted.map(([action, label, key]) => (
            <MenuItem key={action} hint={key} onClick={() => act(action, conversations)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </section>
  )
}

/** Actions on the selected conversations. */
export function BulkActions({ conversations }: { conversations: Conversation[] }) {
  const act = useTriage()
  const isUnread = conversations.every(conversation => conversation.isUnread)
  return (
    <>
      <UpdateButtons conversations={conversations} status="open" />
      <Button size="small" onClick={() => act('unread', conversations)}>
        {isUnread ? 'Mark as read' : 'Mark as unread'}
      </Button>
    </>
  )
}

type UpdateProps = { conversations: Conversation[]; status: 'open' | 'closed' }

function UpdateButtons({ conversations, status }: UpdateProps) {
  const act = useTriage()
  const can = usePermittedActions()
  const buttons: [action: Action, label: string, key?: string][] = [
    status === 'open' ? ['done', 'Done', 'e'] : ['reopen', 'Reopen'],
    ['snooze', 'Snooze', 'h'],
    ['assign', 'Assign', 'a'],
    ['tag', 'Tag', 'l'],
  ]
  return buttons
    .filter(([action]) => can(action, conversations))
    .map(([action, label, key]) => (
      <Button
        key={action}
        size="small"
        title={key && `Key: ${key}`}
        onClick={() => act(action, conversations)}
      >
        {label}
      </Button>
    ))
}
