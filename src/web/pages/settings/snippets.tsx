import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, usePermission } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { SnippetDialog } from './snippet-form.tsx'
import { PreviewDialog } from './snippet-preview.tsx'
import { type SnippetsSearch, toListSnippetsInput } from './snippets-search.ts'

export type Snippet = Output<'listSnippets'>['data'][number]
type OpenDialog = { action: 'edit' | 'preview' | 'delete'; snippet: Snippet } | { action: 'create' }

const route = getRouteApi('/shell/settings/snippets')

export function SnippetsPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listSnippets', toListSnippetsInput(search))
  const canCreate = usePermission('Inbox.CreateDraft')
  const canShare = usePermission('Campaign.EditCampaign')
  const [openDialog, setOpenDialog] = useState<OpenDialog>()
  const close = () => setOpenDialog(undefined)
  const isFiltered = Object.keys(search).length > 0
  const isEmpty = query.data?.length === 0 && !isFiltered
  const createButton = canCreate && (
    <Button look="primary" onClick={() => setOpenDialog({ action: 'create' })}>
      Create snippet
    </Button>
  )
  const actions: Column<Snippet> = {
    head: '',
    cell: snippet => (
      <span className="flex flex-wrap justify-end gap-2">
        <Button
          size="small"
          aria-label={`Preview ${snippet.name}`}
          onClick={() => setOpenDialog({ action: 'preview', snippet })}
        >
          Preview
        </Button>
        {canCreate && (canShare || !snippet.isShared) && (
          <>
            <Button
              size="small"
              aria-label={`Edit ${snippet.name}`}
              onClick={() => setOpenDialog({ action: 'edit', snippet })}
            >
              Edit
            </Button>
            <Button
              size="small"
              aria-label={`Delete ${snippet.name}`}
              onClick={() => setOpenDialog({ action: 'delete', snippet })}
            >
              Delete
            </Button>
          </>
        )}
      </span>
    ),
  }
  return (
    <Page title="Snippets" intro="Reusable text for emails and messages." action={!isEmpty && createButton}>
      {!isEmpty && <Filters search={search} />}
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table label="Snippets" rows={rows} more={more} columns={[...columns, actions]} />
          ) : isFiltered ? (
            <EmptyState title="Nothing matches">Search for other words or show all snippets.</EmptyState>
          ) : (
            <EmptyState title="No snippets yet">
              Write text once and insert it with the person’s name and company filled in.
              {createButton}
            </EmptyState>
          )
        }
      </Loaded>
      {(openDialog?.action === 'create' || openDialog?.action === 'edit') && (
        <SnippetDialog
          snippet={openDialog.action === 'edit' ? openDialog.snippet : undefined}
          onClose={close}
        />
      )}
      {openDialog?.action === 'preview' && <PreviewDialog snippet={openDialog.snippet} onClose={close} />}
      {openDialog?.action === 'delete' && <DeleteDialog snippet={openDialog.snippet} onClose={close} />}
    </Page>
  )
}

/** Shows the search box and the filter. The URL holds both. */
function Filters({ search }: { search: SnippetsSearch }) {
  const navigate = route.useNavigate()
  const apply = (next: SnippetsSearch) => void navigate({ search: next, replace: true })
  const { query, owner } = search
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchBox
        label="Search snippets"
        placeholder="Search name or text"
        query={query}
        onSearch={text => apply({ ...(owner && { owner }), ...(text && { query: text }) })}
      />
      <select
        aria-label="Filter"
        value={owner ?? ''}
        onChange={({ target: { value } }) =>
          apply({
            ...(query && { query }),
            ...((value === 'team' || value === 'me') && { owner: value }),
          })
        }
        className="h-9 min-w-0 rounded-control border border-edge bg-surface px-3 pr-8"
      >
        <option value="">All snippets</option>
        <option value="team">Shared with the team</option>
        <option value="me">Only mine</option>
      </select>
    </div>
  )
}

const columns: Column<Snippet>[] = [
  {
    head: 'Name',
    cell: ({ name, text }) => (
      <span className="wrap-anywhere">
        {name}
        <span className="line-clamp-1 block text-muted text-xs">{text}</span>
      </span>
    ),
  },
  {
    head: 'Available to',
    cell: ({ isShared }) => (isShared ? <Badge tone="accent">Team</Badge> : <Badge>Only you</Badge>),
  },
]

function DeleteDialog({
  snippet: { id, name, isShared },
  onClose,
}: {
  snippet: Snippet
  onClose: () => void
}) {
  const remove = useOperationMutation('deleteSnippet', 'listSnippets')
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${name}?`}
      confirm="Delete snippet"
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ snippetId: id })
        showToast(`${name} was deleted.`)
        onClose()
      }}
    >
      {isShared ? 'Nobody on your team will be able to insert it.' : 'You won’t be able to insert it.'}{' '}
      Messages that contain it don’t change.
    </ConfirmDialog>
  )
}
