import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, useOperationMutation, usePermission } from '../../api.ts'
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

/** Shows whether the person may be contacted, with a button that opts them out or allows contact again. */
export function DoNotContact({ person }: { person: Person }) {
  const { isOptedOut } = person
  const canAdd = usePermission('DoNotContact.EditDoNotContact')
  const canRemove = usePermission('DoNotContact.RemoveDoNotContact')
  // Stored separately from the status, which changes while a dialog waits for the lists to refresh.
  const [dialog, setDialog] = useState<'optOut' | 'allow'>()
  const close = () => setDialog(undefined)
  const name = getPersonName(person)
  const identifiers = toIdentifiers(person, name)
  const remove = useOperationMutation('removeOptOut', ...affected)
  const allow = async () => {
    for (const entry of listEntries(person)) await ignoreMissing(remove(entry))
    const { isOptedOut: isStillBlocked } = await call('getPerson', { personId: person.id })
    if (isStillBlocked)
      throw new Error(`Another entry, such as an email domain, still blocks ${name}. See Do Not Contact.`)
    showToast(`The entries for ${name} were removed.`)
    close()
  }
  return (
    <Section title="Do Not Contact">
      <p className="mb-2 text-muted">
        {isOptedOut ? explainOptOut(person) : 'Not on the list: they may be contacted.'}
      </p>
      {isOptedOut
        ? canRemove && (
            <Button size="small" onClick={() => setDialog('allow')}>
              Allow contact again
            </Button>
          )
        : canAdd &&
          identifiers.length > 0 && (
            <Button size="small" look="danger" onClick={() => setDialog('optOut')}>
              Opt out
            </Button>
          )}
      <ConfirmDialog
        isOpen={dialog === 'allow'}
        title={`Allow contact with ${name} again?`}
        confirm="Allow contact"
        onConfirm={allow}
        onCancel={close}
      >
        Their email addresses, phone numbers and LinkedIn profiles, including earlier ones, will be removed
        from the Do Not Contact list. Paused sequences stay paused until someone resumes them. A blocked
        domain still blocks them; see{' '}
        <Link to="/people/do-not-contact" className="underline">
          Do Not Contact
        </Link>
        .
      </ConfirmDialog>
      <OptOutDialog isOpen={dialog === 'optOut'} name={name} identifiers={identifiers} onClose={close} />
    </Section>
  )
}

/** Returns the entries that the person's contact details may have on the Do Not Contact list. */
const listEntries = (person: Person) =>
  toIdentifiers(person, '').flatMap(({ identifier }) => {
    const isPhone = [person.phone, ...(person.otherPhones ?? [])].includes(identifier)
    // An entry for texts to a number also blocks calls to it.
    const types = isPhone ? (['phone', 'sms', 'whatsapp'] as const) : ['' as const]
    return types.map(identifierType => ({ identifier, identifierType }))
  })

/** Ignores entries that don't exist: only some of a person's identifiers may be on the list. */
const ignoreMissing = (removal: Promise<unknown>): Promise<unknown> =>
  removal.catch(error => {
    if (error.code !== 'NotFound') throw error
  })
