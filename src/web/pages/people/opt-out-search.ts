import type { Output, RawInput } from '../../../contract/index.ts'
import { sourceLabels } from '../../components/opt-out-sources.ts'
import { isSearchable } from '../../ui/is-searchable.ts'

// Separate from the page, so that the router can prefetch without loading it.

export type OptOut = Output<'listOptOuts'>['data'][number]

export const typeLabels: Record<OptOut['identifierType'], string> = {
  email: 'Email',
  linkedin: 'LinkedIn',
  phone: 'Phone',
  domain: 'Domain',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  web_chat: 'Web chat',
}

/** Filters of the list. `type`, `source` and `addedBy` are mutually exclusive. */
export type OptOutSearch = {
  query?: string
  type?: OptOut['identifierType']
  source?: OptOut['source']
  addedBy?: string
}

export function parseOptOutSearch(search: Record<string, unknown>): OptOutSearch {
  const { query, type, source, addedBy } = search
  return {
    ...(query ? { query: String(query) } : {}),
    ...(isKey(typeLabels, type)
      ? { type }
      : isKey(sourceLabels, source)
        ? { source }
        : addedBy
          ? { addedBy: String(addedBy) }
          : {}),
  }
}

const isKey = <T extends object>(labels: T, key: unknown): key is keyof T =>
  typeof key === 'string' && Object.hasOwn(labels, key)

export const toListOptOutsInput = ({
  query,
  type,
  source,
  addedBy,
}: OptOutSearch): RawInput<'listOptOuts'> => ({
  ...(query && isSearchable(query) && { query }),
  ...(type && { identifierType: type }),
  ...(source && { source }),
  ...(addedBy && { addedById: addedBy }),
})
