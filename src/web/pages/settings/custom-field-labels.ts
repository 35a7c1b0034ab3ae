import type { CustomField } from './custom-fields.tsx'

export const typeLabels: Record<CustomField['type'], string> = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  url: 'Link',
  choice: 'Choice from a list',
}

export const objectLabels: Record<CustomField['appliesTo'], string> = {
  person: 'People',
  company: 'Companies',
}
