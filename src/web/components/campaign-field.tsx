import type { ComponentProps } from 'react'
import { useOperation } from '../api.ts'
import { SelectField } from '../ui/field.tsx'

/** Shows a field for choosing a campaign that is not archived. */
export function CampaignField(props: Omit<ComponentProps<typeof SelectField>, 'label' | 'children'>) {
  const { data } = useOperation('listCampaigns', { limit: 100, isArchived: false })
  return (
    <SelectField
      label="Campaign"
      help="A running campaign contacts them on its schedule. People on the Do Not Contact list, and those already in the campaign, are left out."
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
