import { type OperationName, operations } from '../src/contract/index.ts'
import type { SeededIds } from './seed.ts'

/** A measured read. */
export type Case = {
  name: string
  operation: OperationName
  input: Record<string, string>
  /** True to read as a member, who sees only the rows of their own reps. */
  isMember?: boolean
  /** Number of rows to skip before measuring. */
  depth?: number
}

/** Returns the read cases: every list with each of its filters, a deep page, and counts. */
export function listCases(ids: SeededIds, depth: number): Case[] {
  const { campaignId, prospectId, threadId, repId, assistantId, companyId } = ids
  const list = (
    name: string,
    operation: OperationName,
    filters: Record<string, Record<string, string>>,
  ): Case[] => [
    { name: `list-${name}`, operation, input: {} },
    ...Object.entries(filters).map(([filter, input]) => ({
      name: `list-${name}:${filter}`,
      operation,
      input,
    })),
  ]
  return [
    ...list('email', 'listEmailMessages', {
      thread: { emailThreadId: threadId },
      campaign: { campaignId },
      prospect: { prospectId },
      rep: { repId },
      'status-sent': { status: 'sent' },
      'status-draft': { status: 'draft' },
      'type-received': { type: 'received' },
      'type-manual': { type: 'manual' },
      tag: { tag: 'interested' },
      'tag-unused': { tag: 'unused' },
      'only-last': { onlyLastMessagePerThread: 'true' },
      'only-last-received': { onlyLastMessagePerThread: 'true', type: 'received' },
    }),
    { name: 'list-email:deep', operation: 'listEmailMessages', input: {}, depth },
    { name: 'list-email:own-reps', operation: 'listEmailMessages', input: {}, isMember: true },
    ...list('conversations', 'listConversations', {
      'needs-reply': { view: 'needs_reply' },
      done: { view: 'done' },
      campaign: { campaignId },
      unread: { unread: 'true' },
    }),
    { name: 'conversation-counts', operation: 'getConversationCounts', input: {} },
    { name: 'conversation-counts:campaign', operation: 'getConversationCounts', input: { campaignId } },
    { name: 'conversation-counts:tag', operation: 'getConversationCounts', input: { tag: 'interested' } },
    ...list('linkedin', 'listLinkedinMessages', {
      prospect: { prospectId },
      campaign: { campaignId },
      rep: { repId },
      'status-draft': { status: 'draft' },
      'type-received': { type: 'received' },
      unread: { unread: 'true' },
    }),
    ...list('campaigns', 'listCampaigns', { status: { status: 'paused' } }),
    ...list('prospects', 'listProspects', { campaign: { campaignId } }),
    ...list('persons', 'listPersons', {
      company: { companyId },
      email: { email: 'person7@company0.example' },
    }),
    ...list('companies', 'listCompanies', { domain: { domain: 'company3.example' } }),
    ...list('calls', 'listCalls', {
      prospect: { prospectId },
      assistant: { assistantId },
      status: { status: 'ended' },
    }),
    ...list('opt-outs', 'listOptOuts', { type: { identifierType: 'domain' } }),
    ...list('reps', 'listReps', {}),
    ...list('mailboxes', 'listMailboxes', { rep: { repId } }),
    ...list('assistants', 'listAssistants', {}),
    ...list('tags', 'listTags', {}),
  ]
}

/** Returns the query parameters of a case, with ten items per page. */
export const getQuery = ({ operation, input }: Case, cursor?: string): Record<string, string> => ({
  ...('cursor' in operations[operation].input.shape && { limit: '10' }),
  ...input,
  ...(cursor && { cursor }),
})

/** Returns the path and query of a case. */
export const getUrl = (readCase: Case, cursor?: string): string =>
  `/v1${operations[readCase.operation].path}?${new URLSearchParams(getQuery(readCase, cursor))}`
