import { useState } from 'react'
import { usePages, usePermission } from '../../api.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { formatStatusReason } from '../../components/prospect-statuses.ts'
import {
  type Entry,
  EntryLink,
  formatEntryStatus,
  formatEntryTitle,
  getEntryLabel,
} from '../../components/timeline-entry.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, filterClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { loadDialog } from '../../ui/load-dialog.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { NoteActions } from './note-actions.tsx'

const NoteDialog = loadDialog(async () => (await import('../../components/note-dialog.tsx')).NoteDialog)

type Filter = 'all' | 'email' | 'linkedin' | 'call' | 'task' | 'note'

const filters: Record<Filter, { label: string; types?: Entry['type'][] }> = {
  all: { label: 'All' },
  email: { label: 'Email', types: ['email'] },
  linkedin: { label: 'LinkedIn', types: ['linkedin_message'] },
  call: { label: 'Calls', types: ['call', 'consent'] },
  task: { label: 'Tasks', types: ['task', 'meeting'] },
  note: { label: 'Notes', types: ['note'] },
}

/** Shows a person's timeline, newest first. */
export function Timeline({ person }: { person: Person }) {
  const [filter, setFilter] = useState<Filter>('all')
  const { types } = filters[filter]
  const { query, more } = usePages('getPersonTimeline', {
    personId: person.id,
    ...(types && { type: types }),
  })
  const canEdit = usePermission('Prospect.EditProspect')
  return (
    <Section title="Timeline">
      {canEdit && <AddNote person={person} />}
      <fieldset className="mb-3 flex flex-wrap gap-1">
        <legend className="sr-only">Show</legend>
        {Object.entries(filters).map(([name, { label }]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === filter}
            onClick={() => setFilter(name as Filter)}
            className={filterClass}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {entries => (
          <>
            <Entries person={person} entries={entries} />
            <LoadMore {...more} count={entries.length} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Entries({ person, entries }: { person: Person; entries: Entry[] }) {
  if (entries.length === 0)
    return (
      <EmptyState title="Nothing yet">
        {getPersonName(person)}’s emails, messages, calls, tasks and notes appear here.
      </EmptyState>
    )
  return (
    <ol
      aria-label="Timeline"
      {...listKeys}
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {entries.map((entry, index) => (
        <li
          key={`${entry.type}-${entry.id}`}
          tabIndex={index === 0 ? 0 : -1}
          className="px-4 py-3 outline-offset-[-2px]"
        >
          <TimelineEntry entry={entry} />
        </li>
      ))}
    </ol>
  )
}

function TimelineEntry({ entry }: { entry: Entry }) {
  const { type, at, direction, text } = entry
  const status = formatEntryStatus(entry)
  return (
    <article>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-sm">
        <span>
          {getEntryLabel(entry)}
          {direction === 'in' && ' received'}
        </span>
        {status && <Badge>{status}</Badge>}
        <span className="ml-auto">
          {type === 'task' && 'Due '}
          <Time at={at} />
        </span>
      </p>
      <p className="wrap-anywhere font-medium">
        <EntryLink entry={entry}>{formatEntryTitle(entry)}</EntryLink>
      </p>
      {text && (
        <p className="wrap-anywhere mt-1 max-w-[72ch] whitespace-pre-line text-sm">
          {type === 'prospect' ? formatStatusReason(text) : text}
        </p>
      )}
      {type === 'note' && <NoteActions entry={entry} />}
    </article>
  )
}

function AddNote({ person }: { person: Person }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="mb-4">
      <Button size="small" onClick={() => setOpen(true)}>
        Add note
      </Button>
      {isOpen && <NoteDialog person={person} onClose={() => setOpen(false)} />}
    </div>
  )
}
