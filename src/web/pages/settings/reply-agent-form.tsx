import { type answeredIntents, replyAgentProviders, setReplyAgent } from '../../../contract/reply-agent.ts'
import { useOperationMutation } from '../../api.ts'
import { CheckField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { Card } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { ReplyAgent } from './reply-agent.tsx'

const providerNames: Record<(typeof replyAgentProviders)[number], string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openai_compatible: 'Another server that speaks like OpenAI’s',
}

const intentLabels: Record<(typeof answeredIntents)[number], [label: string, help: string]> = {
  interested: ['Interested', 'Somebody wants to go on.'],
  question: ['Questions', 'Somebody asks about the offer.'],
  objection: ['Objections', 'Somebody says what speaks against it.'],
  not_now: ['Not now', 'Somebody asks to be written to later.'],
  wrong_person: ['Wrong person', 'Somebody says who else is the right one.'],
}

const schema = setReplyAgent.input.required({ autopilot: true })

function toFormValues(agent: ReplyAgent | undefined) {
  if (!agent || agent.provider === 'simulated') {
    return {
      provider: 'anthropic' as const,
      ...{ isEnabled: true, dailyReplies: 200, autopilot: { intents: [], delayMinutes: 30, dailyCap: 20 } },
    }
  }
  const { provider, model, baseUrl, isEnabled, inputPrice, outputPrice, dailyReplies, autopilot } = agent
  return { provider, model, baseUrl, isEnabled, inputPrice, outputPrice, dailyReplies, autopilot }
}

export function ReplyAgentForm({ agent }: { agent: ReplyAgent | undefined }) {
  const save = useOperationMutation('setReplyAgent', 'getReplyAgent')
  const form = useSchemaForm(schema, {
    values: toFormValues(agent),
    secrets: ['apiKey'],
    onSubmit: async input => {
      await save(input)
      showToast('The reply agent is saved. Try the model now.')
    },
  })
  const { field } = form
  return (
    <Card>
      <FormBody form={form} submit="Save reply agent" isGuarded>
        <SelectField
          label="Provider"
          help="It gets the reply with its thread, the names of rep and prospect, and what the campaign’s knowledge says."
          {...field('provider')}
        >
          {replyAgentProviders.toReversed().map(provider => (
            <option key={provider} value={provider}>
              {providerNames[provider]}
            </option>
          ))}
        </SelectField>
        <TextField label="Model" autoComplete="off" help="As the provider names it." {...field('model')} />
        <TextField
          label="Address"
          isOptional
          placeholder="http://localhost:11434/v1"
          help="Where its API begins. Only another server than the provider’s own needs it; a private one has to be allowed by whoever runs this server."
          {...field('baseUrl', emptyToUndefined)}
        />
        <PasswordField
          label="API key"
          isOptional
          autoComplete="new-password"
          help={
            agent?.hasApiKey
              ? 'One is kept, encrypted, and never shown. Left empty it stays; with another address it has to be given again.'
              : 'Kept encrypted and never shown again. A server of your own may need none.'
          }
          {...field('apiKey', emptyToUndefined)}
        />
        <CheckField
          label="Switched on"
          help="Switched off, rules alone read replies and nothing is drafted."
          {...field('isEnabled')}
        />
        <Costs field={field} />
        <Autopilot field={field} />
      </FormBody>
    </Card>
  )
}

type Props = { field: ReturnType<typeof useSchemaForm<typeof schema>>['field'] }

const Costs = ({ field }: Props) => (
  <fieldset className="grid min-w-0 gap-4">
    <legend className="mb-2 font-semibold text-lg">Costs</legend>
    <TextField
      label="Replies in 24 hours"
      type="number"
      min={1}
      max={10_000}
      help="So many are read by the model, the rest by rules."
      {...field('dailyReplies', toNumber)}
    />
    <div className="grid gap-4 narrow:grid-cols-2">
      <TextField
        label="Price of input"
        type="number"
        step="any"
        min={0}
        isOptional
        help="US dollars for a million tokens, to tell costs."
        {...field('inputPrice', toNumber)}
      />
      <TextField
        label="Price of output"
        type="number"
        step="any"
        min={0}
        isOptional
        help="The same for what it writes."
        {...field('outputPrice', toNumber)}
      />
    </div>
  </fieldset>
)

const Autopilot = ({ field }: Props) => (
  <fieldset className="grid min-w-0 gap-4">
    <legend className="mb-2 font-semibold text-lg">Autopilot</legend>
    <p className="text-muted text-sm">
      Drafts that answer what is ticked here are sent without a person. With none ticked, which is usual,
      every draft waits for one.
    </p>
    {Object.entries(intentLabels).map(([intent, [label, help]]) => (
      <CheckField key={intent} label={label} help={help} value={intent} {...field('autopilot.intents')} />
    ))}
    <div className="grid gap-4 narrow:grid-cols-2">
      <TextField
        label="Minutes before sending"
        type="number"
        min={1}
        max={10_080}
        help="Meanwhile a draft can be edited or deleted."
        {...field('autopilot.delayMinutes', toNumber)}
      />
      <TextField
        label="Sent in 24 hours"
        type="number"
        min={1}
        max={10_000}
        help="The rest waits for a person."
        {...field('autopilot.dailyCap', toNumber)}
      />
    </div>
  </fieldset>
)
