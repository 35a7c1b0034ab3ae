import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'

const NewCampaignForm = lazy(async () => ({
  default: (await import('./new-campaign-form.tsx')).NewCampaignForm,
}))

/** Opens the dialog that creates a campaign. */
export function NewCampaignButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        New campaign
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="New campaign">
        <Suspense fallback={<FormSkeleton fields={2} />}>
          <NewCampaignForm />
        </Suspense>
      </Dialog>
    </>
  )
}
