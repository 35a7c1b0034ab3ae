import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageOf, text, time } from './page.ts'

export const domainChecks = ['mx', 'spf', 'dkim', 'dmarc'] as const
export const checkStatuses = ['ok', 'advice', 'fault', 'unknown'] as const
export const dkimKeyStatuses = ['waiting', 'signing', 'retired'] as const

export const domainCheck = z.object({
  name: z.enum(domainChecks),
  status: z
    .enum(checkStatuses)
    .describe('`fault`: mails will be refused or taken for spam; `unknown`: DNS could not be asked'),
  message: z.string().describe('What was found, and what to do'),
  record: z.string().optional().describe('The record that was found'),
})

const dkimKey = z.object({
  id,
  createdAt: time,
  selector: z.string(),
  status: z
    .enum(dkimKeyStatuses)
    .describe('`waiting` until a check sees its record, then `signing`, `retired` by the next one'),
  recordName: z.string().describe('Where its TXT record belongs'),
  recordValue: z.string().describe('What its TXT record says'),
})

export const domain = z
  .object({
    ...base('domain'),
    domain: z.string(),
    checkedAt: time.optional(),
    checks: z.array(domainCheck).describe('Of the last check; empty before the first'),
    dkimKeys: z.array(dkimKey).describe('The newest first'),
  })
  .meta({ id: 'Domain' })

const one = z.strictObject({ domainId: id.describe('The domain') })

export const listDomains = operation({
  method: 'GET',
  path: '/domains',
  summary: 'List the domains that mail is sent from',
  description: 'A domain is here as soon as a mailbox with a server of its own has an address in it.',
  tag: 'Domains',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageOf(domain, 'Domain'),
})

export const createDomain = operation({
  method: 'POST',
  path: '/domains',
  summary: 'Add a domain',
  description: 'To prepare one that no mailbox is in yet.',
  tag: 'Domains',
  extension: true,
  permission: 'Campaign.EditCampaign',
  input: z.strictObject({ domain: text(253) }),
  output: domain,
  example: { input: { domain: 'navy.example' } },
})

export const getDomain = operation({
  method: 'GET',
  path: '/domains/{domainId}',
  summary: 'Get a domain',
  tag: 'Domains',
  extension: true,
  permission: 'Rep.ReadRep',
  input: one,
  output: domain,
})

export const checkDomain = operation({
  method: 'POST',
  path: '/domains/{domainId}/check',
  summary: 'Check the DNS of a domain',
  description:
    'Looks at MX, SPF, DKIM and DMARC and says what to mend. A signing key that waits for its record begins to sign when the record is seen; the one before it retires.',
  tag: 'Domains',
  extension: true,
  permission: 'Campaign.EditCampaign',
  isRemote: true,
  timeoutMs: 30_000,
  input: one,
  output: domain,
})

export const createDkimKey = operation({
  method: 'POST',
  path: '/domains/{domainId}/dkim-keys',
  summary: 'Make a signing key for a domain',
  description:
    'Publish the record of the new key in the DNS, then check the domain: from then on its mails are signed (DKIM). For servers that sign themselves there is no need. One that still waits is replaced.',
  tag: 'Domains',
  extension: true,
  permission: 'Account.ManageSettings',
  input: one,
  output: domain,
})

export const deleteDomain = operation({
  method: 'DELETE',
  path: '/domains/{domainId}',
  summary: 'Remove a domain',
  description: 'Its keys go with it: mails from it are no longer signed. Its mailboxes go on sending.',
  tag: 'Domains',
  extension: true,
  permission: 'Account.ManageSettings',
  input: one,
  output: done,
})
