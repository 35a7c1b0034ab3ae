import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useOperation, useOperationMutation, useSession } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { startingLimits } from './mailbox-limits-dialog.tsx'
import { type Address, MailboxSignIn } from './mailbox-sign-in.tsx'
import type { Rep } from './senders.tsx'

const route = getRouteApi('/shell/settings/senders/connect')

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
              <MailboxSignIn
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
  const discover = useOperationMutation('discoverMailSettings')
  const form = useSchemaForm(addressFields, {
    values: { email: '', repId: isNew ? NEW_REP : (suggested ?? reps[0]!.id), repName: '' },
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
      submit={form.isBusy ? 'Looking up its servers…' : 'Continue'}
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
