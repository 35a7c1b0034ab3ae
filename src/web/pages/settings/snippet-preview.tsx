import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { isSearchable } from '../../ui/is-searchable.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Snippet } from './snippets.tsx'

type Person = Output<'listPersons'>['data'][number]

const getName = ({ firstName, lastName, email }: Person): string =>
  [firstName, lastName].filter(Boolean).join(' ') || (email ?? 'Unnamed person')

/** Shows a snippet as it would be inserted for a person. */
export function PreviewDialog({ snippet, onClose }: { snippet: Snippet; onClose: () => void }) {
  const [person, setPerson] = useState<Person>()
  return (
    <Dialog isOpen onClose={onClose} title={`Preview ${snippet.name}`}>
      {person ? (
        <Preview snippet={snippet} person={person} onBack={() => setPerson(undefined)} />
      ) : (
        <PersonChoice onChoose={setPerson} />
      )}
    </Dialog>
  )
}

const MAX_FOUND = 8

function PersonChoice({ onChoose }: { onChoose: (person: Person) => void }) {
  const [text, setText] = useState('')
  const query = text.trim()
  const { data, isFetching } = useOperation('listPersons', {
    limit: MAX_FOUND,
    ...(isSearchable(query) && { query }),
  })
  return (
    <div className="grid gap-4">
      <TextField
        label="Person"
        type="search"
        maxLength={100}
        value={text}
        onChange={({ target }) => setText(target.value)}
        help="The text is filled in with their details."
      />
      <ul aria-label="People found" className="grid gap-1">
        {data?.data.map(person => (
          <li key={person.id}>
            <button
              type="button"
              onClick={() => onChoose(person)}
              className="w-full rounded-control border border-line px-3 py-2 text-left hover:bg-sunken"
            >
              <span className="wrap-anywhere block font-medium">{getName(person)}</span>
              <span className="wrap-anywhere block text-muted text-sm">
                {[person.email, person.company].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {data?.data.length === 0 && !isFetching && <p className="text-muted">Nobody matches.</p>}
    </div>
  )
}

type PreviewProps = { snippet: Snippet; person: Person; onBack: () => void }

function Preview({ snippet, person, onBack }: PreviewProps) {
  const query = useOperation('getSnippet', { snippetId: snippet.id, personId: person.id })
  return (
    <div className="grid gap-4">
      <p className="text-muted">For {getName(person)}:</p>
      <Loaded query={query} skeleton={<Skeleton className="h-24" />}>
        {({ rendered }) => (
          <>
            {rendered?.text !== undefined && (
              <p className="wrap-anywhere whitespace-pre-wrap rounded-control bg-sunken p-3">
                {rendered.text}
              </p>
            )}
            {rendered?.error && <p className="wrap-anywhere text-red">{rendered.error}</p>}
            {rendered && rendered.missing.length > 0 && (
              <p className="wrap-anywhere text-amber text-sm">
                No value for {rendered.missing.join(', ')}: fill in the brackets before you send it.
              </p>
            )}
          </>
        )}
      </Loaded>
      <Button className="justify-self-start" onClick={onBack}>
        Choose another person
      </Button>
    </div>
  )
}
