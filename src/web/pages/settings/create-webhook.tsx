import { useState } from 'react'
import { createWebhook, type EventFamily, eventFamilies } from '../../../contract/webhooks.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

type Props = { isOpen: boolean; onClose: () => void }

export function CreateWebhook({ isOpen, onClose }: Props) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    onClose()
    setSecret(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={secret ? 'Copy the secret' : 'Add webhook'}>
      {secret ? <WebhookSecret secret={secret} onDone={close} /> : <CreateForm onCreated={setSecret} />}
    </Dialog>
  )
}

const families = Object.keys(eventFamilies) as EventFamily[]

const familyLabels: Record<EventFamily, string> = {
  prospect: 'Prospects',
  person: 'People',
  email: 'Emails',
  linkedin: 'LinkedIn messages',
  conversation: 'Conversations',
  call: 'Calls',
  task: 'Tasks',
  meeting: 'Meetings',
  opt_out: 'Do Not Contact',
  campaign: 'Campaigns',
  mailbox: 'Mailboxes',
  problem: 'Problems',
}

function CreateForm({ onCreated }: { onCreated: (secret: string) => void }) {
  const create = useOperationMutation('createWebhook', 'listWebhooks')
  const [types, setTypes] = useState<readonly string[]>(families.map(family => `${family}.*`))
  const form = useSchemaForm(createWebhook.input.omit({ eventTypes: true, isEnabled: true }), {
    values: { url: '', description: '' },
    onSubmit: async input => {
      if (types.length === 0) throw new Error('Choose at least one type of event.')
      onCreated((await create({ ...input, eventTypes: types as never })).secret)
    },
  })
  const toggle = (type: string) =>
    setTypes(before => (before.includes(type) ? before.filter(other => other !== type) : [...before, type]))
  return (
    <FormBody form={form} submit="Add webhook">
      <TextField
        label="URL"
        placeholder="https://crm.acme.example/overture"
        help="A public https URL that responds with a 2xx status within 15 seconds."
        {...form.field('url')}
      />
      <TextField label="Description" placeholder="CRM" isOptional {...form.field('description')} />
      <fieldset className="grid gap-2.5">
        <legend className="mb-1.5 font-medium">Events</legend>
        {families.map(family => (
          <CheckField
            key={family}
            label={familyLabels[family]}
            help={eventFamilies[family].map(event => event.replaceAll('_', ' ')).join(', ')}
            checked={types.includes(`${family}.*`)}
            onChange={() => toggle(`${family}.*`)}
          />
        ))}
      </fieldset>
    </FormBody>
  )
}
