import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageSchema, text, time } from './page.ts'

export const domainChecks = ['mx', 'spf', 'dkim', 'dmarc'] as const
export const checkStatuses = ['ok', 'advice', 'error', 'unknown'] as const
export const dkimKeyStatuses = ['waiting', 'signing', 'retired'] as const

export const domainCheck = z.object({
  name: z.enum(domainChecks),
  status: z
    .enum(checkStatuses)
    .describe('Result. `error`: mail will be rejected or treated as spam; `unknown`: DNS did not respond'),
  message: z.string().describe('Finding and what to do'),
  record: z.string().optional().describe('DNS record found'),
  recordToAdd: z
    .object({ name: z.string(), value: z.string() })
    .optional()
    .describe('TXT record to add, if it is known'),
})

const dkimKey = z.object({
  id,
  createdAt: time,
  selector: z.string(),
  status: z
    .enum(dkimKeyStatuses)
    .describe(
      '`waiting` until a check finds its DNS record, then `signing`; `retired` once another key replaces it',
    ),
  recordName: z.string().describe('Name of the TXT record'),
  recordValue: z.string().describe('Value of the TXT record'),
})

export const domain = z
  .object({
    ...base('domain'),
    domain: z.string(),
    checkedAt: time.optional(),
    checks: z.array(domainCheck).describe('Results of the last check; empty before the first'),
    dkimKeys: z.array(dkimKey).describe('DKIM keys, newest first'),
  })
  .meta({ id: 'Domain' })

const count = z.int().min(0)
const dmarcCounts = {
  messages: count,
  passed: count.describe('Messages that pass DMARC: with aligned DKIM or SPF'),
}

const dmarcResults = z
  .object({
    objectType: z.literal('dmarc_results'),
    domainId: id,
    domain: z.string(),
    reports: count.describe('Number of reports'),
    ...dmarcCounts,
    reporters: z
      .array(z.object({ name: z.string(), ...dmarcCounts }))
      .describe('Receivers that sent reports'),
    sources: z
      .array(
        z.object({
          ip: z.string(),
          ...dmarcCounts,
          dkimPassed: count,
          spfPassed: count,
          quarantined: count,
          rejected: count,
          domains: z.array(z.string()).describe('Domains that signed or sent the messages'),
          lastSeenAt: time.describe('End of the last report that includes the server'),
        }),
      )
      .describe('Servers that sent the messages; those with the most failures first, at most 100'),
    hasMoreSources: z.boolean(),
  })
  .meta({ id: 'DmarcResults' })

const idInput = z.strictObject({ domainId: id.describe('Domain ID') })

export const listDomains = operation({
  method: 'GET',
  path: '/domains',
  summary: 'List sending domains',
  description:
    'Lists the domains that mailboxes send from. Creating a mailbox with its own mail server adds its domain.',
  tag: 'Domains',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageSchema(domain, 'Domain'),
})

export const createDomain = operation({
  method: 'POST',
  path: '/domains',
  summary: 'Create a domain',
  description: 'Adds a domain before any mailbox uses it.',
  tag: 'Domains',
  extension: true,
  permission: 'Campaign.EditCampaign',
  input: z.strictObject({
    domain: text(253).describe('Domain that mailboxes send from, such as acme.example'),
  }),
  output: domain,
  example: { input: { domain: 'navy.example' } },
})

export const getDomain = operation({
  method: 'GET',
  path: '/domains/{domainId}',
  summary: 'Get a domain',
  description: 'Includes the result of the last check of its DNS records, and what to correct.',
  tag: 'Domains',
  extension: true,
  permission: 'Rep.ReadRep',
  input: idInput,
  output: domain,
})

export const checkDomain = operation({
  method: 'POST',
  path: '/domains/{domainId}/check',
  summary: 'Check the DNS of a domain',
  description:
    'Checks MX, SPF, DKIM and DMARC and reports what to fix. A waiting signing key starts signing once its DNS record is found; the previous key is retired.',
  tag: 'Domains',
  extension: true,
  permission: 'Campaign.EditCampaign',
  isRemote: true,
  timeoutMs: 30_000,
  input: idInput,
  output: domain,
})

export const getDmarcResults = operation({
  method: 'GET',
  path: '/domains/{domainId}/dmarc-results',
  summary: 'Get the DMARC results of a domain',
  description:
    'Sums up the aggregate reports that receivers sent to a connected mailbox: how many messages with addresses of the domain pass DMARC, and from which servers they came. Anybody can send reports, so read unexpected ones with care.',
  tag: 'Domains',
  extension: true,
  permission: 'Rep.ReadRep',
  input: idInput.extend({
    days: z.int().min(1).max(400).default(30).describe('Number of days up to now'),
  }),
  output: dmarcResults,
})

export const createDkimKey = operation({
  method: 'POST',
  path: '/domains/{domainId}/dkim-keys',
  summary: 'Create a DKIM key for a domain',
  description:
    'Publish the DNS record of the new key, then check the domain: its mail is signed (DKIM) from then on. Not needed if the mail server signs its emails. Replaces a key that is still waiting.',
  tag: 'Domains',
  extension: true,
  permission: 'Account.ManageSettings',
  input: idInput,
  output: domain,
})

export const deleteDomain = operation({
  method: 'DELETE',
  path: '/domains/{domainId}',
  summary: 'Delete a domain',
  description: 'Deletes the domain and its keys: its mail is no longer signed. Mailboxes keep sending.',
  tag: 'Domains',
  extension: true,
  permission: 'Account.ManageSettings',
  input: idInput,
  output: done,
})
