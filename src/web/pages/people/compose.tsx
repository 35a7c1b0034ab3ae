import { useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { composeEmail } from '../../../contract/inbox.ts'
import { useOperationMutation } from '../../api.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

const { personId, subject, body } = composeEmail.input.shape
const fields = z.object({ personId, subject, body })

/** Writes a first email, as a draft that the inbox sends. */
export function ComposeDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const compose = useOperationMutation('composeEmail', 'getPersonTimeline', 'listEmailMessages')
  const navigate = useNavigate()
  const form = useSchemaForm(fields, {
    values: { personId: person.id, subject: '', body: '' },
    onSubmit: async input => {
      const { emailThreadId } = await compose({ ...input, draft: true })
      showToast('Draft created. Check it, then send it.')
      if (emailThreadId) void navigate({ to: '/inbox/$emailThreadId', params: { emailThreadId } })
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Write to ${getPersonName(person)}`}>
      <FormBody form={form} submit="Create draft">
        <TextField label="To" value={person.email ?? ''} readOnly />
        <TextField label="Subject" {...form.field('subject')} />
        <LongTextField label="Message" rows={8} {...form.field('body')} />
      </FormBody>
    </Dialog>
  )
}
