import type { Context } from '../../kernel/context.ts'
import { forbidAppChangedCallees } from './forbid-app-changed-callees.ts'
import { forbidUnapprovedChanges } from './forbid-unapproved-changes.ts'
import { retryIncompleteAtCompanies } from './incomplete.ts'

/**
 * Retries incomplete prospects at companies whose missing details were filled in along with a person. Throws Forbidden
 * when an application is not allowed to let their sequences continue.
 */
export async function retryAtFilledCompanies(ctx: Context, companyIds: readonly string[]): Promise<void> {
  if (companyIds.length === 0) return
  await forbidUnapprovedChanges(ctx, { companyIds })
  await forbidAppChangedCallees(ctx, { companyIds })
  await retryIncompleteAtCompanies(ctx, companyIds)
}
