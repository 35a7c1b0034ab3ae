import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { makeBounce } from '../../../../../test/support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../../../../../test/support/mail/correspondence.ts'
import { type DnsServer, openDnsServer } from '../../../../../test/support/mail/dns-server.ts'

let dns: DnsServer
let app: TestApp
let post: PostOffice
beforeAll(async () => {
  dns = await openDnsServer({
    'gmail.com': { mx: ['mx.gmail.com'] },
    'acme.com': { mx: ['mx.acme.com'] },
    'gmail.con': {},
    'closed.com': { mx: ['.'] },
    'mailinator.com': { mx: ['mx.mailinator.com'] },
    'gmai.com': { mx: ['mx.gmai.com'] },
    'broken.com': { failure: 2 },
  })
  app = await openTestApp({ DNS_SERVERS: dns.address, ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const csv = `First name,Email
Ada,ada@acme.com
Ben,ben@gone.com
Cy,cy@closed.com
Dee,dee@gmai.com
Eve,eve@mailinator.com
Flo,info@acme.com
Gus,gus@broken.com
Hal,hal@analytical.example
`
const risky = [
  [3, 'undeliverable_domain', 'gone.com has no mail server, so emails to it bounce. Find another address'],
  [4, 'undeliverable_domain', 'closed.com declares that it accepts no email.'],
  [5, 'possible_typo', 'gmai.com may be a typo. Did you mean dee@gmail.com?'],
  [6, 'disposable_address', 'mailinator.com provides disposable addresses'],
  [7, 'role_address', 'info@acme.com reaches a team or a machine'],
].map(([line, kind, message]) => ({ line, kind, message: expect.stringContaining(message as string) }))

describe('an import', () => {
  it('lists risky addresses in its preview and in its result when it adds prospects to a campaign', async () => {
    const owner = await makeCaller(app)
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    const preview = await owner.call('importProspects', { campaignId, csv, dryRun: true })
    expect(preview.riskyAddresses).toMatchObject({ total: 5, rows: risky })
    expect(preview.added).toBe(8)
    const result = await owner.call('importProspects', { campaignId, csv })
    expect(result.riskyAddresses).toEqual(preview.riskyAddresses)
    expect((await owner.call('importProspects', { campaignId, csv })).riskyAddresses).toBeUndefined()
  })

  it('lists risky addresses when it creates people outside of campaigns', async () => {
    const owner = await makeCaller(app)
    const { riskyAddresses } = await owner.call('importPersons', { csv, dryRun: true })
    expect(riskyAddresses).toMatchObject({ total: 5, rows: risky })
    const rows = [{ firstName: 'Ada', email: 'ada@gmail.con' }]
    expect((await owner.call('importPersons', { rows })).riskyAddresses?.rows).toEqual([
      {
        ...{ line: 1, email: 'ada@gmail.con', kind: 'possible_typo' },
        message: 'gmail.con may be a typo. Did you mean ada@gmail.com?',
      },
    ])
  })

  it('succeeds without the risky addresses if finding them fails', async () => {
    const owner = await makeCaller(app)
    const rows = [{ firstName: 'Ben', email: 'ben@gone.com' }]
    await app.owner`revoke select on email_sends from overture_app`
    try {
      const result = await owner.call('importPersons', { rows }, 'a key')
      expect(result).toMatchObject({ created: 1 })
      expect(result.riskyAddresses).toBeUndefined()
      expect(await owner.call('importPersons', { rows }, 'a key')).toEqual(result)
    } finally {
      await app.owner`grant select on email_sends to overture_app`
    }
  })

  it('warns about a domain where several addresses bounced, in this account only', async () => {
    const written = await post.write(3, [{ subject: 'Hello', body: 'One' }])
    const mails = await written.sent()
    const domain = mails[0]!.to.split('@')[1]
    const csv = `Email\nnew@${domain}\n`
    const warn = async (caller: typeof written.owner) =>
      (await caller.call('importPersons', { csv, dryRun: true })).riskyAddresses?.rows
    await written.receive(makeBounce(mails[0]!))
    expect(await warn(written.owner)).toBeUndefined()
    await written.receive(makeBounce(mails[1]!))
    expect(await warn(written.owner)).toMatchObject([
      {
        kind: 'bouncing_domain',
        message: expect.stringContaining(`Emails to 2 addresses at ${domain} bounced`),
      },
    ])
    expect(await warn(await makeCaller(app))).toBeUndefined()
  })
})
