import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { createCampaign } from '../../../contract/campaigns.ts'
import type { Output, RawInput } from '../../../contract/index.ts'
import { call, useOperation, useOperationMutation } from '../../api.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { officeHours } from './office-hours.ts'

const fields = z.object({ name: createCampaign.input.shape.name, start: z.string() })

type Template = Output<'listSequenceTemplates'>['data'][number]

/** Creates a campaign from scratch, from a template or as a copy, and opens its steps. */
export function NewCampaignForm() {
  const create = useOperationMutation('createCampaign', 'listCampaigns')
  const duplicate = useOperationMutation('duplicateCampaign', 'listCampaigns')
  const navigate = useNavigate()
  const { data: templates } = useOperation('listSequenceTemplates', {})
  const { data: campaigns } = useOperation('listCampaigns', { limit: 100 })
  const [start, setStart] = useState('')
  const form = useSchemaForm(fields, {
    values: { name: '', start: '' },
    onSubmit: async ({ name, start }) => {
      const [kind, id = ''] = start.split(':')
      const template = id as RawInput<'createCampaign'>['template']
      const campaign =
        kind === 'campaign'
          ? await duplicate({ campaignId: id, name })
          : await create({
              name,
              repIds: await findOnlyRep(),
              schedule: { windows: [officeHours] },
              ...(kind === 'template' && { template }),
            })
      void navigate({ to: '/campaigns/$campaignId/steps', params: { campaignId: campaign.id } })
    },
  })
  return (
    <FormBody form={form} submit="Create campaign">
      <TextField
        label="Name"
        placeholder="Spring trial"
        autoComplete="off"
        autoFocus
        {...form.field('name')}
      />
      <SelectField
        label="Start from"
        help={describeStart(start, templates?.data ?? [])}
        {...form.field('start', { onChange: event => setStart(event.target.value) })}
      >
        <option value="">An empty sequence</option>
        <optgroup label="Templates">
          {templates?.data.map(({ id, name }) => (
            <option key={id} value={`template:${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
        {campaigns && campaigns.data.length > 0 && (
          <optgroup label="Copy of a campaign">
            {campaigns.data.map(({ id, name }) => (
              <option key={id} value={`campaign:${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </SelectField>
    </FormBody>
  )
}

/** Returns a list with the ID of the account's only rep; empty unless there is exactly one. */
async function findOnlyRep(): Promise<string[]> {
  const { data: reps } = await call('listReps', { limit: 2 })
  return reps.length === 1 ? [reps[0]!.id] : []
}

function describeStart(start: string, templates: Template[]): string {
  const [kind, id] = start.split(':')
  if (kind === 'campaign') return 'Copies the steps, reps, schedule and settings, without the people.'
  const template = templates.find(candidate => candidate.id === id)
  return template?.description ?? 'You add the steps yourself.'
}
