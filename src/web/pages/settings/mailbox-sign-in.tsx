import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import type { Output } from '../../../contract/index.ts'
import { type MailProvider, mailProviders, type ProviderKey } from '../../../contract/mail-providers.ts'
import { useOperationMutation, usePermission } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import {
  ConnectApplication,
  ConnectProvider,
  type OAuthProvider,
  providerNames,
  type SignInMethods,
  useSignInMethods,
} from './connect-provider.tsx'
import { startingLimits } from './mailbox-limits-dialog.tsx'
import { hasSeparateLogins, SeparateLoginsForm } from './separate-logins-form.tsx'
import { ServerFields, server } from './server-fields.tsx'

/** The mailbox to connect, with its rep and the servers that were found for its address. */
export type MailboxDraft = {
  email: string
  repId: string | undefined
  repName: string
  found: Output<'discoverMailSettings'>
}

type Choice = ProviderKey | 'other'

const serverFields = z.object({
  user: z.string().trim().min(1).max(320),
  password: z.string().min(1).max(1024),
  smtp: server,
  imap: server,
})

type SignInProps = {
  address: MailboxDraft
  /** The mailbox that an earlier attempt has created. */
  mailbox: Mailbox | undefined
  /** Absent when the address is fixed. */
  onBack?: (() => void) | undefined
  onTested: (mailbox: Mailbox) => void
}

