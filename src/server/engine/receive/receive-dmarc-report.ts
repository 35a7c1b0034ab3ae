import { storeDmarcReport } from '../../domain/domains/store-dmarc-report.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { DmarcReport } from '../../protocols/dmarc/parse-report.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import { getParserThreads } from '../../protocols/mime/parser-threads.ts'
import type { IncomingMail, ReceivedMail, ReceiveResult } from './incoming-mail.ts'

const TIMEOUT_MS = 5_000

/** The file name that RFC 9990 prescribes: receiver!domain!begin!end. */
const dmarcFileName = /^[^!]{1,255}![^!]{1,255}!\d{1,12}!\d{1,12}.*\.(?:xml|gz|zip)$/i

/**
 * Reads the email's DMARC report in a worker thread. Returns undefined if there is none, or if it is broken or takes
 * too long.
 */
export async function readDmarcReport(
  app: App,
  { accountId }: ReceivedMail,
  { attachments }: ParsedEmail,
  files: IncomingMail['files'],
): Promise<DmarcReport | undefined> {
  const file = files[attachments.findIndex(({ name }) => dmarcFileName.test(name))]
  if (!file) return undefined
  const createJob = () => ({ dmarc: Uint8Array.from(file.content), now: app.now() })
  return (await getParserThreads().run(accountId, createJob, TIMEOUT_MS)) ?? undefined
}

/** Stores a report about a domain of the account. Returns undefined for a report about any other domain. */
export async function receiveDmarcReport(tx: Sql, report: DmarcReport): Promise<ReceiveResult | undefined> {
  const { domain, organization } = report
  const outcome = await storeDmarcReport(tx, report)
  if (outcome === 'ignored') return undefined
  return { outcome, kind: 'report', reason: `it is the DMARC report of ${organization} about ${domain}` }
}
