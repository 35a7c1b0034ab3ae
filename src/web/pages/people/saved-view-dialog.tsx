import { createSavedView } from '../../../contract/saved-views.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { PersonFilters } from './search-params.ts'
import type { SavedView } from './use-saved-views.ts'

type Props = {
  canShare: boolean
  onClose: () => void
} & (
  | { view: SavedView }
  | { filters: PersonFilters; columns: string[]; onCreated: (view: SavedView) => void }
)

/** Renames and shares a view, or creates one from the current filters and columns. */
export const SavedViewDialog = (props: Props) => (
  <Dialog
    isOpen
    onClose={props.onClose}
    title={'view' in props ? `Edit ${props.view.name}` : 'Save as new view'}
  >
    <SavedViewForm {...props} />
  </Dialog>
)

const schema = createSavedView.input.pick({ name: true, isShared: true })

function SavedViewForm({ canShare, onClose, ...props }: Props) {
  const create = useOperationMutation('createSavedView', 'listSavedViews')
  const update = useOperationMutation('updateSavedView', 'listSavedViews')
  const view = 'view' in props ? props.view : undefined
  const form = useSchemaForm(schema, {
    values: { name: view?.name ?? '', isShared: view?.isShared ?? false },
    onSubmit: async input => {
      if ('view' in props) await update({ ...input, savedViewId: props.view.id })
      else {
        const { filters, columns, onCreated } = props
        onCreated(await create({ ...input, kind: 'people', filters, columns }))
      }
      showToast('View saved.')
      onClose()
    },
  })
  return (
    <FormBody form={form} submit="Save view">
      <TextField label="Name" placeholder="Hot leads to call" maxLength={100} {...form.field('name')} />
      {canShare && (
        <CheckField
          label="Share with the team"
          help="Otherwise only you can open it."
          {...form.field('isShared')}
        />
      )}
    </FormBody>
  )
}
