import { expect, vi } from 'vitest'
import type { Output } from '../../../../src/contract/index.ts'
import { openDemo } from '../../../../src/demo/demo.ts'
import { getUserId } from '../../../../src/demo/seed/seed-context.ts'
import { getCountry } from '../../../../src/demo/simulation/behaviors.ts'
import { getReplyTexts } from '../../../../src/demo/simulation/reply-texts.ts'
import { serve } from '../../../../src/server/main.ts'
import { type Caller, createCaller, openTestApp } from '../../app.ts'
import { rawMail } from '../../mail/answers.ts'
import { WAIT } from './first-campaign.ts'

export const OWNER_EMAIL = 'owner@demo.example'

/** Every third additional reply arrives on LinkedIn. */
const LINKEDIN_EVERY = 3

export type DemoOffice = AsyncDisposable & {
  url: string
  owner: Caller
  /** The campaign that sends emails while the demo runs. */
  sendingCampaignId: string
}

/** Serves the demo as `bin/start --demo` does, but its recipients do not react automatically. */
export async function openDemoOffice(): Promise<DemoOffice> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await openTestApp({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0' }))
  const installation = { app, dataDir: app.dataDir, [Symbol.asyncDispose]: async () => {} }
  const { info, mount } = await openDemo(installation)
  const running = opened.use(await serve(app.config, installation, mount))
  const identity = { accountId: info.accountId, userId: getUserId(OWNER_EMAIL), role: 'owner' } as const
  const owner = createCaller(running.app, { ...identity, actor: 'session:demo', isReadOnly: false })
  const all = opened.move()
  return {
    ...{ url: running.url!, owner, sendingCampaignId: info.campaignId },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export const listNeedsReply = async ({ call }: Caller) =>
  (await call('listConversations', { view: 'needs_reply', limit: 100 })).data

/**
 * Receives replies from more people in the demo until `count` conversations need a reply, and waits for the reply
 * agent's drafts.
 */
export async function fillInbox(office: DemoOffice, count: number): Promise<void> {
  const { owner } = office
  const seeded = await listNeedsReply(owner)
  expect(seeded.length).toBeGreaterThan(15)
  const emails = await listUnansweredEmails(office)
  for (const [index, email] of emails.slice(0, count - seeded.length).entries()) {
    const to = email.recipients.to[0]!.email
    const texts = getReplyTexts(getCountry(to))
    const [, text] = texts[index % texts.length]!
    if (index % LINKEDIN_EVERY === 0)
      await owner.call('recordLinkedinMessage', { prospectId: email.prospectId!, type: 'received', text })
    else await reply(owner, email, text)
  }
  await vi.waitFor(async () => expect(await countPendingDrafts(owner)).toBe(0), WAIT)
  expect(await listNeedsReply(owner)).toHaveLength(count)
}

type Email = Output<'listEmailMessages'>['data'][number]

/** Returns the last email to each person who can reply but has not, newest first. */
async function listUnansweredEmails({ owner: { call }, sendingCampaignId }: DemoOffice): Promise<Email[]> {
  const { data: sent } = await call('listEmailMessages', { type: 'campaign', status: 'sent', limit: 100 })
  const { data: conversations } = await call('listConversations', { view: 'all', limit: 100 })
  const { data: prospects } = await call('listProspects', { status: ['active', 'completed'], limit: 100 })
  const personIds = new Map(prospects.map(({ id, personId }) => [id, personId]))
  const seen = new Set(conversations.map(({ personId }) => personId))
  return sent.filter(({ prospectId = '', campaignId, deliveryStatus }) => {
    const personId = personIds.get(prospectId)
    if (!personId || seen.has(personId) || campaignId === sendingCampaignId || deliveryStatus) return false
    seen.add(personId)
    return true
  })
}

/** Pushes a reply to the mailbox that sent the email. */
async function reply({ call }: Caller, { from, recipients, subject }: Email, text: string): Promise<void> {
  const { data: mailboxes } = await call('listMailboxes', {})
  const mailbox = mailboxes.find(({ email }) => email === from!.email)!
  const { inboundUrl } = await call('getMailbox', { mailboxId: mailbox.id })
  const { email } = recipients.to[0]!
  const fields = {
    ...{ From: `<${email}>`, To: from!.email, Subject: `Re: ${subject}` },
    ...{ Date: new Date().toUTCString(), 'Message-ID': `<${crypto.randomUUID()}@${email.split('@')[1]}>` },
    ...{ 'MIME-Version': '1.0', 'Content-Type': 'text/plain; charset=utf-8' },
    'Content-Transfer-Encoding': '8bit',
  }
  const body = rawMail(fields, text.replaceAll('\n', '\r\n')).toString()
  const headers = { 'content-type': 'message/rfc822' }
  const response = await fetch(inboundUrl!, { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ outcome: 'stored', kind: 'reply' })
}

async function countPendingDrafts({ call }: Caller): Promise<number> {
  const emails = (await call('listEmailMessages', { type: 'received', limit: 100 })).data
  const messages = (await call('listLinkedinMessages', { type: 'received', limit: 100 })).data
  return [...emails, ...messages].filter(({ reply }) => reply?.draft.state === 'pending').length
}
