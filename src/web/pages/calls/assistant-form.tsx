import { useState } from 'react'
import type { z } from 'zod'
import { createAssistant, voiceProviders } from '../../../contract/assistants.ts'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { LongTextField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { ProviderSteps, providerNames, type VoiceProvider } from './voice-providers.tsx'

export type Assistant = Output<'getAssistant'>

const fields = createAssistant.input.omit({ provider: true })
export type AssistantFields = z.output<typeof fields>

type Props = {
  /** The one to change; a new one without. */
  assistant?: Assistant
  submit: string
  onSubmit: (input: AssistantFields, provider: VoiceProvider) => Promise<unknown>
}

export function AssistantForm({ assistant, submit, onSubmit }: Props) {
  const [provider, setProvider] = useState<VoiceProvider>(assistant?.provider ?? 'vapi')
  const form = useSchemaForm(fields, {
    values: assistant ? toFormValues(assistant) : { dailyCap: 100, dailyCapPerNumber: 3 },
    secrets: ['apiKey', 'callbackSecret'],
    onSubmit: input => onSubmit(input, provider),
  })
  return (
    <FormBody form={form} submit={submit} isGuarded isMinor={assistant && assistant.status !== 'active'}>
      <Group title="Who">
        <TextField
          label="Name"
          placeholder="Front desk"
          help="What it calls itself, too."
          {...form.field('name')}
        />
        <TextField
          label="Number it calls from"
          type="tel"
          placeholder="+44 20 7946 0018"
          {...form.field('fromNumber')}
        />
        {!assistant && <RepField {...form.field('repId', emptyToUndefined)} />}
      </Group>
      <Group title="Voice provider">
        {assistant ? (
          <p>{providerNames[provider]}</p>
        ) : (
          <SelectField
            label="Provider"
            help="Who dials and speaks. It can’t be changed later."
            value={provider}
            onChange={event => setProvider(event.target.value as VoiceProvider)}
          >
            {voiceProviders.toReversed().map(choice => (
              <option key={choice} value={choice}>
                {providerNames[choice]}
              </option>
            ))}
          </SelectField>
        )}
        {assistant?.status !== 'active' && <ProviderSteps provider={provider} />}
        <ProviderFields provider={provider} isKept={assistant !== undefined} field={form.field as Field} />
      </Group>
      <Words field={form.field as Field} />
      <Limits field={form.field as Field} />
    </FormBody>
  )
}

function toFormValues(assistant: Assistant) {
  const { name, fromNumber, vapi, retell, http } = assistant
  const { disclosure, firstMessage, voicemailMessage } = assistant
  const { maxDurationSeconds, transferNumber, dailyCap, dailyCapPerNumber } = assistant
  return {
    ...{ name, fromNumber, vapi, retell, http, disclosure, firstMessage, voicemailMessage },
    ...{ maxDurationSeconds, transferNumber, dailyCap, dailyCapPerNumber },
  }
}

type Field = ReturnType<typeof useSchemaForm<typeof fields>>['field']

const Group = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <fieldset className="grid min-w-0 gap-4 not-first:mt-2">
    <legend className="mb-2 font-semibold text-lg">{title}</legend>
    {children}
  </fieldset>
)

function RepField(field: React.ComponentProps<'select'>) {
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <SelectField label="Rep" help="For whom it calls." {...field}>
      <option value="">The whole account</option>
      {reps?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

const kept = 'Kept encrypted and never shown. Left empty it stays what it is.'
const given = 'Kept encrypted and never shown again.'

/** What another provider asks for goes with its fields. */
const own = { shouldUnregister: true }

function ProviderFields({
  provider,
  isKept,
  field,
}: {
  provider: VoiceProvider
  isKept: boolean
  field: Field
}) {
  if (provider === 'simulated') return null
  const secret = { ...own, ...emptyToUndefined }
  return (
    <>
      {provider === 'vapi' && (
        <>
          <TextField label="Assistant id" autoComplete="off" {...field('vapi.assistantId', own)} />
          <TextField label="Phone number id" autoComplete="off" {...field('vapi.phoneNumberId', own)} />
        </>
      )}
      {provider === 'retell' && (
        <TextField label="Agent id" autoComplete="off" {...field('retell.agentId', own)} />
      )}
      {provider === 'http' && (
        <TextField
          label="Address"
          placeholder="https://voice.acme.example"
          help="One in your own network has to be allowed by whoever runs this server (ALLOW_PRIVATE_HOSTS)."
          {...field('http.baseUrl', own)}
        />
      )}
      <PasswordField
        label="API key"
        autoComplete="new-password"
        isOptional={isKept}
        help={isKept ? kept : given}
        {...field('apiKey', secret)}
      />
      {provider !== 'vapi' && (
        <PasswordField
          label="Callback secret"
          autoComplete="new-password"
          isOptional={isKept || provider === 'retell'}
          help={
            provider === 'http'
              ? `It signs the callbacks: whsec_ and at least 24 random bytes in base64. ${isKept ? kept : given}`
              : `The API key with the webhook badge, where that is another one. ${isKept ? kept : given}`
          }
          {...field('callbackSecret', secret)}
        />
      )}
    </>
  )
}

const Words = ({ field }: { field: Field }) => (
  <Group title="What it says">
    <TextField
      label="Disclosure"
      isOptional
      placeholder="This is {name}, an AI assistant."
      help="Said first, always. It has to say that an AI is calling."
      {...field('disclosure', emptyToUndefined)}
    />
    <LongTextField
      label="First message"
      isOptional
      placeholder="Have you a minute to talk about your order?"
      help="Said right after the disclosure."
      {...field('firstMessage', emptyToUndefined)}
    />
    <LongTextField
      label="Voicemail message"
      isOptional
      help="Said to a mailbox after the disclosure. Without it the provider’s own settings hold."
      {...field('voicemailMessage', emptyToUndefined)}
    />
  </Group>
)

const Limits = ({ field }: { field: Field }) => (
  <Group title="Limits">
    <p className="text-muted text-sm">
      Calls leave between 8:00 and 21:00 by the clock of the person called, and within fewer hours where the
      law of their country asks for it. That can’t be turned off.
    </p>
    <TextField
      label="Longest call, in seconds"
      type="number"
      min={30}
      max={7200}
      isOptional
      {...field('maxDurationSeconds', toNumber)}
    />
    <TextField
      label="Number to hand over to"
      type="tel"
      isOptional
      help="Where a person who asks for one is put through to."
      {...field('transferNumber', emptyToUndefined)}
    />
    <TextField
      label="Calls from its number in 24 hours"
      type="number"
      min={1}
      max={10_000}
      help="Attempts count. Carriers block numbers that call too often."
      {...field('dailyCap', toNumber)}
    />
    <TextField
      label="Calls to the same number in 24 hours"
      type="number"
      min={1}
      max={20}
      help="Attempts count."
      {...field('dailyCapPerNumber', toNumber)}
    />
  </Group>
)
