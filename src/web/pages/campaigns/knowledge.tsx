import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { knowledgeSize, updateCampaignKnowledge } from '../../../contract/reply-agent.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Knowledge = Output<'getCampaignKnowledge'>

const fieldLabels = {
  offer: ['Offer', 'The offer, with the facts and prices that replies may mention.'],
  answers: ['Answers', 'Common questions and objections, with answers.'],
  nextStep: ['Next step', 'The next step for the prospect, such as booking a call through a link.'],
  tone: ['Tone', 'The tone of voice of replies.'],
} as const
type FieldName = keyof typeof fieldLabels
const fieldNames = Object.keys(fieldLabels) as FieldName[]

/** Shows and edits what the reply agent knows about a campaign. */
export function CampaignKnowledge({ campaignId }: { campaignId: string }) {
  const query = useOperation('getCampaignKnowledge', { campaignId })
  const canEdit = usePermission('Campaign.EditCampaign')
  const [isEditing, setEditing] = useState(false)
  return (
    <Section
      title="Knowledge"
      intro="Facts the reply agent may use. Its drafts mention nothing about the offer that isn’t here or in the thread."
      action={canEdit && !isEditing && <Button onClick={() => setEditing(true)}>Edit knowledge</Button>}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
        {knowledge =>
          isEditing ? (
            <KnowledgeForm knowledge={knowledge} onClose={() => setEditing(false)} />
          ) : (
            <KnowledgeView knowledge={knowledge} />
          )
        }
      </Loaded>
    </Section>
  )
}

function KnowledgeView({ knowledge }: { knowledge: Knowledge }) {
  const filled = fieldNames.filter(name => knowledge[name])
  if (filled.length === 0) return <p className="text-muted">Nothing added yet.</p>
  return (
    <Card>
      <DescriptionList
        items={Object.fromEntries(
          filled.map(name => [
            fieldLabels[name][0],
            <span key={name} className="block max-w-[72ch] whitespace-pre-wrap">
              {knowledge[name]}
            </span>,
          ]),
        )}
      />
    </Card>
  )
}

function KnowledgeForm({ knowledge, onClose }: { knowledge: Knowledge; onClose: () => void }) {
  const { campaignId } = knowledge
  const update = useOperationMutation('updateCampaignKnowledge', 'getCampaignKnowledge')
  const form = useSchemaForm(updateCampaignKnowledge.input, {
    values: {
      campaignId,
      ...Object.fromEntries(fieldNames.map(name => [name, knowledge[name] ?? null])),
    },
    onSubmit: async (input, initial) => {
      await update({ ...getChangedValues(input, initial), campaignId })
      showToast('Knowledge saved.')
      onClose()
    },
  })
  return (
    <Card>
      <FormBody
        form={form}
        submit="Save knowledge"
        isGuarded
        aside={<Button onClick={onClose}>Cancel</Button>}
      >
        {fieldNames.map(name => {
          const [label, help] = fieldLabels[name]
          return (
            <LongTextField
              key={name}
              label={label}
              help={`${help} Up to ${formatNumber(knowledgeSize)} characters.`}
              isOptional
              rows={name === 'tone' ? 2 : 5}
              {...form.field(name, emptyToNull)}
            />
          )
        })}
      </FormBody>
    </Card>
  )
}
