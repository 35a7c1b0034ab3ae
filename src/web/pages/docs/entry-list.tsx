import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { isOperation, type ReferenceEntry, search } from './open-api.ts'

/** Lists every operation and event by section, with a search. */
export function EntryList({ entries }: { entries: ReferenceEntry[] }) {
  const [query, setQuery] = useState('')
  const found = search(entries, query)
  const sections = [...Map.groupBy(found, ({ tag }) => tag)]
  return (
    <nav aria-label="Operations" className="grid gap-4">
      <TextField
        label="Search"
        type="search"
        value={query}
        onChange={event => setQuery(event.target.value)}
        placeholder="campaign, email, webhook…"
      />
      <p role="status" className="text-muted text-sm">
        {found.length === 0 ? 'Nothing found.' : `${found.length} of ${entries.length}`}
      </p>
      {sections.map(([tag, members]) => (
        <section key={tag}>
          <h2 className="mb-1 font-medium text-muted text-sm">{tag}</h2>
          <ul>
            {members.map(entry => (
              <li key={entry.name}>
                <Link
                  to="/docs/$name"
                  params={{ name: entry.name }}
                  className="block rounded-control px-2 py-1 text-sm hover:bg-sunken aria-[current=page]:bg-accent-quiet aria-[current=page]:text-accent"
                >
                  {entry.summary}
                  {isOperation(entry) && (
                    <code className="wrap-anywhere block font-mono text-muted text-xs">
                      {entry.method} {entry.path}
                    </code>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
