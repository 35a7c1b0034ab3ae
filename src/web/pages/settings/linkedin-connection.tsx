import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import { NextSteps, useProblemsAbout } from '../../components/problems.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LinkedinDialog } from './linkedin-dialog.tsx'
import { providerNames } from './linkedin-providers.ts'
import type { LinkedinAccount, Rep } from './senders.tsx'

const statuses: Record<LinkedinAccount['status'], [Tone, string]> = {
  waiting: ['blue', 'Waiting for the first event'],
  working: ['green', 'Connected'],
  failing: ['red', 'Cannot send'],
}

type Props = { rep: Rep; accounts: LinkedinAccount[]; canEdit: boolean }

/** Shows the LinkedIn accounts of a rep. Without one, LinkedIn steps are tasks. */
export function LinkedinConnection({ rep, accounts, canEdit }: Props) {
  const [editing, setEditing] = useState<LinkedinAccount | 'new'>()
  const [removing, setRemoving] = useState<LinkedinAccount>()
  return (
    <div className="mt-4 grid gap-3">
      {accounts.map(account => (
        <article
          key={account.id}
          aria-label={`LinkedIn account of ${rep.name} through ${providerNames[account.provider]}`}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 py-3"
        >
          <h3 className="font-medium">LinkedIn through {providerNames[account.provider]}</h3>
          <Badge tone={statuses[account.status][0]}>{statuses[account.status][1]}</Badge>
          {account.statusReason && <p className="wrap-anywhere text-amber text-sm">{account.statusReason}</p>}
          <AccountNextSteps id={account.id} />
          {canEdit && (
            <div className="ml-auto flex flex-wrap gap-2">
              {account.provider === 'unipile' && (
                <Button
                  size="small"
                  aria-label={`Change LinkedIn access for ${rep.name}`}
                  onClick={() => setEditing(account)}
                >
                  Change access
                </Button>
              )}
              <Button
                size="small"
                aria-label={`Disconnect ${providerNames[account.provider]} for ${rep.name}`}
                onClick={() => setRemoving(account)}
              >
                Disconnect
              </Button>
            </div>
          )}
        </article>
      ))}
      {accounts.length === 0 && (
        <p className="flex flex-wrap items-center gap-3 text-muted text-sm">
          No LinkedIn account: LinkedIn steps become tasks.
          {canEdit && (
            <Button
              size="small"
              aria-label={`Connect LinkedIn for ${rep.name}`}
              onClick={() => setEditing('new')}
            >
              Connect LinkedIn
            </Button>
          )}
        </p>
      )}
      <LinkedinDialog
        rep={rep}
        account={editing === 'new' ? undefined : editing}
        isOpen={editing !== undefined}
        onClose={() => setEditing(undefined)}
      />
      <Disconnect rep={rep} account={removing} onClose={() => setRemoving(undefined)} />
    </div>
  )
}

const AccountNextSteps = ({ id }: { id: string }) => (
  <NextSteps problems={useProblemsAbout('linkedin_account', id)} />
)

type DisconnectProps = { rep: Rep; account: LinkedinAccount | undefined; onClose: () => void }

function Disconnect({ rep, account, onClose }: DisconnectProps) {
  const remove = useOperationMutation('deleteLinkedinAccount', 'listLinkedinAccounts')
  return (
    <ConfirmDialog
      isOpen={account !== undefined}
      title={`Disconnect the LinkedIn account of ${rep.name}?`}
      confirm="Disconnect account"
      onConfirm={async () => {
        await remove({ linkedinAccountId: account!.id })
        onClose()
      }}
      onCancel={onClose}
    >
      Its conversations are kept. New messages are no longer received, and queued messages become tasks.
    </ConfirmDialog>
  )
}
