import { useState } from 'react'
import type { Output } from '../../contract/index.ts'
import { updatePerson } from '../../contract/persons.ts'
import { useOperation, useOperationMutation, usePermission } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { emptyToUndefined, FormBody, REQUIRED, toFieldErrors, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { findEmptyFields, findMissingFields, isHeldAddress, type MissingField } from './missing-fields.ts'
import { getPersonName } from './person-name.ts'

type Prospect = Pick<Output<'getProspect'>, 'id' | 'campaignId' | 'status' | 'statusReason'>
type Contact = { id: string } & Parameters<typeof getPersonName>[0]
type Props = { prospect: Prospect; person: Contact }

/**
 * Fills in the missing values of a failed prospect, or corrects a bounced or held address, so that the sequence
 * continues.
 */
export function FixProspect({ prospect, person }: Props) {
  const [isOpen, setOpen] = useState(false)
  const fields = findMissingFields(prospect)
  if (!fields) return null
  const name = getPersonName(person)
  const label =
    prospect.status === 'bounced' || isHeldAddress(prospect)
      ? 'Correct address'
      : fields.some(field => field.name === 'email')
        ? 'Add address'
        : 'Add missing values'
  return (
    <>
      <Button size="small" aria-label={`${label} for ${name}`} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={name}>
        <FixForm {...{ prospect, person, fields }} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

type FixFormProps = Props & { fields: MissingField[]; onClose: () => void }

const affected = [
  'listCampaignProspects',
  'getProspect',
  'getCampaignStats',
  'getPerson',
  'getCampaign',
  'getPersonTimeline',
] as const

function FixForm({ prospect, person, fields, onClose }: FixFormProps) {
  const update = useOperationMutation('updatePerson', ...affected)
  const resume = useResume(prospect)
  const isBounced = prospect.status === 'bounced'
  const form = useSchemaForm<typeof updatePerson.input>(updatePerson.input, {
    values: {
      personId: person.id,
      ...Object.fromEntries(fields.map(({ name }) => [name, ''])),
      ...((isBounced || isHeldAddress(prospect)) && { email: person.email ?? '' }),
    },
    onSubmit: async input => {
      const empty = findEmptyFields(prospect, input)
      if (empty.length > 0) throw toFieldErrors(Object.fromEntries(empty.map(name => [name, REQUIRED])))
      if (isHeldAddress(prospect) && input.email?.toLowerCase() === person.email?.toLowerCase())
        throw toFieldErrors({ email: 'Enter another email address' })
      await update(input)
      const outcome = isBounced ? await resume() : 'continues the sequence.'
      showToast(`${getPersonName(person)} ${outcome}`)
      onClose()
    },
  })
  return (
    <FormBody form={form} submit="Save and continue">
      <p className="text-muted">
        {isBounced
          ? 'The step that bounced is sent again, to the new address.'
          : `The sequence continues as soon as this is ${isHeldAddress(prospect) ? 'corrected' : 'filled in'}.`}
      </p>
      {fields.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          type={name === 'email' ? 'email' : 'text'}
          {...form.field(name, emptyToUndefined)}
        />
      ))}
    </FormBody>
  )
}

/** Returns a function that resumes the prospect and, if the campaign has completed in the meantime, the campaign. */
function useResume({ id: prospectId, campaignId }: Prospect): () => Promise<string> {
  const resumeProspect = useOperationMutation('resumeProspect', ...affected)
  const resumeCampaign = useOperationMutation('resumeCampaign', ...affected, 'listCampaigns')
  const campaign = useOperation('getCampaign', { campaignId })
  const canResume = usePermission('Campaign.EditCampaign')
  return async () => {
    await resumeProspect({ prospectId })
    if (campaign.data?.status !== 'completed') return 'continues the sequence.'
    if (!canResume) return 'continues once a manager resumes the campaign.'
    await resumeCampaign({ campaignId })
    return 'continues the sequence. The campaign is active again.'
  }
}
