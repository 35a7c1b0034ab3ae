import { useState } from 'react'
import type { RawInput } from '../../../contract/index.ts'
import { findProviderByDomain } from '../../../contract/mail-providers.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { startingLimits } from './mailbox-limits-dialog.tsx'
import type { MailboxDraft } from './mailbox-sign-in.tsx'

export type OAuthProvider = 'google' | 'microsoft'

export const providerNames: Record<OAuthProvider, string> = { google: 'Google', microsoft: 'Microsoft' }

const applicationNames = {
  google_service_account: 'the service account of your Google Workspace',
  microsoft_app: 'the application of your Microsoft tenant',
}
type Application = keyof typeof applicationNames
const applications: Record<OAuthProvider, Application> = {
  google: 'google_service_account',
  microsoft: 'microsoft_app',
}

/** Ways to sign in to a mailbox without a password; undefined when unavailable. */
export type SignInMethods = {
  /** The provider where the mailbox's owner can sign in. */
  oauth: OAuthProvider | undefined
  /** The client through which the mailbox can be opened without its owner. */
  application: Application | undefined
}

/**
 * Returns how a mailbox can be connected with the clients that are set up; undefined for other providers and
 * while loading.
 */
export function useSignInMethods(
  provider: string,
  { email }: MailboxDraft,
  mailbox: Mailbox | undefined,
): SignInMethods | undefined {
  const isOffered = provider === 'google' || provider === 'microsoft'
  const clients = useOperation('listMailClients', {}, { isEnabled: isOffered })
  if (!isOffered || !clients.data) return undefined
  const has = (kind: string) => clients.data.data.some(client => client.kind === kind)
  const application = applications[provider]
  // An application can open only an organization's mailboxes. An existing mailbox keeps its sign-in method.
  const mayUse = mailbox
    ? mailbox.connection?.provider === application
    : findProviderByDomain(email.slice(email.lastIndexOf('@') + 1)) === undefined
  return {
    oauth: has(provider) ? provider : undefined,
    application: has(application) && mayUse ? application : undefined,
  }
}

/** Returns a function that creates the mailbox and its rep unless they exist, and resolves to the mailbox's ID. */
function useCreateMailbox({ email, repId, repName }: MailboxDraft, mailbox: Mailbox | undefined) {
  const createRep = useOperationMutation('createRep', 'listReps')
  const create = useOperationMutation('createMailbox', 'listMailboxes')
  const [created, setCreated] = useState(mailbox?.id)
  const [rep, setRep] = useState(repId)
  return async (signIn: Pick<RawInput<'createMailbox'>, 'provider' | 'isShared'>): Promise<string> => {
    if (created) return created
    const owner = rep ?? (await createRep({ name: repName })).id
    setRep(owner)
    const { id } = await create({ repId: owner, kind: 'smtp', email, ...startingLimits, ...signIn })
    setCreated(id)
    return id
  }
}

/** Creates the mailbox if needed, and redirects the browser to the provider. */
export function ConnectProvider({
  provider,
  mailbox,
  address,
}: {
  provider: OAuthProvider
  mailbox: Mailbox | undefined
  address: MailboxDraft
}) {
  const create = useCreateMailbox(address, mailbox)
  const { start, isBusy, error } = useSignIn()
  const [isShared, setShared] = useState(mailbox?.connection?.isShared ?? false)
  const name = providerNames[provider]
  const isMicrosoft = provider === 'microsoft'
  const sharing = isMicrosoft && { isShared }
  return (
    <div className="grid max-w-[72ch] justify-items-start gap-4">
      {isMicrosoft && (
        <CheckField
          label="This is a shared mailbox"
          help="You sign in as a user who has “Full Access” to it and may “Send As” it."
          checked={isShared}
          onChange={event => setShared(event.target.checked)}
        />
      )}
      <p>
        Sign in with {name} as {isMicrosoft && isShared ? 'yourself' : <strong>{address.email}</strong>} and
        allow Overture to read and send its mail. Overture never sees your password.
      </p>
      <Button
        look="primary"
        isBusy={isBusy}
        onClick={() =>
          start(async () => ({ mailboxId: await create({ provider, ...sharing }), provider, ...sharing }))
        }
      >
        Continue with {name}
      </Button>
      {error}
    </div>
  )
}

/** Tests a mailbox that opens without its owner's sign-in. Creates the mailbox if it doesn't exist. */
export function ConnectApplication({
  application,
  mailbox,
  address,
  onTested,
}: {
  application: Application
  mailbox: Mailbox | undefined
  address: MailboxDraft
  onTested: (mailbox: Mailbox) => void
}) {
  const create = useCreateMailbox(address, mailbox)
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listDomains', 'listProblems')
  const { run, isBusy, error } = useAttempt()
  return (
    <div className="grid max-w-[72ch] justify-items-start gap-4">
      <p>
        Overture opens <strong>{address.email}</strong> through {applicationNames[application]}. Nobody has to
        sign in.
      </p>
      <Button
        look="primary"
        isBusy={isBusy}
        onClick={() =>
          run(async () => onTested(await verify({ mailboxId: await create({ provider: application }) })))
        }
      >
        {mailbox ? 'Test again' : 'Add mailbox'}
      </Button>
      {error}
    </div>
  )
}

/** Connects a mailbox to which Overture no longer has access, or never had. */
export function ReconnectButton({ mailbox: { id, email, connection } }: { mailbox: Mailbox }) {
  const { start, isBusy, error } = useSignIn()
  const again = connection?.connectedAt ? ' again' : ''
  return (
    <>
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={`Connect ${email}${again}`}
        onClick={() => start(async () => ({ mailboxId: id }))}
      >
        Connect{again}
      </Button>
      {error}
    </>
  )
}

/** Returns a function that redirects the browser to the provider of a mailbox, and the error if that fails. */
function useSignIn() {
  const connect = useOperationMutation('connectMailbox')
  const { run, ...state } = useAttempt()
  const start = (getInput: () => Promise<RawInput<'connectMailbox'>>): void =>
    run(async () => window.location.assign((await connect(await getInput())).url))
  return { start, ...state }
}

/**
 * Returns a function that runs an attempt, and the attempt's state and error. Stays busy after a success, because the
 * user is taken to another page.
 */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const run = (attempt: () => Promise<void>): void => {
    setBusy(true)
    setError(undefined)
    attempt().catch((error: Error) => {
      setError(error.message)
      setBusy(false)
    })
  }
  return {
    run,
    isBusy,
    error: error && (
      <p role="alert" className="text-red text-sm">
        {error}
      </p>
    ),
  }
}
