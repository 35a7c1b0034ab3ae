import { normalizeName } from '../../../../contract/csv-headers.ts'
import type { ProspectField } from '../../../../contract/person-fields.ts'

export type CellsByField = ReadonlyMap<ProspectField, readonly string[]>

/**
 * Returns keys that rows of the same person have in common. `identity` has the email addresses, profiles and phone
 * numbers, and the name with the company. `group` also has the name alone, because the server may find the company by
 * its domain. Rows of different people may share a key, but rows that the server treats as one person always do.
 */
export function getKeys(cells: CellsByField): { identity: string[]; group: string[] } {
  const get = (field: ProspectField) => cells.get(field) ?? []
  const name = normalizeName(
    [get('firstName')[0], get('lastName')[0]].filter(Boolean).join('') || (get('fullName')[0] ?? ''),
  )
  const company = name && normalizeName(get('company')[0] ?? '')
  const identity = [
    ...get('email').flatMap(cell =>
      (cell.match(/[^\s;,|<>"]+@[^\s;,|<>"]+/g) ?? []).map(address => `email:${address.toLowerCase()}`),
    ),
    ...get('linkedinUrl').map(
      cell => `linkedin:${(/\/(?:in|pub|lead|people)\/([^/?#,\s]+)/i.exec(cell)?.[1] ?? cell).toLowerCase()}`,
    ),
    ...get('phone').flatMap(cell => {
      const digits = cell.replace(/\D/g, '')
      return digits.length >= 7 ? [`phone:${digits.slice(-9)}`] : []
    }),
    ...(name && company ? [`name:${name}@${company}`] : []),
  ]
  return { identity, group: name ? [...identity, `name:${name}`] : identity }
}

/** Groups items that share a key, directly or through other items. Groups and their items keep the original order. */
export function groupByKeys(items: readonly { index: number; keys: readonly string[] }[]): number[][] {
  const parents = new Map<number, number>()
  const find = (index: number): number => {
    let root = index
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent
    parents.set(index, root)
    return root
  }
  const owners = new Map<string, number>()
  for (const { index, keys } of items) {
    parents.set(index, index)
    for (const key of keys) {
      const owner = owners.get(key)
      if (owner === undefined) owners.set(key, index)
      else {
        const [a, b] = [find(owner), find(index)]
        parents.set(Math.max(a, b), Math.min(a, b))
      }
    }
  }
  return [...Map.groupBy(items, ({ index }) => find(index)).values()].map(group =>
    group.map(({ index }) => index),
  )
}
