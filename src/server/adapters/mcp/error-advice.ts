import type { AppError } from '../../kernel/errors.ts'
import type { Row } from './lean-row.ts'
import type { Tool } from './tools.ts'

/** The tool that returns the IDs for each field. */
const sources: Record<string, string> = {
  campaignId: 'list_campaigns',
  prospectId: 'list_prospects',
  personId: 'search_people',
  conversationId: 'list_conversations',
  emailThreadId: 'list_conversations',
  emailMessageId: 'list_email_messages',
  emailMessageIdToReplyTo: 'list_email_messages',
  linkedinConversationId: 'list_conversations',
  linkedinMessageId: 'list_linkedin_messages',
  taskId: 'list_tasks',
  callId: 'list_calls',
  meetingId: 'list_meetings',
  repId: 'list_reps',
  companyId: 'list_companies',
  mailboxId: 'list_mailboxes',
  domainId: 'list_domains',
  assistantId: 'list_assistants',
  optOutId: 'list_opt_outs',
  stepId: 'get_campaign',
  variantId: 'get_campaign',
}

/** Returns a sentence that lets a model correct a wrong or missing ID in its next call; undefined for other errors. */
export function adviseOnIds({ code, details, message }: AppError, tool: Tool, args: Row): string | undefined {
  if (code !== 'ValidationError' && code !== 'NotFound') return undefined
  const { properties = {}, required = [] } = tool.listed.inputSchema
  const paths = details?.map(({ path }) => path) ?? [message.split(':')[0]!]
  const isSource = (field: string): boolean => Object.hasOwn(sources, field)
  const isInput = (field: string): boolean => Object.hasOwn(properties, field)
  const named = paths.map(toField).filter(isSource)
  // An error such as “There is no such campaign” has no path. It concerns the ID that the tool requires.
  const isUnnamed = code === 'NotFound' && named.length === 0
  const fields = isUnnamed ? required.filter(field => isSource(field) && Object.hasOwn(args, field)) : named
  const known = [...new Set(fields)].filter(field => isInput(field) || isInput(`${field}s`))
  return known.length === 0
    ? undefined
    : `Use ${known.map(field => `the ${field} that ${sources[field]} returns`).join(' and ')}.`
}

/** Turns `repIds.0` into `repId`. */
const toField = (path: string): string => (path.split('.')[0] ?? '').replace(/Ids$/, 'Id')

/** Returns the known name that differs least, if it is similar at all. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  const short = name.slice(0, 64).toLowerCase()
  const [nearest] = [...known]
    .map(candidate => ({ candidate, distance: countEdits(short, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  return nearest && nearest.distance <= Math.max(2, short.length / 2) ? nearest.candidate : undefined
}

/** Returns the Levenshtein distance. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = row[column - 1]! + (character === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
