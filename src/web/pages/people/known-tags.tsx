import { useOperation } from '../../api.ts'

export const KNOWN_TAGS_ID = 'known-tags'

/** Suggestions for a text field with this id as its `list`. */
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
