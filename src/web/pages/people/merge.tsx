import { useState } from 'react'
import { useOperation, useOperationMutation } from '../../api.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { isSearchable } from '../../ui/is-searchable.ts'
import { showToast } from '../../ui/toast.tsx'

/** Finds the duplicate, shows which values are kept, and merges it. */
export function MergeDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const name = getPersonName(person)
  const [text, setText] = useState(name)
  const [duplicate, setDuplicate] = useState<Person>()
  const query = text.trim()
  const { data, isFetching } = useOperation(
    'listPersons',
    { query, limit: 20 },
    { isEnabled: isSearchable(query) },
  )
  const merge = useOperationMutation(
    'mergePersons',
    'getPerson',
    'listPersons',
    'getPersonTimeline',
    'listProspects',
  )
  const found = data?.data.filter(({ id }) => id !== person.id)
  return (
    <Dialog isOpen onClose={onClose} title={`Merge a duplicate into ${name}`}>
      <div className="grid gap-4">
        <TextField
          label="Find the duplicate"
          type="search"
          maxLength={100}
          value={text}
          onChange={({ target }) => setText(target.value)}
          help="Name, email, phone or company."
        />
        {found && found.length > 0 && (
          <ul aria-label="People found" className="grid gap-1">
            {found.map(other => (
              <li key={other.id}>
                <button
                  type="button"
                  onClick={() => setDuplicate(other)}
                  className="w-full rounded-control border border-line px-3 py-2 text-left hover:bg-sunken"
                >
                  <span className="wrap-anywhere block font-medium">{getPersonName(other)}</span>
                  <span className="wrap-anywhere block text-muted text-sm">
                    {[other.email, other.phone, other.company].filter(Boolean).join(' · ') ||
                      'No contact details'}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {found?.length === 0 && !isFetching && (
          <p className="text-muted">Nobody else matches. Try another word.</p>
        )}
        <div>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
      <ConfirmDialog
        isOpen={duplicate !== undefined}
        title={`Merge ${duplicate ? getPersonName(duplicate) : ''} into ${name}?`}
        confirm="Merge"
        onCancel={() => setDuplicate(undefined)}
        onConfirm={async () => {
          await merge({ personId: person.id, duplicateIds: [duplicate!.id] })
          showToast('Duplicate merged.')
          onClose()
        }}
      >
        {duplicate && <MergeConsequences person={person} duplicate={duplicate} />}
      </ConfirmDialog>
    </Dialog>
  )
}

const compared = { email: 'Email', phone: 'Phone', title: 'Job title', company: 'Company' } as const

/** Lists the values that the person keeps and gains. */
function MergeConsequences({ person, duplicate }: { person: Person; duplicate: Person }) {
  const rows = Object.entries(compared).flatMap(([field, label]) => {
    const own = person[field as keyof typeof compared]
    const other = duplicate[field as keyof typeof compared]
    const kept = own || other
    return kept ? [{ label, kept, dropped: own && other && own !== other ? other : undefined }] : []
  })
  return (
    <>
      {rows.map(({ label, kept, dropped }) => (
        <span key={label} className="wrap-anywhere block">
          {label}: <span className="font-medium text-text">{kept}</span>
          {dropped && ` (instead of ${dropped})`}
        </span>
      ))}
      <span className="mt-3 block">
        Campaigns, conversations, calls, tasks, notes, tags and custom fields of the duplicate move here. This
        person keeps both email addresses, and an opt-out of either still applies. If both people are in the
        same campaign, one sequence stops. A merge can’t be undone.
      </span>
    </>
  )
}
