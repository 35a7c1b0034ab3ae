export const destinations: [keys: string, action: string, to: string][] = [
  ['g h', 'Go to Home', '/'],
  ['g i', 'Go to Inbox', '/inbox'],
  ['g c', 'Go to Campaigns', '/campaigns'],
  ['g p', 'Go to People', '/people'],
  ['g t', 'Go to Tasks', '/tasks'],
  ['g l', 'Go to Calls', '/calls'],
  ['g r', 'Go to Reports', '/reports'],
]
const isMac = navigator.platform.startsWith('Mac')
const modifierKey = isMac ? '⌘' : 'Ctrl'
export const searchKeys = `${modifierKey} K`
/** Keys pressed together are joined by `+`, keys pressed in sequence by `then`; `or` separates alternatives. */
const shortcuts: [keys: string, action: string][] = [
  [`${modifierKey} + K`, 'Search everything and run commands'],
  ['?', 'Show keyboard shortcuts'],
  ...destinations.map(([keys, action]): [string, string] => [keys.replace(' ', ' then '), action]),
  ['j or ↓', 'Next row'],
  ['k or ↑', 'Previous row'],
  ['Home', 'First row'],
  ['End', 'Last row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['/', 'Search the list; Enter goes to the first row, Esc clears the search'],
  ['z', 'Undo, while the Undo button is shown'],
  ['Esc', 'Close the dialog or menu, or clear the selection'],
  [`${modifierKey} + Enter`, 'In a multi-line field: save the form'],
  ['c', 'Inbox or person: write an email'],
  ['c', 'Tasks: new task'],
  ['e', 'Task: mark as done'],
  ['s', 'Task: skip'],
  ['h', 'Task: snooze'],
  ['a', 'Task: assign'],
  ['y', 'Task: copy text'],
  ['o', 'Task: open profile'],
  ['Space', 'Call: play or pause'],
  ['← or →', 'Call: skip 5 seconds'],
  ['j', 'Conversation: open the next one'],
  ['k', 'Conversation: open the previous one'],
  ['r', 'Conversation: reply'],
  ['f', 'Conversation: forward'],
  ['e', 'Conversation: mark as done, or reopen'],
  ['h', 'Conversation: snooze'],
  ['a', 'Conversation: assign'],
  ['l', 'Conversation: tag'],
  ['u', 'Conversation: mark as unread and return to the list, or mark as read'],
  ['v', 'Conversation: show plain text or formatting'],
  ['s', 'Conversation: stop the sequence'],
  ['#', 'Conversation: opt the person out'],
  ['Esc', 'Conversation: return to the list'],
  [';', 'Message: insert a snippet'],
  [`${modifierKey} + Enter`, 'Message: send'],
  [`${modifierKey} + Shift + Enter`, 'Message: send and open the next conversation'],
  ['Esc', 'Message: leave the text field'],
]

const inboxActions = /^(?:Inbox|Conversation|Message)\b/

/** Returns the shortcuts. On inbox pages, inbox shortcuts come first. */
export const listShortcuts = (): [string, string][] =>
  location.pathname.startsWith('/inbox')
    ? shortcuts.toSorted(([, a], [, b]) => Number(inboxActions.test(b)) - Number(inboxActions.test(a)))
    : shortcuts
