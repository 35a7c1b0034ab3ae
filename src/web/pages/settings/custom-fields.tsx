import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CreateCustomField, EditCustomField } from './custom-field-form.tsx'
import { objectLabels, typeLabels } from './custom-field-labels.ts'

export type CustomField = Output<'listCustomFields'>['data'][number]

export function CustomFieldsPage() {
  const { query, more } = usePages('listCustomFields', {})
  const canEdit = usePermission('Campaign.EditCampaign')
  const [isCreating, setCreating] = useState(false)
  const [editing, setEditing] = useState<CustomField>()
  const [deleting, setDeleting] = useState<CustomField>()
  const createButton = canEdit && (
    <Button look="primary" onClick={() => setCreating(true)}>
      Create field
    </Button>
  )
  const actions: Column<CustomField> = {
    head: '',
    cell: field => (
      <span className="flex justify-end gap-2">
        <Button size="small" aria-label={`Edit ${field.label}`} onClick={() => setEditing(field)}>
          Edit
        </Button>
        <Button size="small" aria-label={`Delete ${field.label}`} onClick={() => setDeleting(field)}>
          Delete
        </Button>
      </span>
    ),
  }
  const isEmpty = query.data?.length === 0
  return (
    <Page
      title="Custom fields"
      intro="Your own fields for people and companies, to filter by and to use in templates."
      action={!isEmpty && createButton}
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Custom fields"
              rows={rows}
              more={more}
              columns={canEdit ? [...columns, actions] : columns}
            />
          ) : (
            <EmptyState title="No custom fields yet">
              Add details that your team keeps, such as the plan of a customer or a personal opening line.
              {createButton}
            </EmptyState>
          )
        }
      </Loaded>
      <CreateCustomField isOpen={isCreating} onClose={() => setCreating(false)} />
      {editing && <EditCustomField field={editing} onClose={() => setEditing(undefined)} />}
      {deleting && <DeleteDialog field={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  )
}

const columns: Column<CustomField>[] = [
  {
    head: 'Name',
    cell: ({ label, choices }) => (
      <span className="wrap-anywhere">
        {label}
        {choices && <span className="line-clamp-2 block text-muted text-xs">{choices.join(', ')}</span>}
      </span>
    ),
  },
  {
    head: 'In templates',
    cell: ({ key }) => <code className="whitespace-nowrap text-xs">{`{{ ${key} }}`}</code>,
  },
  { head: 'Applies to', cell: ({ appliesTo }) => objectLabels[appliesTo] },
  { head: 'Type', cell: ({ type }) => typeLabels[type] },
]

function DeleteDialog({ field, onClose }: { field: CustomField; onClose: () => void }) {
  const { id, label, key, appliesTo } = field
  const remove = useOperationMutation(
    'deleteCustomField',
    'listCustomFields',
    'listPersons',
    'getPerson',
    'getCompany',
  )
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${label}?`}
      confirm="Delete field"
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ customFieldId: id })
        showToast(`${label} was deleted.`)
        onClose()
      }}
    >
      Its values are deleted for all {appliesTo === 'person' ? 'people' : 'companies'} and can’t be restored.
      While a draft, running or paused campaign uses {`{{ ${key} }}`}, the field can’t be deleted.
    </ConfirmDialog>
  )
}
