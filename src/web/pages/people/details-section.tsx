import { type ReactNode, useState } from 'react'
import { usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { type CustomField, useCustomFields } from './custom-values.tsx'

type Props = {
  appliesTo: CustomField['appliesTo']
  form: (fields: CustomField[], onEnd: () => void) => ReactNode
  children: (fields: CustomField[]) => ReactNode
}

/** Shows the details of a person or company with their custom fields, which can be edited in place. */
export function DetailsSection({ appliesTo, form, children }: Props) {
  const [isEditing, setEditing] = useState(false)
  const canEdit = usePermission('Prospect.EditProspect')
  const { data: fields } = useCustomFields(appliesTo)
  return (
    <Section
      title="Details"
      action={
        canEdit &&
        !isEditing && (
          <Button size="small" onClick={() => setEditing(true)}>
            Edit details
          </Button>
        )
      }
    >
      {isEditing && fields ? form(fields, () => setEditing(false)) : children(fields ?? [])}
    </Section>
  )
}
