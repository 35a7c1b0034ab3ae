import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import { CsvImportForm, type CsvResult, CsvResultView } from '../../components/csv-import.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type Props = { isOpen: boolean; onClose: () => void }

/** Imports consents from a CSV file, and shows which rows were skipped. */
export function ImportConsentsDialog({ isOpen, onClose }: Props) {
  const importConsents = useOperationMutation('importConsents', 'listConsents')
  const [result, setResult] = useState<CsvResult>()
  const close = () => {
    onClose()
    setResult(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={result ? 'Import complete' : 'Import CSV'}>
      {result ? (
        <CsvResultView result={result} onDone={close} />
      ) : (
        <CsvImportForm
          submit="Import consents"
          onImport={async csv => setResult(await importConsents({ csv }))}
          help="One consent per row with the columns Phone, Kind (written, express or existing_relationship) and Proof; optionally Name, Source and Date. Invalid rows are skipped. A withdrawn consent stays withdrawn."
        />
      )}
    </Dialog>
  )
}
