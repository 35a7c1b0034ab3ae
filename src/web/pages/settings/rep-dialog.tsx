import { lazy, Suspense } from 'react'
import { createRep } from '../../../contract/reps.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldGroup, TextField } from '../../ui/field.tsx'
import { FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Rep } from './senders.tsx'

const RichTextEditor = lazy(async () => ({
  default: (await import('../../components/rich-text-editor.tsx')).RichTextEditor,
}))

type Props = { isOpen: boolean; rep?: Rep | undefined; onClose: () => void }

/** Adds a rep, or changes one. */
export function RepDialog({ isOpen, rep, onClose }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={rep ? `Edit ${rep.name}` : 'Add rep'}>
      <RepForm rep={rep} onDone={onClose} />
    </Dialog>
  )
}

/** Edits the name and signature of a rep. */
export function RepForm({ rep, onDone }: { rep: Rep | undefined; onDone?: () => void }) {
  const create = useOperationMutation('createRep', 'listReps')
  const update = useOperationMutation('updateRep', 'listReps', 'getRep')
  const form = useSchemaForm(createRep.input.omit({ ownedById: true }), {
    values: { name: rep?.name ?? '', signature: rep?.signature ?? null },
    onSubmit: async (input, initial) => {
      await (rep ? update({ ...getChangedValues(input, initial), repId: rep.id }) : create(input))
      showToast(`${input.name} ${rep ? 'saved' : 'added'}.`)
      onDone?.()
    },
  })
  return (
    <FormBody form={form} submit={rep ? 'Save rep' : 'Add rep'}>
      <TextField label="Name" help="Recipients see it as the sender." {...form.field('name')} />
      <FieldGroup
        label="Signature"
        help="Added below every email of a sequence, and below replies. Email clients that don’t support formatting show it as plain text."
        error={form.fieldError('signature')}
      >
        <Suspense fallback={<Skeleton className="h-36" />}>
          <RichTextEditor
            label="Signature"
            value={rep?.signature ?? ''}
            onChange={value => form.setValue('signature', value || null)}
          />
        </Suspense>
      </FieldGroup>
    </FormBody>
  )
}
