import { useOperation } from '../../api.ts'
import { insertText } from '../../ui/insert-text.ts'
import { Menu, MenuGroup, MenuItem } from '../../ui/menu.tsx'

export type TextControl = HTMLInputElement | HTMLTextAreaElement

type Variable = { label: string; name: string; fallback?: string; description?: string }

/** Variables worth offering, with a fallback for people without a value. */
const variables: Variable[] = [
  { label: 'First name', name: 'firstName', fallback: 'there' },
  { label: 'Last name', name: 'lastName' },
  { label: 'Company', name: 'company', fallback: 'your company' },
  { label: 'Job title', name: 'title' },
  { label: 'City', name: 'city' },
  { label: 'Country', name: 'country' },
]
const senderVariables: Variable[] = [
  { label: 'Sender’s name', name: 'senderName' },
  { label: 'Sender’s email', name: 'senderEmail' },
  {
    label: 'Signature',
    name: 'signature',
    description: 'Edited under Senders. Added at the end of emails that don’t contain it.',
  },
]

const formatVariable = ({ name, fallback }: Variable): string =>
  fallback ? `{{ ${name} | default: "${fallback}" }}` : `{{ ${name} }}`

type Props = {
  /** Returns the field that was used last. */
  getField: () => TextControl | null
  hasSender?: boolean
}

/** Inserts a variable at the cursor. */
export function VariableMenu({ getField, hasSender = false }: Props) {
  const { data: customFields } = useOperation('listCustomFields', { limit: 100 })
  const insert = (text: string) => {
    const field = getField()
    if (field) insertText(field, text)
  }
  const toItem = (variable: Variable) => (
    <MenuItem
      key={variable.name}
      hint={variable.name}
      description={variable.description}
      onClick={() => insert(formatVariable(variable))}
    >
      {variable.label}
    </MenuItem>
  )
  return (
    <Menu label="Insert variable" size="small" focusAfter={getField}>
      <MenuGroup label="Person">{variables.map(toItem)}</MenuGroup>
      {customFields && customFields.data.length > 0 && (
        <MenuGroup label="Custom fields">
          {customFields.data.map(({ key, label }) => toItem({ label, name: key }))}
        </MenuGroup>
      )}
      {hasSender && <MenuGroup label="Sender">{senderVariables.map(toItem)}</MenuGroup>}
    </Menu>
  )
}
