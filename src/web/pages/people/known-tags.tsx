import { useOperation } from '../../api.ts'

export const KNOWN_TAGS_ID = 'known-tags'

/** Suggests tags for text fields whose `list` is `KNOWN_TAGS_ID`. */
export function KnownTags() {
  const { data } = useOperation('listTags', { limit: 100 })
  return (
    <datalist id={KNOWN_TAGS_ID}>
      {data?.data.map(({ id, name }) => (
        <option key={id} value={name} />
      ))}
    </datalist>
  )
}
