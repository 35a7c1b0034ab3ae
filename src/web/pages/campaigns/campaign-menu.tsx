import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { loadDialog } from '../../ui/load-dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'

const RenameCampaign = loadDialog(async () => (await import('./rename-campaign.tsx')).RenameCampaign)

type Campaign = Pick<Output<'getCampaign'>, 'id' | 'name' | 'status' | 'isArchived' | 'launchedAt'>

type Props = {
  campaign: Campaign
  size?: 'small' | 'medium'
  /** Called after the campaign is deleted. */
  onDeleted?: () => void
}

const affected = ['listCampaigns', 'getCampaign'] as const

/** Renames, duplicates, archives or deletes a campaign. */
export function CampaignMenu({ campaign, size, onDeleted }: Props) {
  const { id: campaignId, name, status, isArchived, launchedAt } = campaign
  const navigate = useNavigate()
  const duplicate = useOperationMutation('duplicateCampaign', 'listCampaigns')
  const archive = useOperationMutation('archiveCampaign', ...affected)
  const unarchive = useOperationMutation('unarchiveCampaign', ...affected)
  const [isDeleting, setDeleting] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  const handleDuplicate = async () => {
    try {
      const copy = await duplicate({ campaignId })
      showToast(`${copy.name} created without prospects.`)
      await navigate({ to: '/campaigns/$campaignId/steps', params: { campaignId: copy.id } })
    } catch (error) {
      showError(error)
    }
  }
  const handleArchive = async () => {
    const [act, undo] = isArchived ? [unarchive, archive] : [archive, unarchive]
    try {
      await act({ campaignId })
      showToast(isArchived ? `${name} is back in the list.` : `${name} archived.`, () => {
        undo({ campaignId }).catch(showError)
      })
    } catch (error) {
      showError(error)
    }
  }
  const canDelete = status === 'draft' && !launchedAt
  return (
    <>
      <Menu label="Actions" ariaLabel={`Actions for ${name}`} size={size ?? 'medium'}>
        <MenuItem onClick={() => setRenaming(true)}>Rename campaign</MenuItem>
        <MenuItem onClick={() => void handleDuplicate()}>Duplicate campaign</MenuItem>
        {status !== 'active' && (
          <MenuItem onClick={() => void handleArchive()}>
            {isArchived ? 'Unarchive campaign' : 'Archive campaign'}
          </MenuItem>
        )}
        {canDelete && <MenuItem onClick={() => setDeleting(true)}>Delete campaign</MenuItem>}
      </Menu>
      {isRenaming && <RenameCampaign campaign={campaign} onClose={() => setRenaming(false)} />}
      {canDelete && (
        <DeleteDialog
          campaign={campaign}
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          onDeleted={onDeleted}
        />
      )}
    </>
  )
}

const showError = (error: unknown) => showToast((error as Error).message)

type DeleteProps = Pick<Props, 'campaign'> & {
  isOpen: boolean
  onClose: () => void
  onDeleted: (() => void) | undefined
}

function DeleteDialog({ campaign: { id: campaignId, name }, isOpen, onClose, onDeleted }: DeleteProps) {
  const remove = useOperationMutation('deleteCampaign', 'listCampaigns')
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Delete ${name}?`}
      confirm="Delete campaign"
      onConfirm={async () => {
        await remove({ campaignId })
        onClose()
        showToast(`${name} deleted.`)
        onDeleted?.()
      }}
      onCancel={onClose}
    >
      Its steps and settings are deleted for good, and its prospects leave the campaign. The people themselves
      stay under People.
    </ConfirmDialog>
  )
}
