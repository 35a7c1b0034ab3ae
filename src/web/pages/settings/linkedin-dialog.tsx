import { useState } from 'react'
import { z } from 'zod'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { LinkedinAccount, Rep } from './senders.tsx'

type Created = Output<'createLinkedinAccount'>
type Props = { rep: Rep; account: LinkedinAccount | undefined; isOpen: boolean; onClose: () => void }

/** Connects the LinkedIn account of a rep, or changes the access to it. */
export function LinkedinDialog({ rep, account, isOpen, onClose }: Props) {
  const [created, setCreated] = useState<Created>()
  const close = () => {
    onClose()
    setCreated(undefined)
  }
  const title = account ? `LinkedIn access for ${rep.name}` : `Connect LinkedIn for ${rep.name}`
  return (
    <Dialog isOpen={isOpen} onClose={close} title={created ? 'Copy the secret' : title}>
      {created ? (
        <WebhookDetails created={created} onDone={close} />
      ) : account ? (
        <ChangeAccess account={account} onDone={close} />
      ) : (
        <ConnectForm rep={rep} onCreated={setCreated} />
      )}
    </Dialog>
  )
}

const required = z.string().trim().min(1)
const access = z.object({
  baseUrl: required.max(500),
  providerAccountId: required.max(200),
  apiKey: required.max(500),
})

type AccessFormProps = {
  account?: LinkedinAccount
  submit: string
  onSubmit: (input: z.output<typeof access>) => Promise<unknown>
}

function AccessForm({ account, submit, onSubmit }: AccessFormProps) {
  const { baseUrl = '', providerAccountId = '' } = account ?? {}
  const form = useSchemaForm(access, { values: { baseUrl, providerAccountId, apiKey: '' }, onSubmit })
  return (
    <FormBody form={form} submit={submit}>
      <TextField
        label="DSN"
        placeholder="https://api1.unipile.com:13111"
        help="The address of the API in Unipile’s dashboard."
        autoComplete="off"
        {...form.field('baseUrl')}
      />
      <TextField
        label="Account ID"
        help="The ID of the LinkedIn account in Unipile’s dashboard."
        autoComplete="off"
        {...form.field('providerAccountId')}
      />
      <PasswordField
        label="Access token"
        help="Stored encrypted and never shown again."
        autoComplete="off"
        {...form.field('apiKey')}
      />
    </FormBody>
  )
}

function ConnectForm({ rep, onCreated }: { rep: Rep; onCreated: (created: Created) => void }) {
  const [provider, setProvider] = useState<LinkedinAccount['provider']>('unipile')
  const create = useOperationMutation('createLinkedinAccount', 'listLinkedinAccounts')
  const webhook = useSchemaForm(z.object({}), {
    values: {},
    onSubmit: async () => onCreated(await create({ repId: rep.id, provider })),
  })
  return (
    <div className="grid gap-5">
      <SelectField
        label="Provider"
        value={provider}
        onChange={event => setProvider(event.target.value as typeof provider)}
      >
        <option value="unipile">Unipile</option>
        <option value="webhook">Signed webhooks</option>
      </SelectField>
      {provider === 'unipile' ? (
        <>
          <p className="text-muted">
            Unipile sends invitations and messages, and reports replies. Link the account in its dashboard
            first.
          </p>
          <AccessForm
            submit="Connect account"
            onSubmit={async input => onCreated(await create({ repId: rep.id, provider, ...input }))}
          />
        </>
      ) : (
        <FormBody form={webhook} submit="Create webhook">
          <p className="text-muted">
            Any program can report messages with webhooks that it signs. LinkedIn steps remain tasks.
          </p>
        </FormBody>
      )}
    </div>
  )
}

function ChangeAccess({ account, onDone }: { account: LinkedinAccount; onDone: () => void }) {
  const update = useOperationMutation('updateLinkedinAccount', 'listLinkedinAccounts')
  return (
    <AccessForm
      account={account}
      submit="Save access"
      onSubmit={async input => {
        await update({ linkedinAccountId: account.id, ...input })
        showToast('LinkedIn access saved.')
        onDone()
      }}
    />
  )
}

function WebhookDetails({
  created: { provider, inboundUrl, secret },
  onDone,
}: {
  created: Created
  onDone: () => void
}) {
  return (
    <div className="grid gap-5">
      <CopyBox value={inboundUrl} label="Webhook URL">
        {provider === 'unipile'
          ? 'Register this URL in Unipile as a webhook for messages, users and account status.'
          : 'The program posts events to this URL.'}
      </CopyBox>
      <CopyBox value={secret} label="Webhook secret">
        {provider === 'unipile'
          ? 'Add this secret to these webhooks as the Overture-Secret header. It is shown only once.'
          : 'The program signs events with this secret (Standard Webhooks). It is shown only once.'}
      </CopyBox>
      <Button look="primary" className="justify-self-start" onClick={onDone}>
        Done
      </Button>
    </div>
  )
}
