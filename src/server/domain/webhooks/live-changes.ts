import { getPermissionScope, type Permission, type Role } from '../../../contract/permissions.ts'
import { type EventFamily, eventFamilies, type LiveList } from '../../../contract/webhooks.ts'

/** The lists that an event of each family changes, the list of its objects first, and the permission to read them. */
const lists: Record<EventFamily, { permission: Permission; names: [LiveList, ...LiveList[]] }> = {
  prospect: { permission: 'Prospect.ReadProspect', names: ['prospects', 'campaigns'] },
  person: { permission: 'Prospect.ReadProspect', names: ['persons', 'prospects', 'conversations'] },
  email: { permission: 'Inbox.ReadInbox', names: ['emailMessages', 'conversations'] },
  linkedin: { permission: 'Inbox.ReadInbox', names: ['linkedinMessages', 'conversations'] },
  conversation: { permission: 'Inbox.ReadInbox', names: ['conversations'] },
  call: { permission: 'Call.ReadCall', names: ['calls'] },
  task: { permission: 'Task.ReadTask', names: ['tasks'] },
  meeting: { permission: 'Prospect.ReadProspect', names: ['meetings', 'prospects'] },
  opt_out: { permission: 'DoNotContact.ReadDoNotContact', names: ['optOuts'] },
  campaign: { permission: 'Campaign.ReadCampaign', names: ['campaigns'] },
  mailbox: { permission: 'Rep.ReadRep', names: ['mailboxes', 'problems'] },
  problem: { permission: 'Campaign.ReadCampaign', names: ['problems'] },
}

const MAX_IDS = 100

export type RecordedEvent = { id: string; eventType: string; objectId: string }

/** The lists that changed, and the IDs of the changed objects by list; without `ids` any object may have changed. */
export type Changes = { lists: LiveList[]; ids?: { [list in LiveList]?: string[] } }

/**
 * Returns the lists that the events changed and the role may read, and the IDs of the changed objects. Omits the IDs of
 * lists that the role may read only for the user's own reps.
 */
export function toChanges(events: readonly RecordedEvent[], role: Role): Changes {
  const changed = new Set<LiveList>()
  const ids: NonNullable<Changes['ids']> = {}
  for (const { eventType, objectId } of events) {
    const { permission, names } = lists[eventType.split('.')[0] as EventFamily]
    const scope = getPermissionScope(role, permission)
    if (!scope) continue
    for (const name of names) changed.add(name)
    if (scope === 'all') ids[names[0]] = [...new Set([...(ids[names[0]] ?? []), objectId])]
  }
  const count = Object.values(ids).reduce((sum, each) => sum + each.length, 0)
  return { lists: [...changed].sort(), ...(count > 0 && count <= MAX_IDS && { ids }) }
}

/** Notifications are not account events: they belong to one user. */
export const changedNotifications: Changes = { lists: ['notifications'] }

/** Returns all lists that the role may read, for a reader who has missed events. */
export const toAllLists = (role: Role): Changes => ({
  lists: [
    ...toChanges(
      Object.keys(eventFamilies).map(family => ({ id: '', eventType: `${family}.`, objectId: '' })),
      role,
    ).lists,
    ...changedNotifications.lists,
  ].sort(),
})
