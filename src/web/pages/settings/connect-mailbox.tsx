import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { tlsModes } from '../../../contract/mailboxes.ts'
import { useOperation, useOperationMutation, useSession } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import {
  findProvider,
  getServers,
  type MailProvider,
  mailProviders,
  type ProviderKey,
} from './mail-providers.ts'
import { startingLimits } from './mailbox-limits-dialog.tsx'
import type { Mailbox } from './mailbox-state.tsx'
import type { Rep } from './senders.tsx'

const route = getRouteApi('/shell/settings/senders/connect')

type Address = { email: string; repId: string | undefined; repName: string }

/** Connects a mailbox in three steps: whose it is, how to sign in, and the result of the test. */
export function ConnectMailboxPage() {
  const reps = useOperation('listReps', { limit: 100 })
  const [address, setAddress] = useState<Address>()
  const [mailbox, setMailbox] = useState<Mailbox>()
  const [isTested, setTested] = useState(false)
  return (
    <Page
      above={
        <Link to="/settings/senders" className="text-accent underline-offset-2 hover:underline">
          Senders
        </Link>
      }
      title="Connect mailbox"
      intro="Overture sends through your own mail server, and reads replies so that they stop a sequence."
    >
      <Card>
        <Loaded query={reps} skeleton={<FormSkeleton fields={2} />}>
          {({ data }) =>
            isTested && mailbox ? (
              <Result mailbox={mailbox} onEdit={() => setTested(false)} />
            ) : address ? (
              <ServerForm
                address={address}
                mailbox={mailbox}
                onBack={() => setAddress(undefined)}
                onTested={tested => {
                  setMailbox(tested)
                  setTested(true)
                }}
              />
            ) : (
              <AddressForm reps={data} onDone={setAddress} />
            )
          }
        </Loaded>
      </Card>
    </Page>
  )
}

const NEW_REP = 'new'
const addressFields = z
  .object({
    email: z.email(),
    repId: z.string(),
    repName: z.string().trim().max(200),
  })
  .refine(({ repId, repName }) => repId !== NEW_REP || repName, {
    path: ['repName'],
    message: 'This field is required',
  })

