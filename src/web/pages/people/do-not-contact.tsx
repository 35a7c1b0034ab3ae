import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { OptOutDialog } from '../../components/opt-out-dialog.tsx'
import { toIdentifiers } from '../../components/opt-out-identifiers.ts'
import { explainOptOut } from '../../components/opt-out-sources.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'

const affected = [
  'getPerson',
  'listPersons',
  'getPersonTimeline',
  'listProspects',
  'getProspect',
  'listOptOuts',
] as const

/** Shows whether the person may be contacted, with the button that changes it. */
export function DoNotContact({ person }: { person: Person }) {
  const { isOptedOut } = person
  const canAdd = usePermission('DoNotContact.EditDoNotContact')
  const canRemove = usePermission('DoNotContact.RemoveDoNotContact')
  const [isConfirming, setConfirming] = useState(false)
  const name = getPersonName(person)
  const identifiers = toIdentifiers(person, name)
  const remove = useOperationMutation('removeOptOut', ...affected)
  const allow = async () => {
    for (const { identifier } of identifiers) await ignoreMissing(remove({ identifier }))
    showToast(`The entries for ${name} were removed.`)
    setConfirming(false)
  }
  return (
    <Section title="Do Not Contact">
      <p className="mb-2 text-muted">
        {isOptedOut ? explainOptOut(person) : 'Not on the list: they may be contacted.'}
      </p>
      {isOptedOut
        ? canRemove && (
            <Button size="small" onClick={() => setConfirming(true)}>
              Allow contact again
            </Button>
          )
        : canAdd &&
          identifiers.length > 0 && (
            <Button size="small" look="danger" onClick={() => setConfirming(true)}>
              Opt out
            </Button>
          )}
      {isOptedOut ? (
        <ConfirmDialog
          isOpen={isConfirming}
          title={`Allow contact with ${name} again?`}
          confirm="Allow contact"
          onConfirm={allow}
          onCancel={() => setConfirming(false)}
        >
          Their email address, phone number and LinkedIn profile will be removed from the Do Not Contact list.
          Paused sequences stay paused until someone resumes them. A blocked domain still blocks them; see{' '}
          <Link to="/people/do-not-contact" className="underline">
            Do Not Contact
          </Link>
          .
        </ConfirmDialog>
      ) : (
        <OptOutDialog
          isOpen={isConfirming}
          name={name}
          identifiers={identifiers}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  )
}

/** Ignores entries that don't exist: only some of a person's identifiers may be on the list. */
const ignoreMissing = (removal: Promise<unknown>): Promise<unknown> =>
  removal.catch(error => {
    if (error.code !== 'NotFound') throw error
  })
