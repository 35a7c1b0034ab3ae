import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { updateTag } from '../../../contract/tags.ts'
import { useOperationMutation, usePages, usePermission } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Tag = Output<'listTags'>['data'][number]

/** Operations that return names of tags. */
const affected = [
  ...(['listTags', 'listPersons', 'getPerson', 'listSavedViews'] as const),
  ...conversationReads,
  'getEmailThread',
  'getLinkedinConversation',
] as const

export function TagsPage() {
  const { query, more } = usePages('listTags', {})
  const canEdit = usePermission('Campaign.EditCampaign')
  const [renaming, setRenaming] = useState<Tag>()
  const [deleting, setDeleting] = useState<Tag>()
  const actions: Column<Tag> = {
    head: '',
    cell: tag => (
      <span className="flex justify-end gap-2">
        <Button size="small" aria-label={`Rename ${tag.name}`} onClick={() => setRenaming(tag)}>
          Rename
        </Button>
        <Button size="small" aria-label={`Delete ${tag.name}`} onClick={() => setDeleting(tag)}>
          Delete
        </Button>
      </span>
    ),
  }
  return (
    <Page title="Tags" intro="Labels for people and conversations, shared by the whole team.">
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table label="Tags" rows={rows} more={more} columns={canEdit ? [...columns, actions] : columns} />
          ) : (
            <EmptyState title="No tags yet">
              Tags appear here once somebody adds one to a person or conversation.
            </EmptyState>
          )
        }
      </Loaded>
      {renaming && (
        <Dialog isOpen onClose={() => setRenaming(undefined)} title={`Rename ${renaming.name}`}>
          <RenameForm tag={renaming} onRenamed={() => setRenaming(undefined)} />
        </Dialog>
      )}
      {deleting && <DeleteDialog tag={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  )
}

const columns: Column<Tag>[] = [
  { head: 'Tag', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
  { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

function RenameForm({ tag, onRenamed }: { tag: Tag; onRenamed: () => void }) {
  const update = useOperationMutation('updateTag', ...affected)
  const form = useSchemaForm(updateTag.input, {
    values: { tagId: tag.id, name: tag.name },
    onSubmit: async input => {
      await update(input)
      showToast(`${tag.name} is now ${input.name}.`)
      onRenamed()
    },
  })
  return (
    <FormBody form={form} submit="Rename tag">
      <TextField
        label="Name"
        help="The tag gets the new name on everything that has it and in saved views."
        {...form.field('name')}
      />
    </FormBody>
  )
}

function DeleteDialog({ tag: { id, name }, onClose }: { tag: Tag; onClose: () => void }) {
  const remove = useOperationMutation('deleteTag', ...affected)
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the tag ${name}?`}
      confirm="Delete tag"
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ tagId: id })
        showToast(`${name} was deleted.`)
        onClose()
      }}
    >
      It is removed from every person and conversation that has it. This can’t be undone.
    </ConfirmDialog>
  )
}
