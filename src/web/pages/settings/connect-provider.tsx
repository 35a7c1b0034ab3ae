import { useState } from 'react'
import type { RawInput } from '../../../contract/index.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { startingLimits } from './mailbox-limits-dialog.tsx'
import type { Address } from './mailbox-sign-in.tsx'

export type OAuthProvider = 'google' | 'microsoft'

export const providerNames: Record<OAuthProvider, string> = { google: 'Google', microsoft: 'Microsoft' }

/** Returns the provider at which the owner of a mailbox can sign in, if an OAuth client is set up for it. */
export function useOAuthProvider(provider: string): OAuthProvider | undefined {
  const clients = useOperation('listMailClients', {}, { isEnabled: provider in providerNames })
  return clients.data?.data.find(({ kind }) => kind === provider) && (provider as OAuthProvider)
}

/** Creates the mailbox if need be, and sends the browser to the provider. */
export function ConnectProvider({
  provider,
  mailbox,
  address,
}: {
  provider: OAuthProvider
  mailbox: Mailbox | undefined
  address: Address
}) {
  const createRep = useOperationMutation('createRep', 'listReps')
  const create = useOperationMutation('createMailbox', 'listMailboxes')
  const { start, isBusy, error } = useSignIn()
  const [created, setCreated] = useState(mailbox?.id)
  const [rep, setRep] = useState(address.repId)
  const [isShared, setShared] = useState(mailbox?.connection?.isShared ?? false)
  const name = providerNames[provider]
  const isMicrosoft = provider === 'microsoft'
  const sharing = isMicrosoft && { isShared }
  const add = async (): Promise<string> => {
    const repId = rep ?? (await createRep({ name: address.repName })).id
    setRep(repId)
    const { email } = address
    const { id } = await create({ repId, kind: 'smtp', email, provider, ...startingLimits, ...sharing })
    setCreated(id)
    return id
  }
  return (
    <div className="grid max-w-[72ch] justify-items-start gap-4">
      {isMicrosoft && (
        <CheckField
          label="It is a shared mailbox"
          help="You sign in as a user who has “Full Access” to it and may “Send As” it."
          checked={isShared}
          onChange={event => setShared(event.target.checked)}
        />
      )}
      <p>
        Sign in at {name} as {isMicrosoft && isShared ? 'yourself' : <strong>{address.email}</strong>} and
        allow Overture to read and send its mail. Overture never sees your password.
      </p>
      <Button
        look="primary"
        isBusy={isBusy}
        onClick={() => start(async () => ({ mailboxId: created ?? (await add()), provider, ...sharing }))}
      >
        Continue with {name}
      </Button>
      {error}
    </div>
  )
}

/** Connects a mailbox again to which Overture has lost access. */
export function ReconnectButton({ mailbox: { id, email } }: { mailbox: Mailbox }) {
  const { start, isBusy, error } = useSignIn()
  return (
    <>
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={`Connect ${email} again`}
        onClick={() => start(async () => ({ mailboxId: id }))}
      >
        Connect again
      </Button>
      {error}
    </>
  )
}

/** Returns a function that sends the browser to the provider of a mailbox, and the error if that fails. */
function useSignIn() {
  const connect = useOperationMutation('connectMailbox')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const start = (getInput: () => Promise<RawInput<'connectMailbox'>>): void => {
    setBusy(true)
    setError(undefined)
    getInput()
      .then(connect)
      .then(
        ({ url }) => window.location.assign(url),
        error => {
          setError(error.message)
          setBusy(false)
        },
      )
  }
  return {
    start,
    isBusy,
    error: error && (
      <p role="alert" className="text-red text-sm">
        {error}
      </p>
    ),
  }
}
