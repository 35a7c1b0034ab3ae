import { useState } from 'react'
import type { z } from 'zod'
import { createAssistant, voiceProviders } from '../../../contract/assistants.ts'
import type { Output } from '../../../contract/index.ts'
import { RepField } from '../../components/rep-field.tsx'
import { LongTextField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { ProviderSteps, providerNames, type VoiceProvider } from './voice-providers.tsx'

export type Assistant = Output<'getAssistant'>

const fields = createAssistant.input.omit({ provider: true })
export type AssistantFields = z.output<typeof fields>

type Props = {
  /** The assistant to edit; omitted for a new one. */
  assistant?: Assistant
  submit: string
  /** Receives the parsed input, the provider, and the values that the form started with. */
  onSubmit: (input: AssistantFields, provider: VoiceProvider, initial: object) => Promise<unknown>
}

export function AssistantForm({ assistant, submit, onSubmit }: Props) {
  const [provider, setProvider] = useState<VoiceProvider>(assistant?.provider ?? 'vapi')
  const form = useSchemaForm(fields, {
    values: assistant ? toFormValues(assistant) : { dailyCap: 100, dailyCapPerNumber: 3 },
    secrets: ['apiKey', 'callbackSecret'],
    onSubmit: (input, initial) => onSubmit(input, provider, initial),
  })
  return (
    <FormBody form={form} submit={submit} isGuarded isMinor={assistant && assistant.status !== 'active'}>
      <Group title="Identity">
        <TextField
          label="Name"
          placeholder="Front desk"
          help="The assistant also introduces itself by this name."
          {...form.field('name')}
        />
        <TextField
          label="Caller number"
          type="tel"
          placeholder="+44 20 7946 0018"
          {...form.field('fromNumber')}
        />
        {!assistant && (
          <RepField
            label="Rep"
            none="Entire account"
            help="The rep on whose behalf the assistant calls."
            {...form.field('repId', emptyToUndefined)}
          />
        )}
      </Group>
      <Group title="Voice provider">
        {assistant ? (
          <p>{providerNames[provider]}</p>
        ) : (
          <SelectField
            label="Provider"
            help="The service that places the calls. It can’t be changed later."
            value={provider}
            onChange={event => setProvider(event.target.value as VoiceProvider)}
          >
            {voiceProviders.toReversed().map(option => (
              <option key={option} value={option}>
                {providerNames[option]}
              </option>
            ))}
          </SelectField>
        )}
        {assistant?.status !== 'active' && <ProviderSteps provider={provider} />}
        <ProviderFields
          provider={provider}
          hasSecrets={assistant !== undefined}
          field={form.field as Field}
        />
      </Group>
      <Messages field={form.field as Field} />
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

const storedSecretHelp = 'Stored encrypted and never shown. Leave empty to keep the current value.'
const newSecretHelp = 'Stored encrypted and never shown again.'

/** Drops the values of a provider's fields when another provider is chosen. */
const providerField = { shouldUnregister: true }

function ProviderFields({
  provider,
  hasSecrets,
  field,
}: {
  provider: VoiceProvider
  hasSecrets: boolean
  field: Field
}) {
  if (provider === 'simulated') return null
  const secretField = { ...providerField, ...emptyToUndefined }
  const secretHelp = hasSecrets ? storedSecretHelp : newSecretHelp
  return (
    <>
      {provider === 'vapi' && (
        <>
          <TextField label="Assistant ID" autoComplete="off" {...field('vapi.assistantId', providerField)} />
          <TextField
            label="Phone number ID"
            autoComplete="off"
            {...field('vapi.phoneNumberId', providerField)}
          />
        </>
      )}
      {provider === 'retell' && (
        <TextField label="Agent ID" autoComplete="off" {...field('retell.agentId', providerField)} />
      )}
      {provider === 'http' && (
        <TextField
          label="URL"
          placeholder="https://voice.acme.example"
          help="The server’s administrator has to allow addresses in a private network (ALLOW_PRIVATE_HOSTS)."
          {...field('http.baseUrl', providerField)}
        />
      )}
      <PasswordField
        label="API key"
        autoComplete="new-password"
        isOptional={hasSecrets}
        help={secretHelp}
        {...field('apiKey', secretField)}
      />
      {provider !== 'vapi' && (
        <PasswordField
          label="Callback secret"
          autoComplete="new-password"
          isOptional={hasSecrets || provider === 'retell'}
          help={
            provider === 'http'
              ? `Signs the callbacks: whsec_ followed by at least 24 random bytes in base64. ${secretHelp}`
              : `The API key with the webhook badge, if it differs from the API key above. ${secretHelp}`
          }
          {...field('callbackSecret', secretField)}
        />
      )}
    </>
  )
}

const Messages = ({ field }: { field: Field }) => (
  <Group title="Messages">
    <TextField
      label="Disclosure"
      isOptional
      placeholder="This is {name}, an AI assistant."
      help="Always said first. It must state that an AI is calling."
      {...field('disclosure', emptyToUndefined)}
    />
    <LongTextField
      label="First message"
      isOptional
      placeholder="Do you have a minute to talk about your order?"
      help="Said right after the disclosure."
      {...field('firstMessage', emptyToUndefined)}
    />
    <LongTextField
      label="Voicemail message"
      isOptional
      help="Left on voicemail after the disclosure. If empty, the provider’s settings apply."
      {...field('voicemailMessage', emptyToUndefined)}
    />
  </Group>
)

const Limits = ({ field }: { field: Field }) => (
  <Group title="Limits">
    <p className="text-muted text-sm">
      Calls are placed between 8:00 and 21:00 in the recipient’s time zone, or within the stricter hours that
      local law requires. This can’t be turned off.
    </p>
    <TextField
      label="Maximum call duration (seconds)"
      type="number"
      min={30}
      max={7200}
      isOptional
      {...field('maxDurationSeconds', toNumber)}
    />
    <TextField
      label="Transfer number"
      type="tel"
      isOptional
      help="People who ask to speak to a human are transferred to this number."
      {...field('transferNumber', emptyToUndefined)}
    />
    <TextField
      label="Daily limit per assistant"
      type="number"
      min={1}
      max={10_000}
      help="Call attempts from the caller number in 24 hours. Carriers block numbers that call too often."
      {...field('dailyCap', toNumber)}
    />
    <TextField
      label="Daily limit per recipient"
      type="number"
      min={1}
      max={20}
      help="Call attempts to the same number in 24 hours."
      {...field('dailyCapPerNumber', toNumber)}
    />
  </Group>
)
