import { useState } from 'react'
import { newPasskey } from '../../../contract/sign-in.ts'
import { type OwnSignIn, request, type Session } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getBrowserName } from './browser-name.ts'
import { useStoreSession } from './use-store-session.ts'

type Passkey = OwnSignIn['passkeys'][number]

export function Passkeys({ own: { passkeys } }: { own: OwnSignIn }) {
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  return (
    <Section
      title="Passkeys"
      intro="Sign in with your fingerprint, face or PIN instead of a password. Passkeys resist phishing."
      action={<Button onClick={() => setAdding(true)}>Add passkey</Button>}
    >
      {passkeys.length > 0 ? (
        <Table
          label="Passkeys"
          rows={passkeys}
          columns={[
            { head: 'Name', cell: ({ name }) => name },
            { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} />, isMinor: true },
            {
              head: 'Last used',
              cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never used'),
            },
            {
              head: '',
              cell: passkey => (
                <Button
                  size="small"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setRemoving(passkey)}
                >
                  Remove
                </Button>
              ),
            },
          ]}
        />
      ) : (
        <EmptyState title="No passkeys yet">
          Add a passkey from your phone, computer, password manager or security key.
        </EmptyState>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      <RemoveDialog passkey={removing} onClose={() => setRemoving(undefined)} />
    </Section>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const storeNewSession = useStoreSession()
  const form = useSchemaForm(newPasskey.pick({ name: true }), {
    values: { name: getBrowserName(navigator.userAgent) },
    onSubmit: async ({ name }) => {
      await storeNewSession(await addPasskey(name))
      showToast(`${name} added.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Add passkey">
      <FormBody form={form} submit="Add passkey">
        <TextField label="Name" help="Helps you recognize this passkey." {...form.field('name')} />
      </FormBody>
    </Dialog>
  )
}

async function addPasskey(name: string): Promise<Session> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = await request<Parameters<typeof startRegistration>[0]['optionsJSON']>(
    'POST',
    '/user/passkeys/options',
  )
  const credential = await startRegistration({ optionsJSON }).catch((error: Error) => {
    throw new Error(
      error.name === 'InvalidStateError'
        ? 'This device already has a passkey for you.'
        : 'No passkey was created: the request was cancelled or timed out, or this device doesn’t support passkeys.',
    )
  })
  return request('POST', '/user/passkeys', { name, credential })
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey | undefined; onClose: () => void }) {
  const storeNewSession = useStoreSession()
  return (
    <ConfirmDialog
      isOpen={passkey !== undefined}
      title={`Remove ${passkey?.name}?`}
      confirm="Remove passkey"
      onCancel={onClose}
      onConfirm={async () => {
        await storeNewSession(await request<Session>('DELETE', `/user/passkeys/${passkey!.id}`))
        showToast(`${passkey!.name} removed.`)
        onClose()
      }}
    >
      This passkey can no longer be used to sign in. Your device keeps offering it until you delete it there
      too.
    </ConfirmDialog>
  )
}
