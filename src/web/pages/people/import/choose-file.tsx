import { type DragEvent, useState } from 'react'
import { decodeCsvFile } from '../../../components/decode-csv.ts'
import { FileField } from '../../../ui/field.tsx'
import { type CsvTable, parseCsv } from './parse-csv.ts'

const MAX_BYTES = 50 * 1024 * 1024
const MAX_ROWS = 200_000

type Props = { onChoose: (file: { name: string; table: CsvTable }) => void }

/** Reads the file that is chosen or dropped. */
export function ChooseFile({ onChoose }: Props) {
  const [error, setError] = useState<string>()
  const [isReading, setReading] = useState(false)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const handleFile = async (file: File | undefined) => {
    if (!file || isReading) return
    setError(undefined)
    setReading(true)
    try {
      onChoose({ name: file.name, table: await readFile(file) })
    } catch (error) {
      setError((error as Error).message)
    }
    setReading(false)
  }
  const handleDrag = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(event.type === 'dragover')
  }
  const handleDrop = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(false)
    void handleFile(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file field inside does the same by keyboard
    <div
      onDragOver={handleDrag}
      onDragLeave={handleDrag}
      onDrop={handleDrop}
      className={`grid max-w-2xl gap-3 rounded-card border border-dashed p-6 transition-colors ${isDraggedOver ? 'border-accent bg-accent-quiet' : 'border-edge'}`}
    >
      <FileField
        label="CSV file"
        accept=".csv,.tsv,.txt,text/csv"
        disabled={isReading}
        error={error}
        onChange={({ target }) => {
          void handleFile(target.files?.[0])
          // The same file can be chosen again once it is corrected.
          target.value = ''
        }}
        help="Drop a file here or choose one. Exports from Apollo, HubSpot, Salesforce, Pipedrive, Instantly, Smartlead, lemlist and Sales Navigator are recognized. Nothing is imported until you confirm."
      />
      {isReading && <p role="status">Reading the file…</p>}
    </div>
  )
}

async function readFile(file: File): Promise<CsvTable> {
  if (file.size > MAX_BYTES) throw new Error('The file is larger than 50 MB. Split it and import the parts.')
  const table = await parseCsv(decodeCsvFile(new Uint8Array(await file.arrayBuffer())))
  if (table.rows.length > MAX_ROWS)
    throw new Error(
      `The file has more than ${MAX_ROWS.toLocaleString('en')} rows. Split it and import the parts.`,
    )
  return table
}
