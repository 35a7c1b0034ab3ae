import type { Context } from '../../../kernel/context.ts'
import { canonicalEmail } from '../../../protocols/identity/email.ts'
import { type AddressRisk, findAddressRisks } from './find-address-risks.ts'

const MAX_ROWS = 1_000
const TIMEOUT_MS = 5_000

/** The addresses of imported rows, by line. */
export type ImportedEmails = Map<number, string>

export function recordEmail(emails: ImportedEmails, line: number, email: string | null | undefined): void {
  const address = email ? canonicalEmail(email) : undefined
  if (address) emails.set(line, address)
}

/**
 * Adds the rows with risky addresses to the result of an import, after its transaction because DNS is slow. A failure
 * is only logged, because the rows are already imported.
 */
export function reportRiskyRows(ctx: Context, emails: ImportedEmails): void {
  if (emails.size === 0) return
  ctx.afterCommit(async result => {
    const risks = await tryFindRisks(ctx, emails)
    const rows = [...emails].flatMap(([line, email]): (AddressRisk & { line: number })[] => {
      const risk = risks?.get(email)
      return risk ? [{ line, ...risk }] : []
    })
    if (rows.length === 0) return undefined
    return { ...(result as object), riskyAddresses: { total: rows.length, rows: rows.slice(0, MAX_ROWS) } }
  })
}

async function tryFindRisks(
  ctx: Context,
  emails: ImportedEmails,
): Promise<Map<string, AddressRisk> | undefined> {
  try {
    return (await findAddressRisks(ctx, emails.values(), TIMEOUT_MS)).risks
  } catch (err) {
    const { app, accountId, requestId } = ctx
    app.log.warn({ accountId, requestId, err }, 'import: could not check addresses for risks')
    return undefined
  }
}
