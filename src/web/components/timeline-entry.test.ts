import { expect, it } from 'vitest'
import { type Entry, formatEntryStatus } from './timeline-entry.tsx'

it.each<[Entry['type'], string, string]>([
  ['email', 'auto_reply', 'Automatic reply'],
  ['email', 'unsubscribe', 'Opt-out request'],
  ['email', 'suppressed', 'Do Not Contact'],
  ['email', 'bounced', 'Bounced'],
  ['call', 'withdrawn', 'Cancelled'],
  ['call', 'no_answer', 'No answer'],
  ['prospect', 'active', 'In progress'],
  ['opt_out', 'unsubscribe_link', 'Unsubscribe link'],
])('a timeline labels the status of an entry as other pages do: %s, %s → %s', (type, status, label) => {
  expect(formatEntryStatus({ type, status } as Entry)).toBe(label)
})
