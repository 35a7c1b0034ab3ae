import { createRep } from '../../../contract/reps.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Rep } from './senders.tsx'

type Props = { isOpen: boolean; rep?: Rep | undefined; onClose: () => void }

/** Adds a rep, or changes one. */
export function RepDialog({ isOpen, rep, onClose }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={rep ? `Edit ${rep.name}` : 'Add rep'}>
      <RepForm rep={rep} onDone={onClose} />
    </Dialog>
  )
}

function RepForm({ rep, onDone }: { rep: Rep | undefined; onDone: () => void }) {
  const create = useOperationMutation('createRep', 'listReps')
  const update = useOperationMutation('updateRep', 'listReps')
  const form = useSchemaForm(createRep.input.omit({ ownedById: true }), {
    values: { name: rep?.name ?? '', signature: rep?.signature ?? '' },
    onSubmit: async input => {
      await (rep ? update({ repId: rep.id, ...input }) : create(input))
      showToast(`${input.name} ${rep ? 'saved' : 'added'}.`)
      onDone()
    },
  })
  return (
    <FormBody form={form} submit={rep ? 'Save rep' : 'Add rep'}>
      <TextField label="Name" help="Recipients see it as the sender." {...form.field('name')} />
      <LongTextField
        label="Signature"
        isOptional
        rows={5}
        help="Added below every email of a sequence. Plain text, or HTML if it contains tags."
        {...form.field('signature', emptyToNull)}
      />
    </FormBody>
  )
}
