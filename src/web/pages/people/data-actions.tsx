import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { erasePerson } from '../../../contract/persons.ts'
import { call, useOperationMutation, usePermission } from '../../api.ts'
import { downloadFile } from '../../components/download.ts'
import { appendInFlightNote } from '../../components/in-flight.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { MergeDialog } from './merge.tsx'

/** Shows buttons that merge, export and erase a person. */
export function DataActions({ person }: { person: Person }) {
  const canEdit = usePermission('Prospect.EditProspect')
  const canManage = usePermission('Prospect.ManagePersonalData')
  const [openDialog, setOpenDialog] = useState<'merge' | 'erase'>()
  const [isExporting, setExporting] = useState(false)
  if (!canEdit) return null
  const close = () => setOpenDialog(undefined)
  const exportAll = async () => {
    setExporting(true)
    await call('exportPerson', { personId: person.id }).then(
      data => downloadFile(`person-${person.id}.json`, 'application/json', JSON.stringify(data, null, 2)),
      error => showToast(error.message),
    )
    setExporting(false)
  }
  return (
    <Section title="Data">
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => setOpenDialog('merge')}>
          Merge duplicate
        </Button>
        {canManage && (
          <>
            <Button size="small" isBusy={isExporting} onClick={() => void exportAll()}>
              Export data
            </Button>
            <Button size="small" look="danger" onClick={() => setOpenDialog('erase')}>
              Erase person
            </Button>
          </>
        )}
      </div>
      {!canManage && (
        <p className="mt-2 text-muted text-sm">Only admins and owners can export or erase a person’s data.</p>
      )}
      {openDialog === 'merge' && <MergeDialog person={person} onClose={close} />}
      {openDialog === 'erase' && <EraseDialog person={person} onClose={close} />}
    </Section>
  )
}

function EraseDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const name = getPersonName(person)
  const navigate = useNavigate()
  const erase = useOperationMutation('erasePerson', 'listPersons', 'listOptOuts')
  const form = useSchemaForm(erasePerson.input, {
    values: { personId: person.id, expectedPerson: '' },
    onSubmit: async input => {
      const { inFlight } = await erase(input)
      showToast(appendInFlightNote(`${name} was erased.`, inFlight))
      void navigate({ to: '/people' })
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Erase ${name}?`}>
      <FormBody form={form} submit="Erase person" allowsDiscard isDanger>
        <p className="text-muted">
          Their details, emails, messages, calls, tasks and notes are deleted for good, and so are all CSV
          files that your team exported. Statistics don’t change. If someone imports them again, they won’t be
          contacted. This can’t be undone.
        </p>
        <TextField label={`Type ${name} to confirm`} autoComplete="off" {...form.field('expectedPerson')} />
      </FormBody>
    </Dialog>
  )
}
