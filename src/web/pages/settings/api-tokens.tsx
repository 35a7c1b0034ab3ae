import { lazy, Suspense, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { FormSkeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const CreateTokenForm = lazy(async () => ({
  default: (await import('./create-token-form.tsx')).CreateTokenForm,
}))

type ApiToken = Output<'listApiTokens'>['data'][number]

export function ApiTokensPage() {
  const { query, more } = usePages('listApiTokens', {})
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiToken>()
  const createButton = (
    <Button look="primary" onClick={() => setCreating(true)}>
      Create token
    </Button>
  )
  return (
    <Page
      title="API tokens"
      intro={
        <>
          API tokens let programs act on your behalf in all your accounts.{' '}
          <a className="text-accent underline" href="/docs">
            Read the API documentation
          </a>
        </>
      }
      action={createButton}
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="API tokens"
              rows={rows}
              more={more}
              columns={[
                { head: 'Name', cell: token => <NameCell token={token} /> },
                {
                  head: 'Prefix',
                  cell: ({ prefix }) => <code className="font-mono">{prefix}…</code>,
                  isMinor: true,
                },
                { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
                {
                  head: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never used'),
                },
                { head: 'Expires', cell: token => <ExpiryCell token={token} /> },
                {
                  head: '',
                  cell: token =>
                    !token.revokedAt && (
                      <Button
                        size="small"
                        aria-label={`Revoke ${token.name}`}
                        onClick={() => setRevoking(token)}
                      >
                        Revoke
                      </Button>
                    ),
                },
              ]}
            />
          ) : (
            <EmptyState title="No tokens yet">
              Create a token to use Overture from scripts, tools and assistants.
            </EmptyState>
          )
        }
      </Loaded>
      <CreateDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />
    </Page>
  )
}

const NameCell = ({ token }: { token: ApiToken }) => (
  <span className="flex min-w-0 items-center gap-2">
    <span className="wrap-anywhere min-w-0">{token.name}</span>
    {token.isReadOnly && <Badge>Read-only</Badge>}
  </span>
)

function ExpiryCell({ token: { revokedAt, expiresAt } }: { token: ApiToken }) {
  if (revokedAt) return <Badge tone="red">Revoked</Badge>
  if (!expiresAt) return 'Never expires'
  return new Date(expiresAt) < new Date() ? <Badge tone="amber">Expired</Badge> : <Time at={expiresAt} />
}

function RevokeDialog({ token, onClose }: { token: ApiToken | undefined; onClose: () => void }) {
  const revoke = useOperationMutation('revokeApiToken', 'listApiTokens')
  return (
    <ConfirmDialog
      isOpen={token !== undefined}
      title={`Revoke ${token?.name}?`}
      confirm="Revoke token"
      onCancel={onClose}
      onConfirm={async () => {
        await revoke({ apiTokenId: token!.id })
        showToast(`${token!.name} revoked.`)
        onClose()
      }}
    >
      Programs that use this token stop working immediately, as do tokens created with it. This can’t be
      undone.
    </ConfirmDialog>
  )
}

function CreateDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [token, setToken] = useState<string>()
  const close = () => {
    onClose()
    setToken(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={token ? 'Copy your token now' : 'Create token'}>
      {token ? (
        <div className="grid justify-items-stretch gap-5">
          <CopyBox value={token} label="API token">
            This token is shown only once. Store it with your program’s secrets and send it as{' '}
            <code className="font-mono">Authorization: Bearer …</code>
          </CopyBox>
          <Button look="primary" className="justify-self-start" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <Suspense fallback={<FormSkeleton fields={2} />}>
          <CreateTokenForm onCreated={setToken} />
        </Suspense>
      )}
    </Dialog>
  )
}
