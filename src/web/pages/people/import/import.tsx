import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Output } from '../../../../contract/index.ts'
import { useOperation, usePermission } from '../../../api.ts'
import { NoPermission } from '../../../components/no-permission.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Page } from '../../../ui/page.tsx'
import { FormSkeleton } from '../../../ui/skeleton.tsx'
import { useCustomFields } from '../custom-values.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { type ColumnMapping, guessMapping } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import { planImport } from './plan.ts'
import { PreviewStep } from './preview-step.tsx'
import { ResultStep } from './result-step.tsx'
import { useImportRun } from './use-import-run.ts'

const steps = ['File', 'Columns', 'Preview', 'Result'] as const

type ChosenFile = { name: string; table: CsvTable }

const route = getRouteApi('/shell/people/import')

/** Imports people from a CSV file, and adds them to the campaign in the URL, if any. */
export function ImportPage() {
  const { campaignId } = route.useSearch()
  if (!usePermission('Prospect.EditProspect'))
    return <NoPermission title="Import people" permission="Prospect.EditProspect" />
  return campaignId ? <CampaignImport campaignId={campaignId} /> : <Import />
}

function CampaignImport({ campaignId }: { campaignId: string }) {
  const campaign = useOperation('getCampaign', { campaignId })
  return (
    <Loaded query={campaign} skeleton={<FormSkeleton fields={1} />}>
      {campaign => <Import campaign={campaign} />}
    </Loaded>
  )
}

/** Shows the steps of an import. */
function Import({ campaign }: { campaign?: Output<'getCampaign'> }) {
  const customFieldsQuery = useCustomFields('person')
  const { data: customFields } = customFieldsQuery
  const [file, setFile] = useState<ChosenFile>()
  const [mapping, setMapping] = useState<ColumnMapping[]>()
  const [tag, setTag] = useState('')
  const [ownerRepId, setOwnerRepId] = useState('')
  const { run, start, resume, reset } = useImportRun()
  const columns = file && customFields && (mapping ?? guessMapping(file.table, customFields))
  const step = run ? (run.job.isDryRun ? 'Preview' : 'Result') : file ? 'Columns' : 'File'
  const restart = () => {
    reset()
    setFile(undefined)
    setMapping(undefined)
  }
  const preview = async () => {
    if (!file || !columns) return
    const tags = tag.trim() ? [tag.trim()] : []
    const options = { tags, ownerRepId: ownerRepId || undefined, campaign }
    setMapping(columns)
    start({ table: file.table, plan: await planImport(file.table, columns), options, isDryRun: true })
  }
  const isRunning = step === 'Result' && !run?.isFinished
  return (
    <Page
      above={
        campaign ? (
          <Link
            to="/campaigns/$campaignId/prospects"
            params={{ campaignId: campaign.id }}
            className={linkClass}
          >
            {campaign.name}
          </Link>
        ) : (
          <Link to="/people" className={linkClass}>
            People
          </Link>
        )
      }
      title={campaign ? `Import people into ${campaign.name}` : 'Import people'}
      intro={file ? file.name : 'Add people from a CSV file and update existing ones.'}
    >
      <LeaveGuard
        isDirty={isRunning || step === 'Preview' || (step === 'Columns' && mapping !== undefined)}
        title="Leave the import?"
      >
        {isRunning
          ? 'Remaining rows are skipped. You can import the file again: nobody is added twice.'
          : 'Nothing has been imported yet.'}
      </LeaveGuard>
      <StepList current={step} />
      {step === 'File' && <ChooseFile onChoose={setFile} />}
      {step === 'Columns' && (
        <Step title="What do the columns contain?">
          <Loaded query={customFieldsQuery} skeleton={<FormSkeleton fields={3} />}>
            {customFields =>
              file &&
              columns && (
                <ColumnsStep
                  table={file.table}
                  columns={columns}
                  customFields={customFields}
                  onChange={setMapping}
                  tag={tag}
                  onTag={setTag}
                  ownerRepId={ownerRepId}
                  onOwner={setOwnerRepId}
                  onBack={restart}
                  onContinue={() => void preview()}
                />
              )
            }
          </Loaded>
        </Step>
      )}
      {step === 'Preview' && run && (
        <Step title="Preview">
          <PreviewStep
            run={run}
            onBack={reset}
            onResume={resume}
            onConfirm={() => start({ ...run.job, isDryRun: false })}
          />
        </Step>
      )}
      {step === 'Result' && run && (
        <Step title={run.isFinished ? 'Import complete' : 'Importing'}>
          <ResultStep run={run} onResume={resume} onRestart={restart} />
        </Step>
      )}
    </Page>
  )
}

const linkClass = 'wrap-anywhere text-accent underline-offset-2 hover:underline'

const StepList = ({ current }: { current: (typeof steps)[number] }) => (
  <ol aria-label="Steps" className="mb-5 flex flex-wrap gap-x-5 gap-y-1 text-sm">
    {steps.map((step, index) => (
      <li
        key={step}
        aria-current={step === current ? 'step' : undefined}
        className="text-muted aria-[current=step]:font-medium aria-[current=step]:text-accent"
      >
        <span className="tabular-nums">{index + 1}</span> {step}
      </li>
    ))}
  </ol>
)

/**
 * Shows a step with its heading, which takes focus so that the keyboard and screen readers continue there.
 */
function Step({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section>
      <h2 ref={heading} tabIndex={-1} className="mb-3 font-semibold text-lg outline-none">
        {title}
      </h2>
      {children}
    </section>
  )
}
