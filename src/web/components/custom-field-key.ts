import { prospectFields } from '../../contract/person-fields.ts'
import { capitalize } from '../ui/sentence.ts'

/** Returns the key of a new custom field, as in `currentPlan` for “Current plan”. */
export function toCustomFieldKey(label: string): string {
  const words =
    label
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const key = words
    .map((word, index) => (index === 0 ? word : capitalize(word)))
    .join('')
    .slice(0, 45)
  const safe = /^[a-z]/.test(key) ? key : `field${capitalize(key)}`
  return prospectFields.some(field => field.toLowerCase() === safe.toLowerCase()) ? `${safe}Field` : safe
}
