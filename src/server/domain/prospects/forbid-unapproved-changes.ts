import type { Context } from '../../kernel/context.ts'
import { approvalRequired, needsApproval } from '../accounts/send-approval.ts'
import { isEnrolled } from './write-prospects.ts'

/** Persons whose details change, by ID, and companies whose change affects everyone who works at them. */
export type ChangedPeople = { personIds?: readonly string[]; companyIds?: readonly string[] }

/**
 * Throws Forbidden when an assistant whose messages need approval would fill in details of people whom a launched
 * campaign may still contact, or of their companies: the sequence would use a value that nobody approved.
 */
export async function forbidUnapprovedChanges(
  ctx: Context,
  { personIds = [], companyIds = [] }: ChangedPeople,
): Promise<void> {
  if (personIds.length + companyIds.length === 0 || !(await needsApproval(ctx))) return
  if ((await isEnrolled(ctx, { personIds })) || (await isEnrolled(ctx, { companyIds })))
    throw approvalRequired(
      ctx,
      'fill in details of people whom a launched campaign may still contact, or of their companies',
    )
}
