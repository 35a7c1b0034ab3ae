import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteOldDmarcReports } from '../../src/server/domain/domains/store-dmarc-report.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { rawMail } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow(new Date('2026-11-24T09:00:00Z'))
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

type Report = { domain: string; id?: string; organization?: string; ip?: string; file?: Buffer }

/** Creates a receiver's report as it is emailed: one gzipped XML file. */
function createReport({
  domain,
  id = '1',
  organization = 'google.com',
  ip = '192.0.2.1',
  file,
}: Report): Buffer {
  const xml = `<feedback><report_metadata><org_name>${organization}</org_name><report_id>${id}</report_id>
<date_range><begin>1795392000</begin><end>1795478399</end></date_range></report_metadata>
<policy_published><domain>${domain}</domain><p>none</p></policy_published>
<record><row><source_ip>${ip}</source_ip><count>4</count>
<policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row>
<auth_results><dkim><domain>${domain}</domain><result>pass</result></dkim></auth_results></record>
<record><row><source_ip>198.51.100.7</source_ip><count>3</count>
<policy_evaluated><disposition>reject</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row></record>
</feedback>`
  const content = (file ?? gzipSync(xml)).toString('base64').replace(/.{76}/g, '$&\r\n')
  return rawMail(
    {
      From: `<noreply@${organization}>`,
      To: `dmarc@${domain}`,
      Subject: `Report domain: ${domain} Submitter: ${organization} Report-ID: ${id}`,
      'Message-ID': `<${id}.${domain}@${organization}>`,
      'MIME-Version': '1.0',
      'Content-Type': `application/gzip; name="${organization}!${domain}!1795392000!1795478399.xml.gz"`,
      'Content-Disposition': `attachment; filename="${organization}!${domain}!1795392000!1795478399.xml.gz"`,
      'Content-Transfer-Encoding': 'base64',
    },
    content,
  )
}

const getDomain = async ({ owner, address }: SentCampaign) => {
  const domain = address.split('@')[1]!
  const { data } = await owner.call('listDomains', {})
  return { domain, domainId: data.find(each => each.domain === domain)!.id }
}

describe('a DMARC report that arrives in a mailbox', () => {
  it('counts once in the results of its domain, by server and by receiver', async () => {
    const written = await post.write()
    const { domain, domainId } = await getDomain(written)
    const first = createReport({ domain })
    expect((await written.receive(first)).outcome).toBe('stored')
    expect((await written.receive(first)).outcome).toBe('duplicate')
    await written.receive(createReport({ domain, id: '2', organization: 'yahoo.com' }))
    expect(await written.owner.call('getDmarcResults', { domainId })).toEqual({
      objectType: 'dmarc_results',
      domainId,
      domain,
      reports: 2,
      messages: 14,
      passed: 8,
      reporters: [
        { name: 'google.com', messages: 7, passed: 4 },
        { name: 'yahoo.com', messages: 7, passed: 4 },
      ],
      sources: [
        expect.objectContaining({ ip: '198.51.100.7', messages: 6, passed: 0, rejected: 6, domains: [] }),
        expect.objectContaining({
          ip: '192.0.2.1',
          messages: 8,
          passed: 8,
          dkimPassed: 8,
          spfPassed: 0,
          domains: [domain],
        }),
      ],
      hasMoreSources: false,
    })
    expect(await written.messages()).toHaveLength(1)
  })

  it('counts for a domain whose parent publishes the policy, and for no other domain or account', async () => {
    const written = await post.write()
    const other = await post.write()
    const { domainId } = await getDomain(written)
    const { id: ownId } = await written.owner.call('createDomain', { domain: 'mail.parent.example' })
    await other.owner.call('createDomain', { domain: 'other.example' })
    const outcomes = []
    for (const domain of ['parent.example', 'other.example', 'elsewhere.example'])
      outcomes.push((await written.receive(createReport({ domain }))).outcome)
    expect(outcomes).toEqual(['stored', 'ignored', 'ignored'])
    const getReports = async (caller: SentCampaign['owner'], id: string) =>
      (await caller.call('getDmarcResults', { domainId: id })).reports
    expect(await getReports(written.owner, ownId)).toBe(1)
    expect(await getReports(written.owner, domainId)).toBe(0)
    await expect(getReports(other.owner, ownId)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('does not hide the reply that it is attached to', async () => {
    const written = await post.write(2)
    const { domain } = await getDomain(written)
    const mails = await written.sent()
    for (const [index, { to, mail }] of mails.entries()) {
      const report = createReport({ domain: index === 0 ? domain : 'elsewhere.example', id: `r${index}` })
      const reply = Buffer.from(
        report.toString().replace(/^From: .*$/m, `From: ${to}\r\nIn-Reply-To: ${mail.messageId}`),
      )
      expect(await written.receive(reply)).toMatchObject({ outcome: 'stored', kind: 'reply' })
    }
    // This report has no In-Reply-To header, so it is matched to the prospect by its sender.
    const other = createReport({ domain: 'elsewhere.example', id: 'r3' })
    const unnamed = Buffer.from(other.toString().replace(/^From: .*$/m, `From: ${mails[0]!.to}`))
    expect(await written.receive(unnamed)).toMatchObject({ outcome: 'stored', kind: 'reply' })
  })

  it('changes nothing when it is malformed', async () => {
    const written = await post.write()
    const { domain, domainId } = await getDomain(written)
    for (const file of [Buffer.from('no report'), gzipSync(Buffer.alloc(50_000_000))])
      expect((await written.receive(createReport({ domain, file }))).outcome).toBe('ignored')
    expect(await written.owner.call('getDmarcResults', { domainId })).toMatchObject({
      reports: 0,
      messages: 0,
      sources: [],
    })
  })

  it('is deleted after 400 days', async () => {
    const written = await post.write()
    const { domain, domainId } = await getDomain(written)
    await written.receive(createReport({ domain }))
    const countReports = async () =>
      (await written.owner.call('getDmarcResults', { domainId, days: 400 })).reports
    await deleteOldDmarcReports(app.db.engine, new Date('2027-12-28T00:00:00Z'))
    expect(await countReports()).toBe(1)
    await deleteOldDmarcReports(app.db.engine, new Date('2027-12-30T00:00:00Z'))
    expect(await countReports()).toBe(0)
  })
})
