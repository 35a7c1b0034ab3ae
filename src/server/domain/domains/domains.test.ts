import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { hasDkimVerifier, verifyDkim } from '../../../../test/support/mail/dkim-verifier.ts'
import { type DnsServer, openDnsServer, type Zone } from '../../../../test/support/mail/dns-server.ts'
import { openWorker } from '../../../../test/support/mail/mail-campaign.ts'
import { openSandbox } from '../../protocols/smtp/sandbox.ts'

let dns: DnsServer
let app: TestApp
beforeAll(async () => {
  dns = await openDnsServer()
  app = await openTestApp({ DNS_SERVERS: dns.address })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

let count = 0
/** Creates a domain in a new account with these DNS records; `_dmarc` is short for `_dmarc.DOMAIN`. */
async function makeDomain(records: Record<string, Zone[string]>) {
  const owner = await makeCaller(app)
  const domain = `d${++count}.example`
  for (const [name, entry] of Object.entries(records)) dns.zone[name ? `${name}.${domain}` : domain] = entry
  const { id: domainId } = await owner.call('createDomain', { domain })
  return { owner, domain, domainId }
}
const validRecords = {
  '': {
    txt: ['google-site-verification=x', 'v=spf1 include:spf.provider.example ~all'],
    mx: ['mx.provider.example'],
  },
  _dmarc: { txt: ['v=DMARC1; p=quarantine; rua=mailto:x@y.example'] },
  'google._domainkey': { txt: ['v=DKIM1; k=rsa; p=MIIB'] },
}
const check = async (records: Record<string, Zone[string]>) => {
  dns.zone['spf.provider.example'] = { txt: ['v=spf1 ip4:192.0.2.0/24 -all'] }
  const { owner, domainId } = await makeDomain(records)
  const { checks } = await owner.call('checkDomain', { domainId })
  return Object.fromEntries(checks.map(({ name, status, message }) => [name, `${status}: ${message}`]))
}

describe('the check of a domain', () => {
  it('finds no error in correct records, and stores the result with its time', async () => {
    const { owner, domainId } = await makeDomain(validRecords)
    dns.zone['spf.provider.example'] = { txt: ['v=spf1 ip4:192.0.2.0/24 -all'] }
    const found = await owner.call('checkDomain', { domainId })
    expect(found.checks.map(({ name, status }) => [name, status])).toEqual([
      ['mx', 'ok'],
      ['spf', 'ok'],
      ['dkim', 'ok'],
      ['dmarc', 'ok'],
    ])
    expect(found.checks[1]!.record).toBe('v=spf1 include:spf.provider.example ~all')
    expect(found.checkedAt).toBeDefined()
    expect((await owner.call('listDomains', {})).data).toEqual([found])
  })

  it('reports missing records with the record to add', async () => {
    expect(await check({})).toEqual({
      mx: expect.stringMatching(/^error: .* no MX record/),
      spf: expect.stringMatching(/^error: .*TXT record at d\d+\.example: v=spf1 /),
      dkim: expect.stringMatching(/^advice: No signing key/),
      dmarc: expect.stringMatching(/^error: .*TXT record at _dmarc\.d\d+\.example: v=DMARC1; p=none/),
    })
  })

  it('names the SPF record of a provider that the MX records identify', async () => {
    const { owner, domainId, domain } = await makeDomain({ '': { mx: ['aspmx.l.google.com'] } })
    const { checks } = await owner.call('checkDomain', { domainId })
    expect(checks.map(({ recordToAdd }) => recordToAdd)).toEqual([
      undefined,
      { name: domain, value: 'v=spf1 include:_spf.google.com ~all' },
      undefined,
      { name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' },
    ])
  })

  const spf = (...txt: string[]) => ({ ...validRecords, '': { ...validRecords[''], txt } })
  const includes = (n: number) => Array.from({ length: n }, () => 'include:spf.provider.example').join(' ')
  it.each<[string, Record<string, Zone[string]>, string, RegExp]>([
    ['two SPF records', spf('v=spf1 ~all', 'v=spf1 -all'), 'spf', /^error: There are 2 SPF records/],
    ['ten lookups', spf(`v=spf1 ${includes(10)} -all`), 'spf', /^ok/],
    ['eleven lookups', spf(`v=spf1 ${includes(10)} mx -all`), 'spf', /^error: .*more than 10/],
    ['an include of itself', spf('v=spf1 include:loop.example ~all'), 'spf', /^error: .*more than 10/],
    [
      'an include of an unknown domain',
      spf('v=spf1 include:nowhere.example ~all'),
      'spf',
      /^error: .*nowhere\.example/,
    ],
    ['an SPF record that allows everyone', spf('v=spf1 +all'), 'spf', /^error: .*allows anyone to send/],
    ['an SPF record without a default', spf('v=spf1 include:spf.provider.example'), 'spf', /^advice: .*~all/],
    ['a redirect', spf('v=spf1 redirect=spf.provider.example'), 'spf', /^ok/],
    ['a record that only looks like SPF', spf('v=spf10 -all'), 'spf', /^error: There is no SPF/],
    [
      'two DMARC records',
      { ...validRecords, _dmarc: { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=none'] } },
      'dmarc',
      /^error: There are 2/,
    ],
    [
      'DMARC without a policy',
      { ...validRecords, _dmarc: { txt: ['v=DMARC1; rua=x'] } },
      'dmarc',
      /^error: .*no valid policy/,
    ],
    [
      'a null MX record',
      { ...validRecords, '': { ...validRecords[''], mx: ['.'] } },
      'mx',
      /^error: .*accepts no mail/,
    ],
    ['a failing name server', { ...validRecords, _dmarc: { failure: 2 } }, 'dmarc', /^unknown: .*Try again/],
  ])('reports the status of %s', async (_what, records, name, message) => {
    dns.zone['loop.example'] = { txt: ['v=spf1 include:loop.example -all'] }
    expect((await check(records))[name]).toMatch(message)
  })

  it('uses the DMARC policy of the organizational domain for a subdomain', async () => {
    const owner = await makeCaller(app)
    dns.zone['_dmarc.above.example'] = { txt: ['v=DMARC1; p=reject'] }
    const { id: domainId } = await owner.call('createDomain', { domain: 'Mail.Above.example' })
    const { domain, checks } = await owner.call('checkDomain', { domainId })
    expect([domain, checks[3]!.status]).toEqual(['mail.above.example', 'ok'])
  })
})

describe('the launch of a campaign', () => {
  it("warns about errors in its mailboxes' domains but is not prevented by them", async () => {
    const { owner, domain, domainId } = await makeDomain({ ...validRecords, _dmarc: undefined })
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Enough?' })
    const { id: repId } = await owner.call('createRep', { name: 'Ada' })
    const smtp = { host: 'smtp.acme.example', port: 587, tls: 'starttls' as const }
    await owner.call('createMailbox', { repId, kind: 'smtp', email: `ada@${domain}`, smtp })
    await app.owner`update mailboxes set status = 'active' where account_id = ${owner.accountId}`
    const warningsAtLaunch = async () => {
      const steps = [{ subject: 'Hello', body: 'Hi' }]
      const { id: campaignId } = await owner.call('createCampaign', {
        name: 'Spring',
        repIds: [repId],
        steps,
      })
      const { status, domainWarnings } = await owner.call('launchCampaign', { campaignId })
      expect(status).toBe('active')
      return domainWarnings
    }
    expect(await warningsAtLaunch()).toEqual([
      expect.stringContaining(`${domain}: its DNS was never checked`),
    ])
    await owner.call('checkDomain', { domainId })
    expect(await warningsAtLaunch()).toEqual([expect.stringContaining(`${domain}: There is no DMARC record`)])
    dns.zone[`_dmarc.${domain}`] = validRecords._dmarc
    await owner.call('checkDomain', { domainId })
    expect(await warningsAtLaunch()).toBeUndefined()
  })
})

describe('the domains of an account', () => {
  it('include the domains of its mailboxes, each once', async () => {
    const owner = await makeCaller(app)
    const { id: repId } = await owner.call('createRep', { name: 'Ada' })
    const smtp = { host: 'smtp.acme.example', port: 587, tls: 'starttls' as const }
    for (const email of ['ada@acme.example', 'bo@acme.example'])
      await owner.call('createMailbox', { repId, kind: 'smtp', email, smtp })
    expect((await owner.call('listDomains', {})).data.map(({ domain }) => domain)).toEqual(['acme.example'])
    await expect(owner.call('createDomain', { domain: 'ACME.example' })).rejects.toMatchObject({
      code: 'Conflict',
    })
    await expect(owner.call('createDomain', { domain: 'acme' })).rejects.toMatchObject({
      code: 'ValidationError',
    })
  })
})

const getKeys = async (owner: Caller, domainId: string) =>
  (await owner.call('getDomain', { domainId })).dkimKeys

describe('a signing key', () => {
  it('signs from the time its record is found until the record of the next key is found, and is stored encrypted', async () => {
    const { owner, domain, domainId } = await makeDomain({})
    const [first] = (await owner.call('createDkimKey', { domainId })).dkimKeys
    expect(first).toMatchObject({ status: 'waiting', recordName: `${first!.selector}._domainkey.${domain}` })
    await owner.call('checkDomain', { domainId })
    expect(await getKeys(owner, domainId)).toMatchObject([{ status: 'waiting' }])
    dns.zone[first!.recordName] = { txt: [first!.recordValue.replace('p=', 'p=x')] }
    const wrong = await owner.call('checkDomain', { domainId })
    expect(wrong.checks[2]).toMatchObject({
      status: 'error',
      message: expect.stringContaining('a different record'),
    })
    dns.zone[first!.recordName] = { txt: [first!.recordValue] }
    expect((await owner.call('checkDomain', { domainId })).checks[2]).toMatchObject({ status: 'ok' })
    expect(await getKeys(owner, domainId)).toMatchObject([{ status: 'signing' }])

    await owner.call('createDkimKey', { domainId })
    const [second] = (await owner.call('createDkimKey', { domainId })).dkimKeys
    expect((await getKeys(owner, domainId)).map(({ status }) => status)).toEqual(['waiting', 'signing'])
    dns.zone[second!.recordName] = { txt: [second!.recordValue] }
    await Promise.all([1, 2, 3, 4].map(() => owner.call('checkDomain', { domainId })))
    expect(await getKeys(owner, domainId)).toMatchObject([
      { id: second!.id, status: 'signing' },
      { id: first!.id, status: 'retired' },
    ])
    const stored = await app.owner<{ text: string; isKept: boolean }[]>`
      select encode(private_key, 'escape') as text, private_key is not null as "isKept"
        from dkim_keys where account_id = ${owner.accountId}`
    expect(stored.filter(({ isKept }) => isKept)).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY')
  })

  it('cannot be created by a manager, and is deleted with the domain', async () => {
    const { owner, domainId } = await makeDomain({})
    const manager = await makeCaller(app, 'manager', owner.accountId)
    await expect(manager.call('createDkimKey', { domainId })).rejects.toMatchObject({ code: 'Forbidden' })
    await owner.call('createDkimKey', { domainId })
    await owner.call('deleteDomain', { domainId })
    expect(await app.owner`select from dkim_keys where account_id = ${owner.accountId}`).toHaveLength(0)
  })

  it('signs campaign emails, including both unsubscribe headers', async () => {
    await using sandbox = await openSandbox({ dir: join(app.dataDir, 'sandbox') })
    await using worker = openWorker({ ...app, sandbox })
    const { owner, domain, domainId } = await makeDomain({})
    const [key] = (await owner.call('createDkimKey', { domainId })).dkimKeys
    dns.zone[key!.recordName] = { txt: [key!.recordValue] }
    await owner.call('checkDomain', { domainId })
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Enough?' })
    const { id: repId } = await owner.call('createRep', { name: 'Ada' })
    const email = `ada@${domain}`
    await owner.call('createMailbox', { repId, kind: 'sandbox', email })
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }]
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [repId], steps })
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ firstName: 'Grace', email: 'grace@navy.example' }],
    })
    await owner.call('launchCampaign', { campaignId })
    await worker.work()
    const dir = join(app.dataDir, 'sandbox', email)
    const [file] = await readdir(dir)
    const mail = await readFile(join(dir, file!))
    const [signature] = /^DKIM-Signature: .*$/m.exec(mail.toString('latin1').replace(/\r\n[ \t]/g, ' ')) ?? []
    expect(signature).toContain(`d=${domain};`)
    expect(signature).toContain(`s=${key!.selector};`)
    expect(signature).toMatch(/h=\S*:list-unsubscribe:list-unsubscribe-post/)
    if (hasDkimVerifier())
      expect(verifyDkim(mail, { name: key!.recordName, value: key!.recordValue })).toBe(true)
  })
})
