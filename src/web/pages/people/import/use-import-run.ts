import { useEffect, useRef, useState } from 'react'
import { call, useInvalidate } from '../../../api.ts'
import type { DisplayError } from '../../../ui/error-state.tsx'
import type { CsvTable } from './parse-csv.ts'
import type { ImportPlan, RowResult } from './plan.ts'
import {
  type ImportOptions,
  toOptOutFailures,
  toOptOutFiles,
  toProspectResults,
  toRequest,
  toResults,
} from './request.ts'

export type ImportJob = { table: CsvTable; plan: ImportPlan; options: ImportOptions; isDryRun: boolean }

/** The state of an import or of its dry run. */
export type ImportRun = {
  job: ImportJob
  /** Outcomes by the index of the row. Rows that the server hasn't processed yet have none. */
  results: ReadonlyMap<number, RowResult>
  nextChunk: number
  /** The number of messages to newly blocked people that were already being sent. */
  inFlight: number
  error?: DisplayError
  isFinished: boolean
}

/** Sends the rows of a file, one request after another. Can be resumed after an error. */
export function useImportRun() {
  const [run, setRun] = useState<ImportRun>()
  const current = useRef<AbortController>(undefined)
  const refresh = useInvalidate(
    ...(['listPersons', 'listCustomFields', 'listTags', 'listOptOuts'] as const),
    ...(['listCampaignProspects', 'getCampaignStats', 'forecastCampaign'] as const),
  )
  useEffect(() => () => current.current?.abort(), [])

  const proceed = async (from: ImportRun) => {
    const controller = new AbortController()
    current.current?.abort()
    current.current = controller
    const { job } = from
    const { plan, isDryRun } = job
    const { results, nextChunk, inFlight } = from
    let state: ImportRun = { job, results, nextChunk, inFlight, isFinished: false }
    setRun(state)
    try {
      if (state.nextChunk === 0) {
        // People who opted out are blocked before anyone is imported, and reported as opted out only then.
        const { failures, inFlight } = isDryRun ? { failures: [], inFlight: 0 } : await addOptOuts(job)
        state = { ...state, results: new Map([...plan.known, ...failures]), inFlight }
      }
      while (state.nextChunk < plan.chunks.length) {
        const results = await sendChunk(job, plan.chunks[state.nextChunk]!, controller.signal)
        if (controller.signal.aborted) return
        state = {
          ...state,
          results: new Map([...state.results, ...results]),
          nextChunk: state.nextChunk + 1,
        }
        setRun(state)
      }
      setRun({ ...state, isFinished: true })
    } catch (error) {
      if (!controller.signal.aborted) setRun({ ...state, error: error as DisplayError })
    }
    if (!isDryRun) await refresh()
  }

  return {
    run,
    start: (job: ImportJob) =>
      void proceed({ job, results: new Map(), nextChunk: 0, inFlight: 0, isFinished: false }),
    resume: () => run && void proceed(run),
    reset: () => {
      current.current?.abort()
      setRun(undefined)
    },
  }
}

/** Blocks the people marked as opted out; returns the rows that could not be blocked. */
async function addOptOuts({
  table,
  plan,
}: ImportJob): Promise<{ failures: [number, RowResult][]; inFlight: number }> {
  const failures: [number, RowResult][] = []
  let inFlight = 0
  for (const file of toOptOutFiles(table, plan)) {
    const result = await call('importOptOuts', { csv: file.csv })
    failures.push(...toOptOutFailures(file, result))
    inFlight += result.inFlight
  }
  return { failures, inFlight }
}

async function sendChunk(
  { table, plan, options: { tags, ownerRepId, campaign }, isDryRun }: ImportJob,
  rows: readonly number[],
  signal: AbortSignal,
): Promise<Map<number, RowResult>> {
  const { input: content, lines } = toRequest(table, plan.columns, rows)
  const input = {
    ...content,
    ...(tags.length > 0 && { tags }),
    ...(ownerRepId && { ownerRepId }),
    ...(isDryRun && { dryRun: true }),
  }
  const results = campaign
    ? toProspectResults(
        await call('importProspects', { ...input, campaignId: campaign.id }, { signal }),
        lines,
        plan.columns,
      )
    : toResults(await call('importPersons', input, { signal }), lines, plan.columns)
  return new Map(results.map((result, position) => [rows[position]!, result]))
}
