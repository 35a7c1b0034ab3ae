import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type MailCampaign, makeMailCampaignToLaunch } from '../../../../test/support/mail/mail-campaign.ts'
import { parseEmail } from '../../../../test/support/mail/parse-email.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'

let app: TestApp
let server: ScriptedSmtp
let other: ScriptedSmtp
let campaign: MailCampaign
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server = await ScriptedSmtp.open()
  other = await ScriptedSmtp.open()
  campaign = await makeMailCampaignToLaunch(app, [server, other], 2, [
    { subject: 'Hello {{ firstName }}', body: '<p>Hi {{ firstName }}, <b>{{ jobTitle }}</b>?</p>' },
    { channel: 'linkedin_view' },
    { thread: 'same', body: 'Did you see this, {{ firstName }}?' },
  ])
})
beforeEach(() => {
  for (const each of [server, other]) {
    each.script = () => undefined
    each.forget()
  }
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const send = (more: object = {}) =>
  campaign.owner.call('sendTestEmail', { campaignId: campaign.campaignId, ...more })
const listTransfers = () =>
  [server, other].flatMap(({ transfers }) => transfers.filter(each => each.isComplete))
const steps = async () =>
  (await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })).steps
const findEmail = async () => (await campaign.owner.call('getMe', {})).user.email

describe('a test email', () => {
  it('is the step as the prospect would receive it, marked as a test and sent to the caller', async () => {
    const [, prospect] = await campaign.prospects()
    const response = await send({ prospectId: prospect!.id })
    const firstName = prospect!.person!.firstName!
    const email = await findEmail()
    expect(response).toMatchObject({
      to: { email },
      from: { name: 'Ada Byron' },
      subject: `[Test] Hello ${firstName}`,
      warnings: [{ code: 'missing_variable' }],
    })
    const [transfer, ...rest] = listTransfers()
    expect(rest).toEqual([])
    expect(transfer!.envelope).toEqual([
      expect.stringContaining(response.from.email),
      expect.stringContaining(email),
    ])
    const mail = await parseEmail(transfer!.wire)
    expect(mail.subject).toBe(response.subject)
    expect(mail.html).toContain(`Hi ${firstName}, <b>[jobTitle]</b>`)
    expect(mail.text).toContain('Reply stop.')
  })

  it('has no link or header that opts the prospect out', async () => {
    await send()
    const wire = listTransfers()[0]!.wire.toString()
    expect(wire).not.toMatch(/^List-Unsubscribe/im)
    expect(wire).toMatch(/^Auto-Submitted: auto-generated/m)
    for (const [, token] of wire.matchAll(/\/u\/([\w-]+)/g)) expect(token).toBe('preview')
  })

  it('does not appear in statistics, lists or threads, and neither does its copy in the Sent folder', async () => {
    const { owner, campaignId, mailboxIds } = campaign
    // The user is also a prospect.
    const email = await findEmail()
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    const { mailboxId } = await send()
    const [transfer] = listTransfers()
    expect(mailboxIds).toContain(mailboxId)
    const copy = { raw: transfer!.wire, receivedAt: app.now(), folder: 'sent' as const }
    expect(await receiveMail(app, { accountId: owner.accountId, mailboxId, ...copy })).toMatchObject({
      outcome: 'ignored',
    })
    expect(await campaign.messages()).toEqual([])
    expect(await owner.call('getCampaignStats', { campaignId })).toMatchObject({ sent: 0, delivered: 0 })
    expect((await app.owner`select from mailbox_attempts where account_id = ${owner.accountId}`).count).toBe(
      0,
    )
    const { data } = await owner.call('listAuditLog', { limit: 1 })
    expect(data[0]).toMatchObject({ action: 'send_test_email', auditedId: campaignId })
  })

  it('can be sent for a later email step, but not for steps that are not emails', async () => {
    const [, view, followUp] = await steps()
    expect((await send({ stepId: followUp!.id })).subject).toMatch(/^\[Test\] Re: Hello/)
    await expect(send({ stepId: view!.id })).rejects.toMatchObject({ details: [{ path: 'stepId' }] })
  })

  it('is sent from the mailbox of the chosen rep', async () => {
    const { repIds } = await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })
    for (const [index, repId] of repIds.entries())
      expect((await send({ repId })).mailboxId).toBe(campaign.mailboxIds[index])
    expect([server.transfers.length, other.transfers.length]).toEqual([1, 1])
    const { id: stranger } = await campaign.owner.call('createRep', { name: 'Grace' })
    await expect(send({ repId: stranger })).rejects.toMatchObject({ details: [{ path: 'repId' }] })
  })

  it('is not sent while sending is paused, the mail server is down, or the user is on the Do Not Contact list', async () => {
    const { owner } = campaign
    await owner.call('pauseSending', {})
    await expect(send()).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('paused'),
    })
    await owner.call('resumeSending', {})
    await app.owner`
      update mailboxes set retry_at = ${new Date(app.now().getTime() + 60_000)} where account_id = ${owner.accountId}`
    await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('unavailable') })
    await app.owner`update mailboxes set retry_at = null where account_id = ${owner.accountId}`
    const identifier = await findEmail()
    await owner.call('addOptOuts', { identifiers: [{ identifier }] })
    await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('Do Not Contact') })
    await owner.call('removeOptOut', { identifier })
    expect(listTransfers()).toEqual([])
  })

  it("reports the mail server's reply", async () => {
    for (const each of [server, other])
      each.script = step => (step === 'RCPT' ? '550 5.7.1 not from here' : undefined)
    await expect(send()).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/was not sent: .*not from here/),
    })
    for (const each of [server, other]) each.script = step => (step === 'DOT' ? 'cut' : undefined)
    await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('may have been sent') })
  })

  it('requires the permission to edit campaigns', async () => {
    const member = await makeCaller(app, 'member', campaign.owner.accountId)
    await expect(member.call('sendTestEmail', { campaignId: campaign.campaignId })).rejects.toMatchObject({
      code: 'Forbidden',
    })
  })
})
