import { createNote } from '../../contract/notes.ts'
import { useOperationMutation } from '../api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField } from '../ui/field.tsx'
import { FormBody, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { getPersonName, type Person } from './person-name.ts'

export function NoteDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const create = useOperationMutation('createNote', 'getPersonTimeline', 'listNotes')
  const form = useSchemaForm(createNote.input, {
    values: { personId: person.id, text: '' },
    onSubmit: async input => {
      await create(input)
      showToast('Note saved.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Add a note about ${getPersonName(person)}`}>
      <FormBody form={form} submit="Save note">
        <LongTextField
          label="Note"
          help="Everyone in the account can read the note. It is never part of a message."
          {...form.field('text')}
        />
      </FormBody>
    </Dialog>
  )
}
