import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Menu, MenuGroup, MenuItem } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { SavedViewDialog } from './saved-view-dialog.tsx'
import { toPersonFilters } from './search-params.ts'
import { isSameView, type SavedView, toSearch, useSavedViews } from './use-saved-views.ts'

const route = getRouteApi('/shell/people')

/** Opens, saves and changes saved views: named sets of filters, sort order and columns. */
export function SavedViews({ columns }: { columns: string[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { own, shared } = useSavedViews()
  const update = useOperationMutation('updateSavedView', 'listSavedViews')
  const canShare = usePermission('Campaign.EditCampaign')
  const [action, setAction] = useState<'create' | 'edit' | 'delete'>()
  const view = [...own, ...shared].find(({ id }) => id === search.view)
  const canChange = view && (canShare || !view.isShared)
  const isChanged = view && !isSameView(view, search)
  const close = () => setAction(undefined)
  const open = (view?: SavedView) =>
    void navigate({ search: ({ addTo }) => ({ ...(view && toSearch(view)), ...(addTo && { addTo }) }) })
  const handleSave = async (savedViewId: string) => {
    try {
      await update({
        savedViewId,
        filters: toPersonFilters(search),
        columns: search.columns === undefined ? null : columns,
      })
      showToast('View saved.')
    } catch (error) {
      showToast((error as Error).message)
    }
  }
  const toItem = (view: SavedView) => (
    <MenuItem key={view.id} onClick={() => open(view)}>
      <span className="wrap-anywhere min-w-0">{view.name}</span>
    </MenuItem>
  )
  const name = view?.name ?? 'All people'
  return (
    <>
      <Menu label={`View: ${name}`}>
        <MenuItem onClick={() => open()}>All people</MenuItem>
        {own.length > 0 && <MenuGroup label="Your views">{own.map(toItem)}</MenuGroup>}
        {shared.length > 0 && <MenuGroup label="Shared with the team">{shared.map(toItem)}</MenuGroup>}
        <MenuGroup label="Actions">
          <MenuItem onClick={() => setAction('create')}>Save as new view</MenuItem>
          {canChange && (
            <>
              <MenuItem onClick={() => setAction('edit')}>
                {canShare ? 'Rename or share view' : 'Rename view'}
              </MenuItem>
              <MenuItem onClick={() => setAction('delete')}>Delete view</MenuItem>
            </>
          )}
        </MenuGroup>
      </Menu>
      {isChanged && (
        <div className="order-last flex basis-full flex-wrap items-center gap-2 text-sm">
          <span role="status" className="text-muted">
            Unsaved changes
          </span>
          {canChange ? (
            <Button size="small" onClick={() => void handleSave(view.id)}>
              Save view
            </Button>
          ) : (
            <Button size="small" onClick={() => setAction('create')}>
              Save as new view
            </Button>
          )}
          <Button size="small" look="quiet" onClick={() => open(view)}>
            Discard changes
          </Button>
        </div>
      )}
      {action === 'create' && (
        <SavedViewDialog
          filters={toPersonFilters(search)}
          columns={columns}
          canShare={canShare}
          onClose={close}
          onCreated={open}
        />
      )}
      {action === 'edit' && view && <SavedViewDialog view={view} canShare={canShare} onClose={close} />}
      {action === 'delete' && view && (
        <DeleteDialog
          view={view}
          onClose={close}
          onDeleted={() => {
            close()
            open()
          }}
        />
      )}
    </>
  )
}

type DeleteProps = { view: SavedView; onClose: () => void; onDeleted: () => void }

function DeleteDialog({ view: { id, name, isShared }, onClose, onDeleted }: DeleteProps) {
  const remove = useOperationMutation('deleteSavedView', 'listSavedViews')
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${name}?`}
      confirm="Delete view"
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ savedViewId: id })
        showToast(`${name} was deleted.`)
        onDeleted()
      }}
    >
      {isShared ? 'Nobody on your team will be able to open it.' : 'You won’t be able to open it.'} The people
      in it aren’t deleted.
    </ConfirmDialog>
  )
}
