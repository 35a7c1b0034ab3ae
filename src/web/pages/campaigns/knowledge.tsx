import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { knowledgeSize, updateCampaignKnowledge } from '../../../contract/reply-agent.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Knowledge = Output<'getCampaignKnowledge'>

const texts = {
  offer: ['Offer', 'What is offered, with facts and prices that a reply may name.'],
  answers: ['Answers', 'Questions and objections that come up, with their answers.'],
  nextStep: ['Next step', 'What the prospect should do next, such as the address of a calendar.'],
  tone: ['Tone', 'How to write.'],
} as const
type TextName = keyof typeof texts
const textNames = Object.keys(texts) as TextName[]

/** What the reply agent may say of a campaign: read, and changed in its place. */
export function CampaignKnowledge({ campaignId }: { campaignId: string }) {
  const query = useOperation('getCampaignKnowledge', { campaignId })
  const canEdit = usePermission('Campaign.EditCampaign')
  const [isEditing, setEditing] = useState(false)
  return (
    <Section
      title="Knowledge"
      intro="What the reply agent may say of this campaign. Its drafts say nothing of the offer that stands neither here nor in the thread."
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
  const given = textNames.filter(name => knowledge[name])
  if (given.length === 0) return <p className="text-muted">Nothing yet.</p>
  return (
    <Card>
      <DescriptionList
        facts={Object.fromEntries(
          given.map(name => [
            texts[name][0],
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
      ...Object.fromEntries(textNames.map(name => [name, knowledge[name] ?? ''])),
    },
    onSubmit: async input => {
      await update(input)
      showToast('The knowledge is saved.')
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
        {textNames.map(name => {
          const [label, help] = texts[name]
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
