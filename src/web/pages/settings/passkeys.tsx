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
      intro="With one you sign in by your fingerprint, face or PIN: no password, no code, nothing to be phished."
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
          Your phone, your computer, a password manager or a security key can keep one.
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
      showToast(`${name} is added.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Add passkey">
      <FormBody form={form} submit="Add passkey">
        <TextField label="Name" help="So that you know it again." {...form.field('name')} />
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
        ? 'This device has a passkey for you already.'
        : 'No passkey was made: it was cancelled, took too long, or this device can make none.',
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
        showToast(`${passkey!.name} is removed.`)
        onClose()
      }}
    >
      Nobody can sign in with it any more. The device goes on offering it until you delete it there too.
    </ConfirmDialog>
  )
}
