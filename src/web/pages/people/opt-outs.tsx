import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, useOperationMutation, usePages, usePermission } from '../../api.ts'
import { sourceLabels } from '../../components/opt-out-sources.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterGroup, FilterSelect } from '../../ui/filter-select.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AddDialog } from './add-opt-outs.tsx'
import { ExportOptOuts } from './export-opt-outs.tsx'
import { ImportOptOutsDialog } from './import-opt-outs.tsx'
import { type OptOut, type OptOutSearch, toListOptOutsInput, typeLabels } from './opt-out-search.ts'
import { PeopleTabs } from './people-tabs.tsx'

const route = getRouteApi('/shell/people/do-not-contact')

/** Shows the addresses, numbers, profiles and domains that nobody may contact. */
export function OptOutsPage() {
  const search = route.useSearch()
  const { query, more } = usePages('listOptOuts', toListOptOutsInput(search))
  const canAdd = usePermission('DoNotContact.EditDoNotContact')
  const canRemove = usePermission('DoNotContact.RemoveDoNotContact')
  const [openDialog, setOpenDialog] = useState<'add' | 'import'>()
  const [removing, setRemoving] = useState<OptOut>()
  const close = () => setOpenDialog(undefined)
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page
      title="Do Not Contact"
      intro="People, numbers and domains that no campaign or team member may contact."
      action={
        <div className="flex flex-wrap gap-2">
          <ExportOptOuts />
          {canAdd && <Button onClick={() => setOpenDialog('import')}>Import CSV</Button>}
          {canAdd && (
            <Button look="primary" onClick={() => setOpenDialog('add')}>
              Add to list
            </Button>
          )}
        </div>
      }
    >
      <PeopleTabs />
      <OptOutFilters search={search} />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Do Not Contact"
              rows={rows}
              more={more}
              columns={canRemove ? [...columns, removeColumn(setRemoving)] : columns}
            />
          ) : isFiltered ? (
            <EmptyState title="Nothing matches">
              Search for other words or remove the filter.
              <Link to="/people/do-not-contact" className={buttonClass()}>
                Clear filters
              </Link>
            </EmptyState>
          ) : (
            <EmptyState title="No entries yet">
              People who opt out are added automatically. You can also add people, phone numbers and domains.
              {canAdd && (
                <Button look="primary" onClick={() => setOpenDialog('add')}>
                  Add to list
                </Button>
              )}
            </EmptyState>
          )
        }
      </Loaded>
      <AddDialog isOpen={openDialog === 'add'} onClose={close} />
      <ImportOptOutsDialog isOpen={openDialog === 'import'} onClose={close} />
      {removing && <RemoveDialog optOut={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  )
}

/** Shows the search box and the filter. The URL holds both. */
function OptOutFilters({ search }: { search: OptOutSearch }) {
  const navigate = route.useNavigate()
  const apply = (next: OptOutSearch) => void navigate({ search: next, replace: true })
  const { data: members } = useOperation('listMembers', { limit: 100 })
  const { query, ...filter } = search
  const [[name, chosen] = []] = Object.entries(filter)
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchBox
        label="Search Do Not Contact"
        placeholder="Search address, number, domain or name"
        query={query}
        onSearch={text => apply({ ...filter, ...(text && { query: text }) })}
      />
      <FilterSelect
        label="Filter"
        value={name ? `${name}:${chosen}` : ''}
        onChange={value => {
          const [name, chosen] = value.split(':')
          apply({ ...(query && { query }), ...(name && { [name]: chosen }) })
        }}
      >
        <option value="">All entries</option>
        <FilterGroup label="Type" name="type" options={Object.entries(typeLabels)} />
        <FilterGroup label="Source" name="source" options={Object.entries(sourceLabels)} />
        <FilterGroup
          label="Added by"
          name="addedBy"
          options={(members?.data ?? []).map(({ id, name }) => [id, name])}
        />
      </FilterSelect>
    </div>
  )
}

/** Reports whether an entry belongs to an erased person. Such an entry can be neither shown nor removed. */
const isErased = ({ identifier }: OptOut): boolean => identifier.startsWith('erased:')

const columns: Column<OptOut>[] = [
  {
    head: 'Contact',
    cell: optOut => (
      <span className="wrap-anywhere block narrow:min-w-36">
        <span>{isErased(optOut) ? 'Erased person' : optOut.identifier}</span>
        {optOut.name && <span className="block text-muted text-xs">{optOut.name}</span>}
      </span>
    ),
  },
  { head: 'Type', cell: ({ identifierType }) => typeLabels[identifierType], isMinor: true },
  { head: 'Source', cell: ({ source }) => sourceLabels[source] },
  { head: 'Added by', cell: ({ addedBy }) => addedBy, isMinor: true },
  { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const removeColumn = (onRemove: (optOut: OptOut) => void): Column<OptOut> => ({
  head: '',
  cell: optOut =>
    !isErased(optOut) && (
      <Button size="small" aria-label={`Remove ${optOut.identifier}`} onClick={() => onRemove(optOut)}>
        Remove
      </Button>
    ),
})

/** Sources of entries that the person requested. */
const requestSources: readonly OptOut['source'][] = [
  'reply',
  'unsubscribe_link',
  'unsubscribe_mail',
  'complaint',
  'call',
]

function RemoveDialog({ optOut, onClose }: { optOut: OptOut; onClose: () => void }) {
  const { identifier, identifierType, source } = optOut
  const remove = useOperationMutation('removeOptOut', 'listOptOuts', 'listPersons', 'getPerson')
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${identifier} from the list?`}
      confirm="Remove from list"
      onCancel={onClose}
      onConfirm={async () => {
        await remove({ identifier, identifierType })
        showToast(`${identifier} may be contacted again.`)
        onClose()
      }}
    >
      {requestSources.includes(source) &&
        'They asked not to be contacted. Remove them only if they have since agreed to be contacted. '}
      {source === 'bounce' && 'Email to this address bounced, and may bounce again. '}
      {identifierType === 'domain' ? `Everyone at ${identifier}` : 'They'} may be contacted again immediately,
      by campaigns and by your team. Paused sequences stay paused until someone resumes them.
    </ConfirmDialog>
  )
}
