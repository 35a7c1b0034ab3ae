import { z } from 'zod'
import { createCampaign } from '../../../contract/campaigns.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

const fields = z.object({ name: createCampaign.input.shape.name })

type Props = { campaign: { id: string; name: string }; onClose: () => void }

export function RenameCampaign({ campaign, onClose }: Props) {
  const update = useOperationMutation('updateCampaign', 'getCampaign', 'listCampaigns')
  const form = useSchemaForm(fields, {
    values: { name: campaign.name },
    onSubmit: async ({ name }) => {
      await update({ campaignId: campaign.id, name })
      showToast(`Renamed to ${name}.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Rename ${campaign.name}`}>
      <FormBody form={form} submit="Rename campaign">
        <TextField label="Name" autoComplete="off" autoFocus {...form.field('name')} />
      </FormBody>
    </Dialog>
  )
}
