import type { z } from 'zod'
import { updateCampaign } from '../../../contract/campaigns.ts'
import type { Output } from '../../../contract/index.ts'
import type { Schedule } from '../../../contract/schedule.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { Card } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { RepPicker } from './rep-picker.tsx'
import { ScheduleFields } from './schedule-fields.tsx'

type Campaign = Output<'getCampaign'>

/** Edits a campaign's reps, schedule and limits, and the events that stop its sequences. */
export function SendingForm({ campaign }: { campaign: Campaign }) {
  const isReadOnly = !usePermission('Campaign.EditCampaign')
  const account = useOperation('getAccount', {})
  const update = useOperationMutation('updateCampaign', 'getCampaign', 'listCampaigns', 'forecastCampaign')
  const { isEvergreen, skipActiveElsewhere, stopCompanyOnReply, holdRiskyAddresses, autoWinner } =
    campaign.settings
  const form = useSchemaForm<typeof updateCampaign.input>(updateCampaign.input, {
    values: {
      campaignId: campaign.id,
      repIds: campaign.repIds,
      schedule: campaign.schedule ?? null,
      newProspectsPerDay: campaign.newProspectsPerDay ?? null,
      settings: {
        ...{ isEvergreen, skipActiveElsewhere, stopCompanyOnReply, holdRiskyAddresses },
        autoWinner: autoWinner ?? null,
      },
    } as z.input<typeof updateCampaign.input>,
    onSubmit: async (input, initial) => {
      await update({
        ...getChangedValues(input, initial),
        campaignId: campaign.id,
        settings: getChangedValues(input.settings, initial.settings),
      })
      showToast('Sending settings saved.')
    },
  })
  const fields = (
    <fieldset disabled={isReadOnly} className="grid min-w-0 gap-6">
      <RepPicker
        selected={form.value('repIds') ?? []}
        onChange={repIds => form.setValue('repIds', repIds)}
        error={form.fieldError('repIds')}
      />
      <ScheduleFields
        schedule={(form.value('schedule') as Schedule | null | undefined) ?? null}
        accountTimezone={account.data?.timezone ?? 'UTC'}
        onChange={schedule => form.setValue('schedule', schedule)}
        getError={path => form.fieldError(`schedule.${path}`)}
      />
      <TextField
        label="New prospects a day"
        type="number"
        min={1}
        isOptional
        help="The number of people who get their first step each day. Leave empty for no limit."
        {...form.field('newProspectsPerDay', {
          setValueAs: (value: string | number | null) =>
            value === '' || value === null ? null : Number(value),
        })}
      />
      <CheckField
        label="Stop colleagues too"
        help="When a prospect replies, books a meeting or opts out, their colleagues stop as well. A reply always stops the prospect’s own sequence."
        {...form.field('settings.stopCompanyOnReply')}
      />
      <CheckField
        label="Skip people in other active campaigns"
        help="They are left out when you add them here."
        {...form.field('settings.skipActiveElsewhere')}
      />
      <CheckField
        label="Send nothing to disposable and role addresses"
        help="Addresses such as info@ reach a team or a machine. Such prospects are paused instead."
        {...form.field('settings.holdRiskyAddresses')}
      />
      <CheckField
        label="Stay active when everyone has finished"
        help="People you add later start without another launch."
        {...form.field('settings.isEvergreen')}
      />
      <SelectField
        label="A/B tests"
        help="A losing variant is turned off once the difference is unlikely to be due to chance."
        {...form.field('settings.autoWinner', { setValueAs: (value: string | null) => value || null })}
      >
        <option value="">Keep sending all variants</option>
        <option value="replied">Keep the variant with more replies</option>
        <option value="positive">Keep the variant with more positive replies</option>
      </SelectField>
    </fieldset>
  )
  return (
    <Card>
      {isReadOnly ? (
        <div className="grid max-w-lg gap-5">
          <p className="text-muted">Your role can’t edit campaigns.</p>
          {fields}
        </div>
      ) : (
        <FormBody form={form} submit="Save sending settings" isGuarded>
          {fields}
        </FormBody>
      )}
    </Card>
  )
}
