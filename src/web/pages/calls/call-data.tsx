import { DescriptionList } from '../../ui/description-list.tsx'

/** Maximum length of data that is shown expanded, in characters of JSON. */
const MAX_OPEN_LENGTH = 600

/** Shows data exchanged with an assistant as plain text. Long data is collapsed. */
export function CallData({ label, data }: { label: string; data: Record<string, unknown> | undefined }) {
  const entries = Object.entries(data ?? {})
  if (entries.length === 0) return null
  return (
    <details className="mt-3" open={JSON.stringify(data).length <= MAX_OPEN_LENGTH}>
      <summary className="mb-2 cursor-pointer rounded-control font-medium">{label}</summary>
      <DescriptionList
        items={Object.fromEntries(
          entries.map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value, null, 1),
          ]),
        )}
      />
    </details>
  )
}
