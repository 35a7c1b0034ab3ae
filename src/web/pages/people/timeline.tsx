import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { createNote } from '../../../contract/notes.ts'
import { useOperationMutation, usePages, usePermission } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, filterClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { formatDateTime, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { NoteActions } from './note-actions.tsx'
import { getPersonName, type Person } from './person-name.ts'

export type Entry = Output<'getPersonTimeline'>['data'][number]

type Filter = 'all' | 'email' | 'linkedin' | 'call' | 'task' | 'note'

const filters: Record<Filter, { label: string; types?: Entry['type'][] }> = {
  all: { label: 'All' },
  email: { label: 'Email', types: ['email'] },
  linkedin: { label: 'LinkedIn', types: ['linkedin_message'] },
  call: { label: 'Calls', types: ['call', 'consent'] },
  task: { label: 'Tasks', types: ['task', 'meeting'] },
  note: { label: 'Notes', types: ['note'] },
}

const typeLabels: Record<Entry['type'], string> = {
  email: 'Email',
  linkedin_message: 'LinkedIn message',
  call: 'Call',
  task: 'Task',
  meeting: 'Meeting booked',
  note: 'Note',
  prospect: 'Added to campaign',
  consent: 'Consent recorded',
  opt_out: 'Opted out',
  merge: 'Duplicate merged',
}

/** Everything that happened with a person, newest first. */
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
      {canEdit && <NoteForm personId={person.id} />}
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
        Emails, messages, calls, tasks and notes with {getPersonName(person)} appear here.
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
  const { type, at, direction, status, text } = entry
  const isFree = type !== 'prospect'
  return (
    <article>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-sm">
        <span>
          {typeLabels[type]}
          {direction === 'in' && ' received'}
        </span>
        {status && <Badge>{status.replaceAll('_', ' ')}</Badge>}
        <span className="ml-auto">
          {type === 'task' && 'Due '}
          <Time at={at} />
        </span>
      </p>
      <p className="wrap-anywhere font-medium">
        <EntryLink entry={entry}>{toTitle(entry)}</EntryLink>
      </p>
      {text && (
        <p className="wrap-anywhere mt-1 max-w-[72ch] whitespace-pre-line text-sm">
          {isFree ? text : text.replaceAll('_', ' ')}
        </p>
      )}
      {type === 'note' && <NoteActions entry={entry} />}
    </article>
  )
}

const toTitle = ({ type, title, direction }: Entry): string => {
  if (type === 'meeting' && title) return `For ${formatDateTime(new Date(title))}`
  if (type === 'note') return title ?? 'Former member'
  if (type === 'linkedin_message') return direction === 'in' ? 'From them' : 'To them'
  if (type === 'task') return title?.replaceAll('_', ' ') ?? 'Task'
  return title ?? typeLabels[type]
}

/** Links to the page about the entry, if there is one. */
function EntryLink({ entry, children }: { entry: Entry; children: ReactNode }) {
  const { type, id, emailThreadId, linkedinConversationId, campaignId } = entry
  const className = 'underline-offset-2 hover:underline'
  if (emailThreadId)
    return (
      <Link to="/inbox/$emailThreadId" params={{ emailThreadId }} className={className}>
        {children}
      </Link>
    )
  if (linkedinConversationId)
    return (
      <Link
        to="/inbox/linkedin/$linkedinConversationId"
        params={{ linkedinConversationId }}
        className={className}
      >
        {children}
      </Link>
    )
  if (type === 'call')
    return (
      <Link to="/calls/$callId" params={{ callId: id }} className={className}>
        {children}
      </Link>
    )
  if (type === 'prospect' && campaignId)
    return (
      <Link to="/campaigns/$campaignId" params={{ campaignId }} className={className}>
        {children}
      </Link>
    )
  return children
}

/** A field for a note, which opens on demand. */
function NoteForm({ personId }: { personId: string }) {
  const [isOpen, setOpen] = useState(false)
  const create = useOperationMutation('createNote', 'getPersonTimeline', 'listNotes')
  const form = useSchemaForm(createNote.input, {
    values: { personId, text: '' },
    isCleared: true,
    onSubmit: async input => {
      await create(input)
      showToast('Note saved.')
      setOpen(false)
    },
  })
  if (!isOpen)
    return (
      <div className="mb-4">
        <Button size="small" onClick={() => setOpen(true)}>
          Add note
        </Button>
      </div>
    )
  return (
    <div className="mb-4">
      <FormBody
        form={form}
        submit="Save note"
        isGuarded
        aside={
          <Button look="quiet" onClick={() => setOpen(false)}>
            Cancel
          </Button>
        }
      >
        <LongTextField
          label="Note"
          help="Everyone in the account can read it. Never part of a message."
          autoFocus
          {...form.field('text')}
        />
      </FormBody>
    </div>
  )
}
