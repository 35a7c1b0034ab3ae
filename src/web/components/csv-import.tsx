import { type ChangeEvent, type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { type DisplayError, ErrorState } from '../ui/error-state.tsx'
import { FileField } from '../ui/field.tsx'
import { Metrics } from '../ui/metrics.tsx'
import { usePreventClose } from '../ui/prevent-close.ts'
import { formatNumber } from '../ui/time.tsx'
import { decodeCsvFile } from './decode-csv.ts'

/** The size limit of the operations that import a file. */
const MAX_BYTES = 4 * 1024 * 1024
const PREVIEW_LINES = 4
const MAX_ISSUES = 100

export type CsvResult = {
  added: number
  alreadyPresent: number
  invalid: number
  columns: Record<string, string>
  ignoredColumns: string[]
  issues: { line: number; reason: string }[]
}

type Props = {
  help: string
  /** Label of the submit button: a verb and its object. */
  submit: string
  /** Imports the text and shows its result. */
  onImport: (csv: string) => Promise<unknown>
  /** Options below the file field. */
  children?: ReactNode
}

/** Shows a form that previews a CSV file and imports it. */
export function CsvImportForm({ help, submit, onImport, children }: Props) {
  const [csv, setCsv] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  usePreventClose(isBusy ? 'always' : undefined)
  const handleChange = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    setCsv(undefined)
    setError(undefined)
    try {
      if (file && file.size > MAX_BYTES)
        throw new Error('The file is larger than 4 MB. Split it, or use the command line.')
      if (file) setCsv(decodeCsvFile(new Uint8Array(await file.arrayBuffer())))
    } catch (error) {
      setError(error as Error)
    }
  }
  const handleImport = async () => {
    if (!csv) return setError(error ?? new Error('Choose a file first.'))
    setBusy(true)
    setError(undefined)
    await onImport(csv).catch(setError)
    setBusy(false)
  }
  return (
    <div className="grid gap-5">
      <FileField
        label="CSV file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={event => void handleChange(event)}
        help={help}
      />
      {csv && <Preview csv={csv} />}
      {children}
      {error && <ErrorState error={error} />}
      <Button
        look="primary"
        className="justify-self-start"
        isBusy={isBusy}
        onClick={() => void handleImport()}
      >
        {isBusy ? 'Importing…' : submit}
      </Button>
    </div>
  )
}

function Preview({ csv }: { csv: string }) {
  const lines = csv.split(/\r\n?|\n/).filter(line => line.trim())
  return (
    <figure className="grid gap-1.5">
      <figcaption className="text-sm">
        {formatNumber(lines.length)} {lines.length === 1 ? 'line' : 'lines'}, starting with:
      </figcaption>
      <pre className="overflow-x-auto rounded-control bg-sunken p-3 text-xs">
        {lines.slice(0, PREVIEW_LINES).join('\n')}
      </pre>
    </figure>
  )
}

/** Shows the numbers of added and skipped rows, the recognized columns, and why rows were skipped. */
export function CsvResultView({
  result: { added, alreadyPresent, invalid, columns, ignoredColumns, issues },
  onDone,
}: {
  result: CsvResult
  onDone: () => void
}) {
  const mapping = Object.entries(columns).map(([header, field]) => `${header} → ${field}`)
  return (
    <div className="grid gap-5">
      <Metrics
        label="Rows"
        metrics={[
          { label: 'Added', value: added },
          { label: 'Already present', value: alreadyPresent },
          { label: 'Invalid', value: invalid },
        ]}
      />
      <p className="wrap-anywhere text-sm">
        Columns: {mapping.join(', ')}.{ignoredColumns.length > 0 && ` Ignored: ${ignoredColumns.join(', ')}.`}
      </p>
      {issues.length > 0 && (
        <ul
          aria-label="Invalid rows"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          className="grid max-h-60 gap-1 overflow-y-auto text-sm"
        >
          {issues.slice(0, MAX_ISSUES).map(({ line, reason }) => (
            <li key={line} className="break-words">
              <span className="text-muted tabular-nums">Line {line}:</span> {reason}
            </li>
          ))}
          {issues.length > MAX_ISSUES && (
            <li className="text-muted">And {formatNumber(invalid - MAX_ISSUES)} more.</li>
          )}
        </ul>
      )}
      <Button look="primary" className="justify-self-start" onClick={onDone}>
        Done
      </Button>
    </div>
  )
}
