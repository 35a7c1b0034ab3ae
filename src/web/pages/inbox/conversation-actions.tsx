import { useOperation } from '../../api.ts'
import type { Conversation } from '../../components/conversations.ts'
import { unfinishedStatuses } from '../../components/prospect-statuses.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { DownIcon, UpIcon } from '../../ui/icons.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { type Action, areClosed, useOpenAdjacent, usePermittedActions, useTriage } from './triage.tsx'

/** Shows the actions on the open conversation. */
export function ConversationActions({ conversation }: { conversation: Conversation }) {
  const act = useTriage()
  const can = usePermittedActions()
  const conversations = [conversation]
  const more: [action: Action, label: string, key: string][] = [
    ['unread', conversation.isUnread ? 'Mark as read' : 'Mark as unread', 'u'],
    ['stop', 'Stop sequence', 's'],
    ['optOut', 'Opt out', '#'],
  ]
  const hasSequence = useHasSequence(conversation)
  const permitted = more.filter(
    ([action]) => can(action, conversations) && (action !== 'stop' || hasSequence),
  )
  return (
    <section aria-label="Actions" className="flex flex-wrap gap-1.5">
      <UpdateButtons conversations={conversations} />
      {permitted.length > 0 && (
        <Menu label="More" ariaLabel="More actions" size="small">
          {permitted.map(([action, label, key]) => (
            <MenuItem key={action} hint={key} onClick={() => act(action, conversations)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
      {conversation.assignee && (
        <span className="self-center text-muted text-sm">Assigned to {conversation.assignee.name}</span>
      )}
    </section>
  )
}

/** Shows buttons that open the conversations above and below the open one. Hidden when the list is visible. */
export function AdjacentButtons({ listed, openId }: { listed: Conversation[]; openId: string | undefined }) {
  const openAdjacent = useOpenAdjacent()
  const index = listed.findIndex(({ id }) => id === openId)
  if (index < 0) return null
  return (
    <span className="flex gap-1 wide:hidden">
      <IconButton label="Previous conversation" isDisabled={index === 0} onClick={() => openAdjacent(-1)}>
        <UpIcon size={16} />
      </IconButton>
      <IconButton
        label="Next conversation"
        isDisabled={index === listed.length - 1}
        onClick={() => openAdjacent(1)}
      >
        <DownIcon size={16} />
      </IconButton>
    </span>
  )
}

/** Returns false once the person's sequence has ended. Sends no extra request: the person pane loads the same data. */
function useHasSequence({ personId, prospectId }: Conversation): boolean {
  const { data: person } = useOperation(
    'getPerson',
    { personId: personId ?? '' },
    { isEnabled: personId !== undefined },
  )
  const prospect = person?.prospects?.find(({ id }) => id === prospectId)
  return !prospect || unfinishedStatuses.includes(prospect.status)
}

/** Shows the actions on the selected conversations. */
export function BulkActions({ conversations }: { conversations: Conversation[] }) {
  const act = useTriage()
  const isUnread = conversations.every(conversation => conversation.isUnread)
  return (
    <>
      <UpdateButtons conversations={conversations} />
      <Button size="small" onClick={() => act('unread', conversations)}>
        {isUnread ? 'Mark as read' : 'Mark as unread'}
      </Button>
    </>
  )
}

function UpdateButtons({ conversations }: { conversations: Conversation[] }) {
  const act = useTriage()
  const can = usePermittedActions()
  const buttons: [action: Action, label: string, key: string][] = [
    areClosed(conversations) ? ['reopen', 'Reopen', 'e'] : ['done', 'Done', 'e'],
    ['snooze', 'Snooze', 'h'],
    ['assign', 'Assign', 'a'],
    ['tag', 'Tag', 'l'],
  ]
  return buttons
    .filter(([action]) => can(action, conversations))
    .map(([action, label, key]) => (
      <Button key={action} size="small" title={`Key: ${key}`} onClick={() => act(action, conversations)}>
        {label}
      </Button>
    ))
}
