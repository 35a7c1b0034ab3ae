import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useOperation, useOperationMutation, usePermission, useRepPermission, useSession } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { NoPermission } from '../../components/no-permission.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { useAttempt } from './connect-provider.tsx'
import { ConnectionResult } from './connection-result.tsx'
import { type MailboxDraft, MailboxSignIn } from './mailbox-sign-in.tsx'
import type { Rep } from './senders.tsx'

const route = getRouteApi('/shell/settings/senders/connect')

/**
 * Connects a mailbox in three steps: address and sender, sign-in, and the test result with the signature and limits.
 * For an existing mailbox, starts with the second step.
 */
export function ConnectMailboxPage() {
  const { mailboxId } = route.useSearch()
  const title = mailboxId ? 'Sign in to mailbox' : 'Connect mailbox'
  if (!usePermission('Rep.EditRep')) return <NoPermission title={title} permission="Rep.EditRep" />
  return (
    <Page
      above={
        <Link to="/settings/senders" className="text-accent underline-offset-2 hover:underline">
          Senders
        </Link>
      }
      title={title}
      intro="Overture sends through your own mail server and stops a sequence when someone replies."
    >
      {mailboxId ? <StoredMailbox mailboxId={mailboxId} /> : <NewMailbox />}
    </Page>
  )
}

function NewMailbox() {
  const reps = useOperation('listReps', { limit: 100 })
  const canEdit = useRepPermission('Rep.EditRep')
  const [address, setAddress] = useState<MailboxDraft>()
  if (address) return <Connection address={address} onBack={() => setAddress(undefined)} />
  return (
    <Card>
      <Loaded query={reps} skeleton={<FormSkeleton fields={2} />}>
        {({ data }) => <AddressForm reps={data.filter(canEdit)} onDone={setAddress} />}
      </Loaded>
    </Card>
  )
}

function StoredMailbox({ mailboxId }: { mailboxId: string }) {
  const mailbox = useOperation('getMailbox', { mailboxId })
  const { email = '' } = mailbox.data ?? {}
  const found = useOperation('discoverMailSettings', { email }, { isEnabled: email !== '' })
  const skeleton = <FormSkeleton fields={2} />
  return (
    <Loaded query={mailbox} skeleton={skeleton}>
      {stored => (
        <Loaded query={found} skeleton={skeleton}>
          {found => (
            <Connection
              address={{ email: stored.email, repId: stored.repId, repName: '', found }}
              stored={stored}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

type ConnectionProps = { address: MailboxDraft; stored?: Mailbox | undefined; onBack?: () => void }

function Connection({ address, stored, onBack }: ConnectionProps) {
  const [mailbox, setMailbox] = useState(stored)
  const [isTested, setTested] = useState(false)
  if (isTested && mailbox)
    return <ConnectionResult mailbox={mailbox} isNew={!stored} onEdit={() => setTested(false)} />
  return (
    <Card>
      <MailboxSignIn
        address={address}
        mailbox={mailbox}
        onBack={onBack}
        onTested={tested => {
          setMailbox(tested)
          setTested(true)
        }}
      />
    </Card>
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

function AddressForm({ reps, onDone }: { reps: Rep[]; onDone: (address: MailboxDraft) => void }) {
  const { repId: suggested } = route.useSearch()
  const { user } = useSession()
  const isFirst = reps.length === 0
  const [isNew, setNew] = useState(isFirst)
  const offered = reps.find(({ id }) => id === suggested) ?? reps[0]
  const discover = useOperationMutation('discoverMailSettings')
  const form = useSchemaForm(addressFields, {
    values: {
      email: isFirst ? user.email : '',
      repId: offered?.id ?? NEW_REP,
      repName: isFirst ? user.name : '',
    },
    onSubmit: async ({ email, repId, repName }) =>
      onDone({
        email,
        repName,
        repId: repId === NEW_REP ? undefined : repId,
        found: await discover({ email }),
      }),
  })
  const repField = form.field('repId')
  return (
    <FormBody
      form={form}
      submit={form.isBusy ? 'Finding mail servers…' : 'Continue'}
      aside={<TestMailboxButton reps={reps} />}
    >
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
          help="The person whose name recipients see."
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
          <option value={NEW_REP}>Someone new</option>
        </SelectField>
      )}
      {isNew && (
        <TextField
          label="Name of the sender"
          autoComplete="name"
          help="Recipients see it next to the address."
          {...form.field('repName')}
        />
      )}
    </FormBody>
  )
}

/** Adds a mailbox that doesn’t deliver email, to try everything else. */
function TestMailboxButton({ reps }: { reps: Rep[] }) {
  const createRep = useOperationMutation('createRep')
  const create = useOperationMutation('createMailbox', 'listMailboxes', 'listReps')
  const navigate = useNavigate()
  const { user } = useSession()
  const { run, isBusy, error } = useAttempt()
  // Keeps the new rep if creating the mailbox fails, so that trying again doesn't add a second one.
  const [rep, setRep] = useState(reps[0]?.id)
  const add = async () => {
    const repId = rep ?? (await createRep({ name: user.name })).id
    setRep(repId)
    await create({ repId, kind: 'sandbox', email: user.email })
    await navigate({ to: '/settings/senders' })
  }
  return (
    <span className="grid gap-1">
      <Button look="quiet" isBusy={isBusy} onClick={() => run(add)}>
        Use a test mailbox that sends nothing
      </Button>
      {error}
    </span>
  )
}
