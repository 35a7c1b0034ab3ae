import { type answeredIntents, replyAgentProviders, setReplyAgent } from '../../../contract/reply-agent.ts'
import { useOperationMutation } from '../../api.ts'
import { CheckField, FieldGroup, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { Card } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { ReplyAgent } from './reply-agent.tsx'

const providerNames: Record<(typeof replyAgentProviders)[number], string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openai_compatible: 'Other (OpenAI-compatible)',
}

const intentLabels: Record<(typeof answeredIntents)[number], [label: string, help: string]> = {
  interested: ['Interested', 'The prospect wants to continue.'],
  question: ['Questions', 'The prospect asks about the offer.'],
  objection: ['Objections', 'The prospect raises a concern.'],
  not_now: ['Not now', 'The prospect asks to be contacted later.'],
  wrong_person: ['Wrong person', 'The prospect refers you to someone else.'],
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
      showToast('Reply agent saved. Test the model now.')
    },
  })
  const { field } = form
  return (
    <Card>
      <FormBody form={form} submit="Save reply agent" isGuarded>
        <SelectField
          label="Provider"
          help="Receives the reply with its thread, the names of the rep and the prospect, and the campaign’s knowledge."
          {...field('provider')}
        >
          {replyAgentProviders.toReversed().map(provider => (
            <option key={provider} value={provider}>
              {providerNames[provider]}
            </option>
          ))}
        </SelectField>
        <TextField label="Model" autoComplete="off" help="The provider’s model ID." {...field('model')} />
        <TextField
          label="Base URL"
          isOptional
          placeholder="http://localhost:11434/v1"
          help="Leave empty for the provider’s own API. The server’s administrator has to allow private addresses."
          {...field('baseUrl', emptyToUndefined)}
        />
        <PasswordField
          label="API key"
          isOptional
          autoComplete="new-password"
          help={
            agent?.hasApiKey
              ? 'Stored encrypted and never shown. Leave empty to keep the current key. Required again if you change the base URL.'
              : 'Stored encrypted and never shown again. Your own server may not need one.'
          }
          {...field('apiKey', emptyToUndefined)}
        />
        <CheckField
          label="Enabled"
          help="When disabled, replies are classified by rules only and nothing is drafted."
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
      label="Daily limit"
      type="number"
      min={1}
      max={10_000}
      help="Replies beyond this limit are classified by rules."
      {...field('dailyReplies', toNumber)}
    />
    <div className="grid gap-4 narrow:grid-cols-2">
      <TextField
        label="Input price"
        type="number"
        step="any"
        min={0}
        isOptional
        help="US dollars per million tokens, to calculate costs."
        {...field('inputPrice', toNumber)}
      />
      <TextField
        label="Output price"
        type="number"
        step="any"
        min={0}
        isOptional
        help="US dollars per million tokens."
        {...field('outputPrice', toNumber)}
      />
    </div>
  </fieldset>
)

function Autopilot({ field }: Props) {
  const { error, ...intents } = field('autopilot.intents')
  return (
    <fieldset className="grid min-w-0 gap-4">
      <legend className="mb-2 font-semibold text-lg">Autopilot</legend>
      <p className="text-muted text-sm">
        Autopilot sends drafts for the selected intents without review. With none selected (the default),
        every draft waits for a person.
      </p>
      <FieldGroup label="Intents" error={error}>
        {Object.entries(intentLabels).map(([intent, [label, help]]) => (
          <CheckField key={intent} label={label} help={help} value={intent} {...intents} />
        ))}
      </FieldGroup>
      <div className="grid gap-4 narrow:grid-cols-2">
        <TextField
          label="Delay (minutes)"
          type="number"
          min={1}
          max={10_080}
          help="You can edit or delete a draft until then."
          {...field('autopilot.delayMinutes', toNumber)}
        />
        <TextField
          label="Daily sending limit"
          type="number"
          min={1}
          max={10_000}
          help="Drafts beyond this limit wait for a person."
          {...field('autopilot.dailyCap', toNumber)}
        />
      </div>
    </fieldset>
  )
}
