import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import type { DmarcReport } from '../../protocols/dmarc/parse-report.ts'

/**
 * Stores a report once. Ignores a report on a domain if the account has neither that domain nor a parent or subdomain
 * of it.
 */
export async function storeDmarcReport(
  tx: Sql,
  { domain, organization, reportId, beginsAt, endsAt, sources }: DmarcReport,
): Promise<'stored' | 'duplicate' | 'ignored'> {
  const [owned] = await tx<{ id: string }[]>`
    select id from domains
     where account_id = current_account_id()
       and (domain = any(domain_and_parents(${domain})) or ${domain} = any(domain_and_parents(domain)))
     order by domain = ${domain} desc, domain
     limit 1`
  if (!owned) return 'ignored'
  const id = randomUUIDv7()
  const { count } = await tx`
    insert into dmarc_reports (account_id, id, domain_id, organization, report_id, begins_at, ends_at)
    values (current_account_id(), ${id}, ${owned.id}, ${organization}, ${reportId}, ${beginsAt}, ${endsAt})
    on conflict do nothing`
  if (count === 0) return 'duplicate'
  await tx`
    insert into dmarc_sources (account_id, report_id, ip, messages, passed, dkim_passed, spf_passed, quarantined, rejected, domains)
    select current_account_id(), ${id}, ip, messages, passed, "dkimPassed", "spfPassed", quarantined, rejected, domains
      from jsonb_to_recordset(${JSON.stringify(sources)}::jsonb)
           source(ip inet, messages bigint, passed bigint, "dkimPassed" bigint, "spfPassed" bigint, quarantined bigint,
                  rejected bigint, domains text[])`
  return 'stored'
}

const RETENTION_MS = 400 * 86_400_000
const DELETE_BATCH = 1_000

/** Deletes a batch of reports older than 400 days. Requires the engine’s role. */
export const deleteOldDmarcReports = (engineSql: Sql, now: Date) => engineSql`
  delete from dmarc_reports
   where (account_id, id) in (
           select account_id, id from dmarc_reports
            where ends_at < ${new Date(now.getTime() - RETENTION_MS)}
            order by ends_at
            limit ${DELETE_BATCH})`
