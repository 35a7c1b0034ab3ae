import { DescriptionList } from '../../ui/description-list.tsx'

const SHORT = 600

/** Facts that an assistant is handed, as text alone; long ones are folded. */
export function CallData({ label, data }: { label: string; data: Record<string, unknown> | undefined }) {
  const facts = Object.entries(data ?? {})
  if (facts.length === 0) return null
  return (
    <details className="mt-3" open={JSON.stringify(data).length <= SHORT}>
      <summary className="mb-2 cursor-pointer rounded-control font-medium">{label}</summary>
      <DescriptionList
        facts={Object.fromEntries(
          facts.map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value, null, 1),
          ]),
        )}
      />
    </details>
  )
}
