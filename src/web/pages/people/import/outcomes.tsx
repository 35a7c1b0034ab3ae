import { useMemo, useState } from 'react'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { filterClass } from '../../../ui/button.tsx'
import { Table } from '../../../ui/table.tsx'
import { formatNumber } from '../../../ui/time.tsx'
import { getRowName, getRowValue, type Outcome } from './plan.ts'
import type { ImportRun } from './use-import-run.ts'

export const outcomeLabels: Record<Outcome, string> = {
  created: 'Added',
  updated: 'Updated',
  unchanged: 'Nothing new',
  inCampaign: 'Already in campaign',
  elsewhere: 'In another campaign',
  duplicate: 'Duplicate',
  optedOut: 'Opted out',
  invalid: 'Invalid',
}

const tones: Record<Outcome, Tone> = {
  created: 'green',
  updated: 'blue',
  unchanged: 'neutral',
  inCampaign: 'neutral',
  elsewhere: 'amber',
  duplicate: 'neutral',
  optedOut: 'amber',
  invalid: 'red',
}

const reasons: Partial<Record<Outcome, string>> = {
  updated: 'Exists; missing details are added',
  unchanged: 'Exists with the same details',
  inCampaign: 'Missing details are added',
  elsewhere: 'Another active campaign contacts this person',
  duplicate: 'Same person as an earlier row',
}

/** Columns that let the user check that the file was read correctly. */
const shownFields = { email: 'Email', company: 'Company', jobTitle: 'Job title' } as const

const outcomes = Object.keys(outcomeLabels) as Outcome[]

export function countOutcomes({ results }: ImportRun): Record<Outcome, number> {
  const counts = Object.fromEntries(outcomes.map(outcome => [outcome, 0])) as Record<Outcome, number>
  for (const { outcome } of results.values()) counts[outcome]++
  return counts
}

export const countRisks = ({ results }: ImportRun): number =>
  results.values().reduce((count, { risk }) => (risk ? count + 1 : count), 0)

/** Shows the outcome of each row, with counts that filter the rows. */
export function Outcomes({ run }: { run: ImportRun }) {
  const [shown, setShown] = useState<Outcome | 'risky'>()
  const { table, plan } = run.job
  const counts = useMemo(() => countOutcomes(run), [run])
  const rows = useMemo(
    () =>
      table.rows.flatMap(({ line, cells }, index) => {
        const result = run.results.get(index)
        return result && (!shown || (shown === 'risky' ? result.risk : result.outcome === shown))
          ? [{ id: String(line), line, cells, ...result }]
          : []
      }),
    [run, table, shown],
  )
  const fields = Object.entries(shownFields).filter(([name]) =>
    plan.columns.some(({ target }) => target === `field:${name}`),
  ) as [keyof typeof shownFields, string][]
  const risky = countRisks(run)
  const button = (outcome: Outcome | 'risky' | undefined, label: string, count: number) => (
    <button
      key={label}
      type="button"
      aria-pressed={shown === outcome}
      onClick={() => setShown(outcome)}
      className={filterClass}
    >
      {label} <span className="tabular-nums">{formatNumber(count)}</span>
    </button>
  )
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form control */}
      <div role="group" aria-label="Outcomes" className="mb-3 flex flex-wrap gap-1">
        {button(undefined, 'All rows', run.results.size)}
        {outcomes
          .filter(outcome => counts[outcome] > 0)
          .map(outcome => button(outcome, outcomeLabels[outcome], counts[outcome]))}
        {risky > 0 && button('risky', 'Risky address', risky)}
      </div>
      <Table
        label="Rows"
        rows={rows}
        columns={[
          {
            head: 'Person',
            cell: ({ cells }) => <span className="wrap-anywhere">{getRowName(cells, plan.columns)}</span>,
          },
          ...fields.map(([field, head]) => ({
            head,
            cell: ({ cells }: (typeof rows)[number]) => (
              <span
                className={`wrap-anywhere ${field === 'email' ? 'narrow:inline-block narrow:min-w-40' : ''}`}
              >
                {getRowValue(cells, plan.columns, field)}
              </span>
            ),
            isMinor: field !== 'email',
          })),
          {
            head: 'Row',
            cell: ({ line }) => (
              <>
                <span className="narrow:hidden">Row </span>
                {formatNumber(line)}
              </>
            ),
            isNumber: true,
          },
          {
            head: 'Outcome',
            cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcomeLabels[outcome]}</Badge>,
          },
          {
            head: 'Reason',
            cell: ({ outcome, reason, missing, risk }) => (
              <span className={`wrap-anywhere ${missing || risk ? 'text-amber' : ''}`}>
                {missing || risk
                  ? [missing && `Missing: ${missing.join(', ')}.`, risk].filter(Boolean).join(' ')
                  : (reason ?? reasons[outcome])}
              </span>
            ),
          },
        ]}
      />
    </div>
  )
}
