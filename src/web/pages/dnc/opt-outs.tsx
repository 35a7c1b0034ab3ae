import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AddDialog } from './add-opt-outs.tsx'

type OptOut = Output<'listOptOuts'>['data'][number]

const typeLabels: Record<OptOut['identifierType'], string> = {
  email: 'Email',
  linkedin: 'LinkedIn',
  phone: 'Phone',
  domain: 'Domain',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  web_chat: 'Web chat',
}

export function OptOutsPage() {
  const { query, more } = usePages('listOptOuts', {})
  const canAdd = usePermission('DoNotContact.EditDoNotContact')
  const canRemove = usePermission('DoNotContact.RemoveDoNotContact')
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<OptOut>()
  return (
    <Page
      title="Do Not Contact"
      intro="People, numbers and domains that no campaign or team member may contact."
      action={
        canAdd && (
          <Button look="primary" onClick={() => setAdding(true)}>
            Add to list
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Do Not Contact"
              rows={rows}
              more={more}
              columns={[
                {
                  head: 'Contact',
                  cell: ({ identifier }) => <span className="break-all">{identifier}</span>,
                },
                { head: 'Type', cell: ({ identifierType }) => typeLabels[identifierType] },
                { head: 'Name', cell: ({ name }) => name, isMinor: true },
                { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  head: '',
                  cell: optOut =>
                    canRemove && (
                      <Button
                        size="small"
                        aria-label={`Remove ${optOut.identifier}`}
                        onClick={() => setRemoving(optOut)}
                      >
                        Remove
                      </Button>
                    ),
                },
              ]}
            />
          ) : (
            <EmptyState title="No entries yet">
              People who opt out are added automatically. You can also add people, phone numbers and domains.
            </EmptyState>
          )
        }
      </Loaded>
      <AddDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <RemoveDialog optOut={removing} onClose={() => setRemoving(undefined)} />
    </Page>
  )
}

function RemoveDialog({ optOut, onClose }: { optOut: OptOut | undefined; onClose: () => void }) {
  const remove = useOperationMutation('removeOptOut', 'listOptOuts')
  return (
    <ConfirmDialog
      isOpen={optOut !== undefined}
      title={`Remove ${optOut?.identifier} from the list?`}
      confirm="Remove from list"
      onCancel={onClose}
      onConfirm={async () => {
        const { identifier, identifierType } = optOut!
        await remove({ identifier, identifierType })
        showToast(`${identifier} may be contacted again.`)
        onClose()
      }}
    >
      They can be contacted again immediately. Their paused sequences stay paused until someone resumes them.
    </ConfirmDialog>
  )
}
