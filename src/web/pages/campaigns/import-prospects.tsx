import { type ChangeEvent, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { decodeCsvFile } from '../../components/decode-csv.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, usePreventClose } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { FileField } from '../../ui/field.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { formatNumber } from '../../ui/time.tsx'

type ImportResult = Output<'importProspects'>

/** The operation's limit. */
const MAX_BYTES = 4 * 1024 * 1024

type Props = { campaignId: string; isOpen: boolean; onClose: () => void }

export function ImportDialog({ campaignId, isOpen, onClose }: Props) {
  const [result, setResult] = useState<ImportResult>()
  const close = () => {
    onClose()
    setResult(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={result ? 'Import complete' : 'Import prospects'}>
      {result ? (
        <div className="grid gap-5">
          <ResultView result={result} />
          <Button look="primary" className="justify-self-start" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <ImportForm campaignId={campaignId} onImported={setResult} />
      )}
    </Dialog>
  )
}

function ImportForm({
  campaignId,
  onImported,
}: {
  campaignId: string
  onImported: (result: ImportResult) => void
}) {
  const importProspects = useOperationMutation('importProspects', 'listCampaignProspects', 'getCampaignStats')
  const [file, setFile] = useState<File>()
  const [isBusy, setBusy] = useState(false)
  usePreventClose(isBusy ? 'always' : undefined)
  const [error, setError] = useState<DisplayError>()
  const isTooLarge = file !== undefined && file.size > MAX_BYTES
  const handleChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setFile(target.files?.[0])
    setError(undefined)
  }
  const handleImport = async () => {
    setBusy(true)
    setError(undefined)
    await file!
      .arrayBuffer()
      .then(bytes => importProspects({ campaignId, csv: decodeCsvFile(new Uint8Array(bytes)) }))
      .then(onImported, setError)
    setBusy(false)
  }
  return (
    <div className="grid gap-5">
      <FileField
        label="CSV file"
        accept=".csv,text/csv"
        onChange={handleChange}
        error={
          isTooLarge
            ? 'The file is larger than 4 MB. Split it, or use `overture import prospects`.'
            : undefined
        }
        help="The first line must be a header such as First name, Last name, Email, Company. People already in the campaign are skipped."
      />
      {error && <ErrorState error={error} />}
      <Button
        look="primary"
        className="justify-self-start"
        isBusy={isBusy}
        onClick={() =>
          file ? !isTooLarge && void handleImport() : setError(new Error('Choose a file first.'))
        }
      >
        {isBusy ? 'Importing…' : 'Import prospects'}
      </Button>
    </div>
  )
}

const ISSUES_SHOWN = 100

/** The outcome of each row and the column mapping. */
function ResultView({
  result: { added, skipped, invalid, columns, ignoredColumns, issues, incomplete },
}: {
  result: ImportResult
}) {
  return (
    <>
      <Metrics
        label="Rows"
        metrics={[
          { label: 'Added', value: added },
          { label: 'Skipped', value: skipped },
          { label: 'Invalid', value: invalid },
        ]}
      />
      <p className="text-sm">
        Column mapping:{' '}
        {Object.entries(columns)
          .map(([header, field]) => `${header} → ${field}`)
          .join(', ')}
        .{ignoredColumns.length > 0 && ` Ignored: ${ignoredColumns.join(', ')}.`}
      </p>
      {incomplete && (
        <div className="grid gap-1 text-sm">
          <p className="text-amber">
            {formatNumber(incomplete.total)} added prospects lack a value for a variable in the steps. They
            receive nothing until it is filled in:
          </p>
          <ul aria-label="Prospects with missing variables" className="grid max-h-60 gap-1 overflow-y-auto">
            {incomplete.rows.map(({ line, variables }) => (
              <li key={line}>
                <span className="text-muted tabular-nums">Line {line}:</span> {variables.join(', ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {issues.length > 0 && (
        <ul aria-label="Skipped and invalid rows" className="grid max-h-60 gap-1 overflow-y-auto text-sm">
          {issues.slice(0, ISSUES_SHOWN).map(({ line, outcome, reason }) => (
            <li key={line} className="break-words">
              <span className="text-muted tabular-nums">Line {line}:</span>{' '}
              {reason ?? outcome.replaceAll('_', ' ')}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