/** Creates or corrects a mailbox with its servers and password, and tests it. */
export function MailboxSignIn({ address, mailbox, onBack, onTested }: SignInProps) {
  const [chosen, setChosen] = useState<Choice>()
  const provider = chosen ?? getOAuthProvider(mailbox) ?? address.found.provider ?? 'other'
  const stored = chosen || !mailbox ? undefined : getStoredServers(mailbox, address)
  const methods = useSignInMethods(provider, address, mailbox)
  const canUseApplication = usePermission('Account.ManageSettings') || mailbox !== undefined
  const application = canUseApplication ? methods?.application : undefined
  const oauth = methods?.oauth
  const ownerSignIn = oauth && (
    <ConnectProvider key={oauth} provider={oauth} mailbox={mailbox} address={address} />
  )
  const advice = (
    <Advice provider={provider} source={address.found.source}>
      {methods && !oauth && !application && <SetupHint provider={provider} methods={methods} />}
    </Advice>
  )
  const signInForm =
    !chosen && hasSeparateLogins(mailbox) ? (
      <SeparateLoginsForm mailbox={mailbox} onTested={onTested} />
    ) : (
      <SignInForm
        key={provider}
        servers={stored ?? getServers(provider, address)}
        {...{ address, mailbox, provider, onTested }}
      />
    )
  return (
    <div className="grid gap-5">
      <p>
        {application ? 'Connecting' : 'Signing in as'} <strong>{address.email}</strong>.{' '}
        {onBack && !mailbox && (
          <button type="button" onClick={onBack} className="text-accent underline underline-offset-2">
            Change
          </button>
        )}
      </p>
      <div className="max-w-lg">
        <SelectField
          label="Mail provider"
          help="Companies with their own domain often use Google or Microsoft."
          value={provider}
          onChange={event => setChosen(event.target.value as Choice)}
        >
          {Object.entries(mailProviders).map(([key, { name }]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
          <option value="other">Another provider</option>
        </SelectField>
      </div>
      {application ? (
        <>
          <ConnectApplication {...{ application, mailbox, address, onTested }} />
          {ownerSignIn && <Alternative title="Let the owner sign in instead">{ownerSignIn}</Alternative>}
        </>
      ) : (
        (ownerSignIn ?? advice)
      )}
      {mailbox?.connection ? null : oauth || application ? (
        <Alternative title="Use an app password instead">
          {advice}
          {signInForm}
        </Alternative>
      ) : (
        signInForm
      )}
    </div>
  )
}

const Alternative = ({ title, children }: { title: string; children: ReactNode }) => (
  <details>
    <summary className="cursor-pointer font-medium">{title}</summary>
    <div className="mt-4 grid gap-5">{children}</div>
  </details>
)

/** Returns the provider of a mailbox that is connected without a password; undefined for others. */
const getOAuthProvider = (mailbox: Mailbox | undefined): OAuthProvider | undefined =>
  mailbox?.connection && (mailbox.connection.provider.startsWith('google') ? 'google' : 'microsoft')

type Servers = Pick<z.output<typeof serverFields>, 'smtp' | 'imap'>

const pickServer = ({ host, port, tls }: Servers['smtp']) => ({ host, port, tls })

/** Returns the mailbox's servers. A missing one is replaced by the server that was found. */
const getStoredServers = ({ smtp, imap }: Mailbox, { found }: MailboxDraft): Servers => ({
  smtp: pickServer(smtp ?? found.smtp),
  imap: pickServer(imap ?? found.imap),
})

/** Returns the servers of a provider. For `other`, returns those that were found, unless they belong to a provider. */
function getServers(provider: Choice, { found }: MailboxDraft): Servers {
  if (provider === found.provider || (provider === 'other' && found.source !== 'provider')) {
    return { smtp: pickServer(found.smtp), imap: pickServer(found.imap) }
  }
  if (provider !== 'other') {
    const { smtp, imap } = mailProviders[provider]
    return { smtp: pickServer(smtp), imap: pickServer(imap) }
  }
  return { smtp: { host: '', port: 587, tls: 'starttls' }, imap: { host: '', port: 993, tls: 'implicit' } }
}

const findings = {
  configuration: 'The provider publishes the settings below.',
  srv: 'The servers below are from the domain’s DNS records.',
  guess:
    'No settings were found for this address. Ask your mail provider for its servers; the names below are common.',
}

type AdviceProps = { provider: Choice; source: MailboxDraft['found']['source']; children?: ReactNode }

function Advice({ provider, source, children }: AdviceProps) {
  if (provider === 'other') {
    return source === 'provider' ? null : <p className="max-w-[72ch] text-muted">{findings[source]}</p>
  }
  const { advice }: Partial<MailProvider> = mailProviders[provider]
  if (!advice) return null
  return (
    <p className="max-w-[72ch] rounded-card border border-line bg-sunken p-3 text-sm">
      {advice.text}{' '}
      <a
        href={advice.url}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline underline-offset-2"
      >
        Open the provider’s page
      </a>
      {children}
    </p>
  )
}

/** Explains how a Google or Microsoft mailbox can be connected without an app password. */
function SetupHint({ provider, methods: { application } }: { provider: Choice; methods: SignInMethods }) {
  const canSetUp = usePermission('Account.ManageSettings')
  if (application)
    return <span className="mt-2 block">An owner or admin can add the mailbox without its password.</span>
  const name = providerNames[provider as OAuthProvider]
  if (!canSetUp)
    return (
      <span className="mt-2 block">
        Or ask an administrator to set up {name} under Settings → Google and Microsoft, so that you can sign
        in with {name} instead.
      </span>
    )
  return (
    <span className="mt-2 block">
      Or set up {name} under{' '}
      <Link to="/settings/mail-clients" className="text-accent underline underline-offset-2">
        Google and Microsoft
      </Link>
      , so that everyone can sign in with {name} instead.
    </span>
  )
}

function SignInForm({
  address: { email, repId, repName, found },
  mailbox,
  provider,
  servers,
  onTested,
}: Omit<SignInProps, 'onBack'> & { provider: Choice; servers: Servers }) {
  const createRep = useOperationMutation('createRep', 'listReps')
  const create = useOperationMutation('createMailbox', 'listMailboxes')
  const update = useOperationMutation('updateMailbox', 'listMailboxes')
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listDomains')
  // Keep the new rep and mailbox if a later step fails, so that trying again doesn't add them twice.
  const [rep, setRep] = useState(repId)
  const [created, setCreated] = useState(mailbox?.id)
  const form = useSchemaForm(serverFields, {
    values: {
      user: mailbox?.imap?.user ?? mailbox?.smtp?.user ?? findUserName(provider, found) ?? email,
      password: '',
      ...servers,
    },
    onSubmit: async ({ user, password, ...servers }) => {
      const smtp = { ...servers.smtp, user, password }
      const imap = { ...servers.imap, user, password }
      let mailboxId = created
      if (mailboxId) await update({ mailboxId, smtp, imap })
      else {
        const owner = rep ?? (await createRep({ name: repName })).id
        setRep(owner)
        mailboxId = (await create({ repId: owner, kind: 'smtp', email, ...startingLimits, smtp, imap })).id
        setCreated(mailboxId)
      }
      onTested(await verify({ mailboxId }))
    },
  })
  return (
    <FormBody form={form} submit={form.isBusy ? 'Testing the connection…' : 'Test and connect'} isGuarded>
      <PasswordField
        label={provider === 'other' || !('advice' in mailProviders[provider]) ? 'Password' : 'App password'}
        autoComplete="off"
        autoFocus
        help="Stored encrypted and never shown again."
        {...form.field('password')}
      />
      <details open={provider === 'other' || mailbox !== undefined || undefined} className="grid gap-4">
        <summary className="cursor-pointer font-medium">Server settings</summary>
        <div className="mt-4 grid gap-5">
          <TextField label="User name" autoComplete="off" {...form.field('user')} />
          <ServerFields title="Sending (SMTP)" name="smtp" field={form.field} />
          <ServerFields title="Receiving (IMAP)" name="imap" field={form.field} />
        </div>
      </details>
    </FormBody>
  )
}

/** Returns the user name that was found for the chosen provider. */
const findUserName = (provider: Choice, found: MailboxDraft['found']): string | undefined =>
  provider === (found.provider ?? 'other') ? found.imap.user : undefined
