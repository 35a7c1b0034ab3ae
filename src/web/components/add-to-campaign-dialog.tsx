import { z } from 'zod'
import { useOperationMutation } from '../api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { CampaignField, useOpenCampaigns } from './campaign-field.tsx'
import { getPersonName, type Person } from './person-name.ts'
import { skipReasons, toProspectInput } from './prospect-input.ts'

const choice = z.object({ campaignId: z.string().min(1) })

export function AddToCampaignDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const name = getPersonName(person)
  const add = useOperationMutation(
    'addProspectsToCampaign',
    'getPerson',
    'listPersons',
    'getPersonTimeline',
    'listCampaignProspects',
  )
  const { data: campaigns } = useOpenCampaigns()
  const form = useSchemaForm(choice, {
    values: { campaignId: '' },
    onSubmit: async ({ campaignId }) => {
      const { data } = await add({ campaignId, data: [toProspectInput(person)] })
      const [result] = data
      if (result && result.outcome !== 'added')
        throw new Error(`${name} was not added. ${result.reason ?? skipReasons[result.outcome]}`)
      const campaign = campaigns?.data.find(({ id }) => id === campaignId)
      showToast(`${name} added to ${campaign?.name ?? 'the campaign'}.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Add ${name} to a campaign`}>
      <FormBody form={form} submit="Add to campaign" allowsDiscard>
        <CampaignField {...form.field('campaignId')} />
      </FormBody>
    </Dialog>
  )
}
