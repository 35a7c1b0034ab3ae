import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'
import { type DnsServer, openDnsServer } from '../../../../test/support/mail/dns-server.ts'

let dns: DnsServer
let app: TestApp
beforeAll(async () => {
  dns = await openDnsServer({
    'gmail.com': { mx: ['mx.gmail.com'] },
    'acme.com': { mx: ['mx.acme.com'] },
    'broken.com': { failure: 2 },
  })
  app = await openTestApp({ DNS_SERVERS: dns.address })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})
beforeEach(() => app.setNow('2026-11-23T09:00:00.000Z'))

/** Creates a campaign with an email step for people with these addresses; nothing is planned before it is launched. */
async function makeCampaign(emails: string[], settings: { holdRiskyAddresses?: boolean } = {}) {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  await owner.call('createMailbox', { repId, kind: 'sandbox', email: `grace-${repId}@navy.example` })
  const { id: campaignId } = await owner.call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId], settings },
    steps: [{ subject: 'Hello', body: 'Hi' }],
  })
  const { data } = await owner.call('addProspectsToCampaign', {
    campaignId,
    data: emails.map(email => ({ email })),
  })
  const list = async () => {
    const { data } = await owner.call('listCampaignProspects', { campaignId, limit: 100 })
    return Object.fromEntries(
      data.map(({ person, status, statusReason }) => [person.email, statusReason ?? status]),
    )
  }
  const recipients = async () => {
    const rows = await app.owner<{ email: string }[]>`
      select recipient_emails[1] as email from email_sends where campaign_id = ${campaignId} order by 1`
    return rows.map(({ email }) => email)
  }
  const launch = async () => {
    await owner.call('launchCampaign', { campaignId })
    await planAll(app)
  }
  return { owner, campaignId, data, list, recipients, launch }
}

describe('a campaign', () => {
  it('pauses a prospect whose domain receives no email, until the address is corrected', async () => {
    const { owner, data, list, recipients, launch } = await makeCampaign(['ada@acme.com', 'ben@gone.com'])
    await launch()
    expect(await list()).toEqual({ 'ada@acme.com': 'active', 'ben@gone.com': 'undeliverable_domain' })
    expect(await recipients()).toEqual(['ada@acme.com'])
    await owner.call('updatePerson', { personId: data[1]!.personId!, email: 'ben@acme.com' })
    await planAll(app)
    expect(await list()).toEqual({ 'ada@acme.com': 'active', 'ben@acme.com': 'active' })
    expect(await recipients()).toEqual(['ada@acme.com', 'ben@acme.com'])
  })

  it('does not resume a prospect that a user has also paused when the address is corrected', async () => {
    const { owner, data, list, recipients, launch } = await makeCampaign(['ada@gone.com', 'ben@gone.com'])
    await launch()
    const [ada, ben] = data.map(({ personId, prospectId }) => ({
      personId: personId!,
      prospectId: prospectId!,
    }))
    await owner.call('pauseProspect', { prospectId: ada!.prospectId })
    expect(await owner.call('pauseProspects', { prospectIds: [ben!.prospectId] })).toMatchObject({
      paused: 1,
    })
    await owner.call('updatePerson', { personId: ada!.personId, email: 'ada@acme.com' })
    await owner.call('updatePerson', { personId: ben!.personId, email: 'ben@acme.com' })
    await planAll(app)
    expect(await list()).toEqual({ 'ada@acme.com': 'manual', 'ben@acme.com': 'manual' })
    expect(await recipients()).toEqual([])
  })

  it('continues with a prospect that is resumed after the domain was repaired', async () => {
    const { owner, data, list, launch } = await makeCampaign(['ada@repaired.com'])
    await launch()
    expect(await list()).toEqual({ 'ada@repaired.com': 'undeliverable_domain' })
    dns.zone['repaired.com'] = { mx: ['mx.repaired.com'] }
    app.setNow('2026-11-23T10:00:00.000Z')
    await owner.call('resumeProspect', { prospectId: data[0]!.prospectId! })
    await planAll(app)
    expect(await list()).toEqual({ 'ada@repaired.com': 'active' })
  })

  it('sends to domains whose DNS lookup fails', async () => {
    const { recipients, launch } = await makeCampaign(['ada@broken.com', 'ben@broken.com'])
    await launch()
    expect(await recipients()).toEqual(['ada@broken.com', 'ben@broken.com'])
  })

  it('pauses disposable and role addresses only if configured to', async () => {
    const emails = ['ada@acme.com', 'eve@mailinator.com', 'info@acme.com']
    dns.zone['mailinator.com'] = { mx: ['mx.mailinator.com'] }
    const careless = await makeCampaign(emails)
    await careless.launch()
    expect(await careless.recipients()).toEqual(emails)
    const careful = await makeCampaign(emails, { holdRiskyAddresses: true })
    await careful.launch()
    expect(await careful.recipients()).toEqual(['ada@acme.com'])
    expect(await careful.list()).toMatchObject({
      'eve@mailinator.com': 'disposable_address',
      'info@acme.com': 'role_address',
    })
    const { owner, campaignId } = careful
    await owner.call('updateCampaign', { campaignId, settings: { holdRiskyAddresses: false } })
    await planAll(app)
    expect(await careful.recipients()).toEqual(emails)
  })
})

it('the review before a launch lists risky addresses, undeliverable ones first', async () => {
  const { owner, campaignId } = await makeCampaign(['ada@acme.com', 'info@acme.com', 'ben@gone.com'])
  const { launch } = await owner.call('forecastCampaign', { campaignId })
  expect(launch!.riskyAddresses).toMatchObject({
    ...{ total: 2, undeliverable: 1, unchecked: 0 },
    prospects: [
      {
        email: 'ben@gone.com',
        kind: 'undeliverable_domain',
        message: expect.stringContaining('no mail server'),
      },
      { email: 'info@acme.com', kind: 'role_address' },
    ],
  })
  const { owner: other, ...plain } = await makeCampaign(['ada@acme.com'])
  const forecast = await other.call('forecastCampaign', { campaignId: plain.campaignId })
  expect(forecast.launch).not.toHaveProperty('riskyAddresses')
})