function AddressForm({ reps, onDone }: { reps: Rep[]; onDone: (address: Address) => void }) {
  const { repId: suggested } = route.useSearch()
  const [isNew, setNew] = useState(reps.length === 0)
  const form = useSchemaForm(addressFields, {
    values: { email: '', repId: isNew ? NEW_REP : (suggested ?? reps[0]!.id), repName: '' },
    onSubmit: async ({ email, repId, repName }) =>
      onDone({ email, repName, repId: repId === NEW_REP ? undefined : repId }),
  })
  const repField = form.field('repId')
  return (
    <FormBody form={form} submit="Continue" aside={<TestMailboxButton reps={reps} />}>
      <TextField
        label="Email address"
        type="email"
        autoComplete="email"
        placeholder="ada@acme.example"
        autoFocus
        {...form.field('email')}
      />
      {reps.length > 0 && (
        <SelectField
          label="Sender"
          help="In whose name this mailbox sends."
          {...repField}
          onChange={event => {
            setNew(event.target.value === NEW_REP)
            void repField.onChange(event)
          }}
        >
          {reps.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value={NEW_REP}>Somebody new</option>
        </SelectField>
      )}
      {isNew && (
        <TextField
          label="Name of the sender"
          autoComplete="name"
          help="Recipients see it beside the address."
          {...form.field('repName')}
        />
      )}
    </FormBody>
  )
}

/** Adds a mailbox that delivers nothing, to try everything else. */
function TestMailboxButton({ reps }: { reps: Rep[] }) {
  const createRep = useOperationMutation('createRep')
  const create = useOperationMutation('createMailbox', 'listMailboxes', 'listReps')
  const navigate = useNavigate()
  const { user } = useSession()
  const [error, setError] = useState<string>()
  const add = async () => {
    try {
      const repId = reps[0]?.id ?? (await createRep({ name: user.name })).id
      await create({ repId, kind: 'sandbox', email: user.email })
      await navigate({ to: '/settings/senders' })
    } catch (error) {
      setError((error as Error).message)
    }
  }
  return (
    <span className="grid gap-1">
      <Button look="quiet" onClick={() => void add()}>
        Use a test mailbox that delivers nothing
      </Button>
      {error && (
        <span role="alert" className="text-red text-sm">
          {error}
        </span>
      )}
    </span>
  )
}

const server = z.object({
  host: z.string().trim().min(1).max(253),
  port: z.int().min(1).max(65_535),
  tls: z.enum(tlsModes),
})
const serverFields = z.object({
  user: z.string().trim().min(1).max(320),
  password: z.string().min(1).max(1024),
  smtp: server,
  imap: server,
})

type ServerProps = {
  address: Address
  /** The mailbox that an earlier attempt has created. */
  mailbox: Mailbox | undefined
  onBack: () => void
  onTested: (mailbox: Mailbox) => void
}

function ServerForm({ address, mailbox, onBack, onTested }: ServerProps) {
  const [chosen, setChosen] = useState<ProviderKey>()
  const provider = chosen ?? findProvider(address.email)
  const servers = chosen ? undefined : getStoredServers(mailbox)
  return (
    <div className="grid gap-5">
      <p>
        Signing in as <strong>{address.email}</strong>.{' '}
        {!mailbox && (
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
          onChange={event => setChosen(event.target.value as ProviderKey)}
        >
          {Object.entries(mailProviders).map(([key, { name }]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
          <option value="other">Another provider</option>
        </SelectField>
      </div>
      <Advice provider={provider} />
      <SignInForm
        key={provider}
        servers={servers ?? getServers(provider, address.email)}
        {...{ address, mailbox, provider, onTested }}
      />
    </div>
  )
}

type Servers = Pick<z.output<typeof serverFields>, 'smtp' | 'imap'>

/** Returns the servers of an earlier attempt. */
function getStoredServers(mailbox: Mailbox | undefined): Servers | undefined {
  if (!mailbox?.smtp || !mailbox.imap) return undefined
  const pick = ({ host, port, tls }: Servers['smtp']) => ({ host, port, tls })
  return { smtp: pick(mailbox.smtp), imap: pick(mailbox.imap) }
}

function Advice({ provider }: { provider: ProviderKey }) {
  const { advice }: Partial<MailProvider> = provider === 'other' ? {} : mailProviders[provider]
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
    </p>
  )
}

function SignInForm({
  address: { email, repId, repName },
  mailbox,
  provider,
  servers,
  onTested,
}: Omit<ServerProps, 'onBack'> & { provider: ProviderKey; servers: Servers }) {
  const createRep = useOperationMutation('createRep', 'listReps')
  const create = useOperationMutation('createMailbox', 'listMailboxes')
  const update = useOperationMutation('updateMailbox', 'listMailboxes')
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listDomains')
  // Kept when a later step fails, so that trying again does not add them twice.
  const [rep, setRep] = useState(repId)
  const [created, setCreated] = useState(mailbox?.id)
  const form = useSchemaForm(serverFields, {
    values: { user: mailbox?.imap?.user ?? email, password: '', ...servers },
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

const tlsLabels = { implicit: 'TLS', starttls: 'STARTTLS', none: 'None' }

function ServerFields({
  title,
  name,
  field,
}: {
  title: string
  name: 'smtp' | 'imap'
  field: ReturnType<typeof useSchemaForm<typeof serverFields>>['field']
}) {
  return (
    <fieldset className="grid min-w-0 gap-4 narrow:grid-cols-[1fr_6rem_9rem]">
      <legend className="mb-2 font-medium">{title}</legend>
      <TextField label="Server" autoComplete="off" {...field(`${name}.host`)} />
      <TextField label="Port" type="number" {...field(`${name}.port`, toNumber)} />
      <SelectField label="Encryption" {...field(`${name}.tls`)}>
        {tlsModes.map(mode => (
          <option key={mode} value={mode}>
            {tlsLabels[mode]}
          </option>
        ))}
      </SelectField>
    </fieldset>
  )
}

/** Says for each direction whether the sign-in succeeded, and what to do if not. */
function Result({ mailbox, onEdit }: { mailbox: Mailbox; onEdit: () => void }) {
  const { email, status, statusReason, readingStatus, readingReason } = mailbox
  const sends = status === 'active'
  const receives = readingStatus !== 'failing'
  return (
    <div className="grid max-w-[72ch] justify-items-start gap-5">
      <h2 className="font-semibold text-lg">
        {sends && receives ? `${email} is connected` : `${email} is saved but not connected`}
      </h2>
      <ul className="grid gap-2">
        <Direction label="Sending" isOk={sends} reason={statusReason} />
        <Direction label="Receiving" isOk={receives} reason={readingReason} />
      </ul>
      {sends && (
        <p className="text-muted">
          It starts with {startingLimits.rampUp.start} campaign emails a day and adds{' '}
          {startingLimits.rampUp.increase} each day, up to {startingLimits.dailyCap}. Check the records of its
          domain next, or mail may be treated as spam.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {(!sends || !receives) && (
          <Button look="primary" onClick={onEdit}>
            Correct the settings
          </Button>
        )}
        {sends && (
          <Link to="/settings/domains" className={buttonClass(receives ? 'primary' : 'secondary')}>
            Check the domain
          </Link>
        )}
        <Link to="/settings/senders" className={buttonClass()}>
          Show senders
        </Link>
      </div>
    </div>
  )
}

const Direction = ({ label, isOk, reason }: { label: string; isOk: boolean; reason: string | undefined }) => (
  <li>
    <span className={`font-medium ${isOk ? 'text-green' : 'text-red'}`}>
      {label}: {isOk ? 'works' : 'fails'}
    </span>
    {!isOk && reason && <span className="block wrap-anywhere">{reason}</span>}
  </li>
)
