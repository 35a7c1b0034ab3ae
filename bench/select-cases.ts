import { InvalidArgumentError } from 'commander'
import { listCases } from './cases.ts'
import { searchCaseNames } from './find.ts'
import { reportCases } from './report.ts'
import type { SeededIds } from './seed.ts'
import { listWriteCases } from './writes.ts'

const noIds: SeededIds = {
  accountId: '',
  userId: '',
  memberId: '',
  campaignId: '',
  emptyCampaignId: '',
  prospectId: '',
  threadId: '',
  repId: '',
  assistantId: '',
  companyId: '',
}

/** Cases that read or change the seeded data. */
const requestCaseNames = [
  ...listCases(noIds, 1).map(({ name }) => name),
  ...listWriteCases(noIds).map(({ name }) => name),
  'mcp-call',
  'import-csv',
  'import-csv:search-indexes',
]
/** `start` uses the data folder that the request cases filled. */
const seededCaseNames = [...requestCaseNames, 'start']
const caseNames = [
  ...seededCaseNames,
  ...Object.keys(reportCases),
  ...searchCaseNames,
  ...['send', 'send:search-indexes', 'webhooks', 'claim', 'web'],
]

/** Returns the cases that match a name, or a prefix followed by `*`. Throws InvalidArgumentError when there are none. */
export function selectCases(pattern: string): string[] {
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined
  const matching = caseNames.filter(name =>
    prefix === undefined ? name === pattern : name.startsWith(prefix),
  )
  if (matching.length === 0)
    throw new InvalidArgumentError(
      `Unknown case; the cases are:\n${caseNames.map(name => `  ${name}`).join('\n')}`,
    )
  return matching
}

export const needsReportSeed = (selected: ReadonlySet<string>): boolean =>
  Object.keys(reportCases).some(name => selected.has(name))

export const needsPeopleSeed = (selected: ReadonlySet<string>): boolean =>
  searchCaseNames.some(name => selected.has(name))

export const needsSeed = (selected: ReadonlySet<string>): boolean =>
  seededCaseNames.some(name => selected.has(name))
