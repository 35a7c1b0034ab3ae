import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import type { Person } from '../../components/person-name.ts'
import { Button } from '../../ui/button.tsx'
import { CloseIcon } from '../../ui/icons.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { KNOWN_TAGS_ID, KnownTags } from './known-tags.tsx'

/** Shows the person's tags, which can be added and removed in place. */
export function PersonTags({ person: { id, tags = [] } }: { person: Person }) {
  const canEdit = usePermission('Inbox.EditTags')
  const affected = ['getPerson', 'listPersons', 'listTags'] as const
  const assign = useOperationMutation('assignTags', ...affected)
  const unassign = useOperationMutation('unassignTags', ...affected)
  const [text, setText] = useState('')
  const change = (act: typeof assign, name: string) =>
    act({ entityType: 'person', entityId: id, tags: [name] }).catch(error => showToast(error.message))
  const handleSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    const name = text.trim()
    if (name) void change(assign, name).then(() => setText(''))
  }
  return (
    <Section title="Tags">
      {tags.length > 0 && (
        <ul aria-label="Tags" className="mb-2 flex flex-wrap gap-1.5">
          {tags.map(tag => (
            <li
              key={tag}
              className="flex min-w-0 items-center gap-1 rounded-full bg-sunken px-2.5 py-0.5 text-sm"
            >
              <span className="wrap-anywhere min-w-0">{tag}</span>
              {canEdit && (
                <button
                  type="button"
                  aria-label={`Remove tag ${tag}`}
                  onClick={() => void change(unassign, tag)}
                  className="rounded-full p-0.5 text-muted hover:text-text"
                >
                  <CloseIcon size={12} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {tags.length === 0 && !canEdit && <p className="text-muted">None</p>}
      {canEdit && (
        <form onSubmit={handleSubmit} className="flex gap-2">
          <input
            aria-label="New tag"
            placeholder="Add tag"
            list={KNOWN_TAGS_ID}
            maxLength={100}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="h-7 min-w-0 flex-1 rounded-control border border-edge bg-surface px-2.5 text-sm placeholder:text-muted"
          />
          <KnownTags />
          <Button type="submit" size="small">
            Add tag
          </Button>
        </form>
      )}
    </Section>
  )
}
