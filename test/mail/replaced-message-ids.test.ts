import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { makeBounce, makeReply } from '../support/mail/answers.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import { makeOAuthMailbox, type OAuthMail, openOAuthMail } from '../support/mail/oauth-mail.ts'

const DAY_MS = 24 * 3_600_000
const WAIT = { timeout: 180_000, interval: 100 }
const settings = { pollMs: 300, backoff: { baseMs: 100, maxMs: 400 } }

/** Returns whether this is the header that repeats an email's Message-ID. Not every server returns that header. */
const isOwnId = ({ key }: { key: string }) => key === 'x-sent-message-id'

describe.runIf(hasDovecot())('when the provider replaces the Message-ID of a sent email,', () => {
  let mail: OAuthMail
  beforeAll(async () => {
    mail = await openOAuthMail('microsoft')
  })
  afterAll(() => mail[Symbol.asyncDispose]())
  afterEach(async () => {
    mail.smtp.emails.length = 0
    await mail.app.owner`update campaigns set status = 'paused' where status = 'active'`
    await mail.app.owner`delete from mailbox_syncs`
  })

  /** Creates a campaign of two steps, the first of which was sent to everyone. */
  async function makeCampaign(people: string[]) {
    mail.app.setNow(new Date())
    const { owner, repId, email, connect, mailboxId } = await makeOAuthMailbox(mail)
    await connect()
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    const { id: campaignId } = await owner.call('createCampaign', {
      name: 'Spring',
      repIds: [repId],
      steps: [
        { subject: 'Hello', body: 'Hi' },
        { delay: { amount: 1, unit: 'days' }, body: 'Did you see this?' },
      ],
    })
    await owner.call('addProspectsToCampaign', { campaignId, data: people.map(email => ({ email })) })
    await owner.call('launchCampaign', { campaignId })
    const engine = openEngine(mail.app, { sync: settings })
    const sentTo = (to: string) => mail.smtp.emails.filter(each => each.to?.[0]?.address === to)
    const prospects = async () =>
      Object.fromEntries(
        (await owner.call('listProspects', { campaignId })).data.map(each => [
          each.person?.email,
          each.status,
        ]),
      )
    // If a test advanced the clock before a send is recorded, the send's lease would expire unconfirmed.
    const readSent = () => mail.app.owner`
      select from email_sends where account_id = ${owner.accountId} and state = 'sent'`
    await vi.waitFor(async () => expect((await readSent()).count).toBe(people.length), WAIT)
    return { owner, email, mailboxId, campaignId, sentTo, prospects, engine }
  }

  it('replies and bounces that name either ID are matched to the email', async () => {
    const people = ['byNew', 'byOld', 'bounced', 'silent'].map(name => `${name.toLowerCase()}@navy.example`)
    const [byNew, byOld, bounced, silent] = people as [string, string, string, string]
    const { email, sentTo, prospects, engine, owner } = await makeCampaign(people)
    await using _engine = engine
    const ids = mail.smtp.emails.map(({ messageId }) => messageId)
    expect(new Set(ids).size).toBe(people.length)

    // A stranger's reply is matched only by the IDs that it names.
    const stranger = { From: 'assistant@elsewhere.example', Subject: 'A question' }
    const [first, second, third] = [byNew, byOld, bounced].map(to => ({ to, mail: sentTo(to)[0]! }))
    const ownId = second!.mail.headers.find(isOwnId)!.value
    expect(ownId).not.toBe(second!.mail.messageId)
    await mail.dovecot.deliver(email, makeReply(first!, 'Tell me more.', stranger))
    const old = { ...second!, mail: { ...second!.mail, messageId: ownId } }
    await mail.dovecot.deliver(email, makeReply(old, 'Tell me more.', stranger))
    const headers = third!.mail.headers.filter(header => !isOwnId(header))
    await mail.dovecot.deliver(email, makeBounce({ ...third!, mail: { ...third!.mail, headers } }), '')
    await vi.waitFor(
      async () =>
        expect(await prospects()).toEqual({
          [byNew]: 'replied',
          [byOld]: 'replied',
          [bounced]: 'bounced',
          [silent]: 'active',
        }),
      WAIT,
    )
    const { data } = await owner.call('listEmailMessages', {})
    const threads = data.filter(({ type }) => type === 'received').map(each => each.emailThreadId)
    expect(new Set(threads).size).toBe(2)
  })

  it('the follow-up names both IDs, so that both sides show it in the thread', async () => {
    const to = 'silent@navy.example'
    const { sentTo, engine } = await makeCampaign([to])
    await using _engine = engine
    await vi.waitFor(() => {
      // The clock of a test does not advance by itself.
      mail.app.setNow(new Date(Date.now() + DAY_MS + 60_000))
      expect(sentTo(to)).toHaveLength(2)
    }, WAIT)
    const [first, followUp] = sentTo(to)
    const named = `${followUp!.references} ${followUp!.inReplyTo}`
    expect(followUp!.inReplyTo).toBe(first!.messageId)
    expect(named).toContain(first!.headers.find(isOwnId)!.value)
  })

  it('an email whose confirmation was lost is confirmed by its copy, and a reply to the copy is matched to the email', async () => {
    const to = 'silent@navy.example'
    const { email, owner, sentTo, prospects, engine } = await makeCampaign([to])
    await using _engine = engine
    const [{ id } = { id: '' }] = (await owner.call('listEmailMessages', {})).data
    // Simulates a crash before the server's reply was recorded.
    await mail.app.owner`delete from email_message_aliases where email_message_id = ${id}`
    await mail.app.owner`
      update email_sends set state = 'unconfirmed', ended_at = now() - interval '8 days' where message_id = ${id}`
    await mail.app.owner`update email_messages set delivery_status = 'unconfirmed' where id = ${id}`
    const [sent] = sentTo(to)
    const copy = [
      `From: ${email}`,
      `To: ${to}`,
      `Message-ID: ${sent!.messageId}`,
      `X-Sent-Message-ID: ${sent!.headers.find(isOwnId)!.value}`,
      '',
      'Hi',
    ].join('\r\n')
    await mail.dovecot.doveadm(['save', '-u', email, '-m', 'Sent Items'], copy)
    const state = async () =>
      (await mail.app.owner<{ state: string }[]>`select state from email_sends where message_id = ${id}`)[0]
    await vi.waitFor(async () => expect(await state()).toEqual({ state: 'sent' }), WAIT)
    const stranger = { From: 'assistant@elsewhere.example', Subject: 'A question' }
    await mail.dovecot.deliver(email, makeReply({ to, mail: sent! }, 'Tell me more.', stranger))
    await vi.waitFor(async () => expect(await prospects()).toEqual({ [to]: 'replied' }), WAIT)
  })
})
