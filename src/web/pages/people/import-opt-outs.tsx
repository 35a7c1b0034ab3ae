import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import { CsvImportForm, type CsvResult, CsvResultView } from '../../components/csv-import.tsx'
import { formatInFlight } from '../../components/in-flight.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'

type Props = { isOpen: boolean; onClose: () => void }

/** Imports entries from a CSV file, and shows which rows were skipped. */
export function ImportOptOutsDialog({ isOpen, onClose }: Props) {
  const [result, setResult] = useState<CsvResult>()
  const close = () => {
    onClose()
    setResult(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={result ? 'Import complete' : 'Import CSV'}>
      {result ? <CsvResultView result={result} onDone={close} /> : <ImportForm onImported={setResult} />}
    </Dialog>
  )
}

function ImportForm({ onImported }: { onImported: (result: CsvResult) => void }) {
  const importOptOuts = useOperationMutation('importOptOuts', 'listOptOuts', 'listPersons')
  const [confirmPublicDomain, setConfirmPublicDomain] = useState(false)
  const handleImport = async (csv: string) => {
    const { inFlight, issues, ...result } = await importOptOuts({ csv, confirmPublicDomain })
    if (inFlight > 0) showToast(`${formatInFlight(inFlight)}.`)
    onImported({ ...result, issues: issues.map(toReadable) })
  }
  return (
    <CsvImportForm
      submit="Import entries"
      onImport={handleImport}
      help="Columns such as Email, Phone, LinkedIn URL or Domain, or one entry per line. Invalid rows are skipped. Contact stops as soon as the file is imported."
    >
      <CheckField
        label="Block public email domains"
        help="Such as gmail.com, where anyone can have an address. If unchecked, rows with such a domain are skipped."
        checked={confirmPublicDomain}
        onChange={({ target }) => setConfirmPublicDomain(target.checked)}
      />
    </CsvImportForm>
  )
}

/** Names the checkbox instead of the API's parameter. */
const toReadable = ({ line, reason }: { line: number; reason: string }) => ({
  line,
  reason: reason.replace(
    '; set confirmPublicDomain to block everyone there',
    '; check “Block public email domains” to block everyone there',
  ),
})
