import type { ComponentProps } from 'react'
import { useOperation } from '../api.ts'
import { SelectField } from '../ui/field.tsx'

/** Loads the campaigns that accept prospects. */
export const useOpenCampaigns = () =>
  useOperation('listCampaigns', { limit: 100, isArchived: false, status: ['draft', 'active', 'paused'] })

/** Shows a field for choosing a campaign that accepts prospects. */
export function CampaignField(props: Omit<ComponentProps<typeof SelectField>, 'label' | 'children'>) {
  const { data } = useOpenCampaigns()
  return (
    <SelectField
      label="Campaign"
      help="A running campaign contacts new prospects on its schedule. People who are on the Do Not Contact list or already in the campaign are left out."
      {...props}
    >
      <option value="">Choose a campaign</option>
      {data?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
