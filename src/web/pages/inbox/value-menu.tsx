import type { RefObject } from 'react'
import { useOperation } from '../../api.ts'
import { insertText } from '../../ui/insert-text.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  personId: string
  repId: string | undefined
}

/** Inserts details of the person or the rep at the cursor, because a message to one person has no variables. */
export function ValueMenu({ field, personId, repId = '' }: Props) {
  const { data: person } = useOperation('getPerson', { personId })
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  const values = Object.entries({
    'First name': person?.firstName,
    'Last name': person?.lastName,
    Company: person?.company,
    'Job title': person?.title,
    City: person?.city,
    Phone: person?.phone,
    'Rep’s name': rep?.name,
  }).filter((entry): entry is [string, string] => Boolean(entry[1]))
  if (values.length === 0) return null
  return (
    <Menu label="Insert" ariaLabel="Insert a detail" look="quiet" focusAfter={() => field.current}>
      {values.map(([label, value]) => (
        <MenuItem
          key={label}
          hint={value}
          onClick={() => {
            if (field.current) insertText(field.current, value)
          }}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
