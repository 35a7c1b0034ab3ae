import { type ChangeEvent, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, usePreventClose } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { FileField } from '../../ui/field.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { decodeCsvFile } from './decode-csv.ts'

type Answer = Output<'importProspects'>

/** The operation takes no more at once. */
const MOST_BYTES = 4 * 1024 * 1024

type Props = { campaignId: string; isOpen: boolean; onClose: () => void }

export function ImportDialog({ campaignId, isOpen, onClose }: Props) {
  const [answer, setAnswer] = useState<Answer>()
  const close = () => {
    onClose()
    setAnswer(undefined)
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={answer ? 'Imported' : 'Import prospects'}>
      {answer ? (
        <div className="grid gap-5">
          <Result answer={answer} />
          <Button look="primary" className="justify-self-start" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <ImportForm campaignId={campaignId} onImported={setAnswer} />
      )}
    </Dialog>
  )
}

function ImportForm({
  campaignId,
  onImported,
}: {
  campaignId: string
  onImported: (answer: Answer) => void
}) {
  const add = useOperationMutation('importProspects', 'listCampaignProspects', 'getCampaignStats')
  const [file, setFile] = useState<File>()
  const [isBusy, setBusy] = useState(false)
  usePreventClose(isBusy ? 'open' : undefined)
  const [error, setError] = useState<DisplayError>()
  const isTooBig = file !== undefined && file.size > MOST_BYTES
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setFile(target.files?.[0])
    setError(undefined)
  }
  const send = async () => {
    setBusy(true)
    setError(undefined)
    await file!
      .arrayBuffer()
      .then(bytes => add({ campaignId, csv: decodeCsvFile(new Uint8Array(bytes)) }))
      .then(onImported, setError)
    setBusy(false)
  }
  return (
    <div className="grid gap-5">
      <FileField
        label="CSV file"
        accept=".csv,text/csv"
        onChange={choose}
        error={
          isTooBig
            ? 'Choose a file of at most 4 MB, or import it with `overture import prospects`'
            : undefined
        }
        help="With a line of headers, such as First name, Last name, Email, Company. The same file twice adds nobody twice."
      />
      {error && <ErrorState error={error} />}
      <Button
        look="primary"
        className="justify-self-start"
        isBusy={isBusy}
        onClick={() => (file ? !isTooBig && void send() : setError(new Error('Choose a file first.')))}
      >
        {isBusy ? 'Importing…' : 'Import prospects'}
      </Button>
    </div>
  )
}

const ISSUES_SHOWN = 100

/** What came of each row, and how the columns were read. */
function Result({
  answer: { added, skipped, invalid, columns, ignoredColumns, issues, incomplete },
}: {
  answer: Answer
}) {
  return (
    <>
      <Metrics
        label="Rows"
        metrics={[
          { label: 'Added', value: added },
          { label: 'Skipped', value: skipped },
          { label: 'At error', value: invalid },
        ]}
      />
      <p className="text-sm">
        Read as{' '}
        {Object.entries(columns)
          .map(([header, field]) => `${header} → ${field}`)
          .join(', ')}
        .{ignoredColumns.length > 0 && ` Not read: ${ignoredColumns.join(', ')}.`}
      </p>
      {incomplete && (
        <div className="grid gap-1 text-sm">
          <p className="text-amber">
            {formatNumber(incomplete.total)} of those added have no value for something that the steps say,
            and get nothing until they do:
          </p>
          <ul aria-label="Rows without a value" className="grid max-h-60 gap-1 overflow-y-auto">
            {incomplete.rows.map(({ line, variables }) => (
              <li key={line}>
                <span className="text-muted tabular-nums">Line {line}:</span> {variables.join(', ')}
              </li>
            ))}
          </ul>
        </div>
      )}
      {issues.length > 0 && (
        <ul aria-label="Rows that were not added" className="grid max-h-60 gap-1 overflow-y-auto text-sm">
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
