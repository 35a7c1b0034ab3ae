import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { countInFlight } from '../../src/server/domain/outbox/in-flight.ts'
import { openEngine } from '../../src/server/engine/loop.ts'
import { receiveMail } from '../../src/server/engine/receive/receive-mail.ts'
import type { TestApp } from '../support/app.ts'
import { rawMail } from '../support/mail/answers.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { Journal } from './journal.ts'
import { openCommandRaces, pauseAtFailpoints } from './race-at-commands.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

const PEOPLE_PER_COMPANY = 4
const steps = [
  { subject: 'Hello', body: 'Hi' },
  { delay: { amount: 1, unit: 'days' as const }, body: 'Did you see this?' },
]

export type CompanyFigures = {
  replies: number
  /** Prospects that a colleague's reply stopped. */
  stopped: number
  /** Follow-ups that could not be recalled when the reply was stored. */
  inFlight: number
  /** Follow-ups to the company sent after the reply was stored, beyond those in flight. */
  late: number
  /** Follow-up transfers that the gate withheld. */
  withheld: number
  duplicated: number
  /** Follow-ups whose recorded status differs from what the servers accepted. */
  mismatched: number
}

/**
 * Sends follow-ups to companies of four people. One of them replies to the first email while a colleague's follow-up is
 * at a random SMTP command. Both sides pause at random failpoints.
 */
export async function raceCompanyReplies(
  app: TestApp,
  { companies, servers = 4, random }: { companies: number; servers?: number; random: () => number },
): Promise<CompanyFigures> {
  using journal = new Journal()
  await using races = await openCommandRaces(journal, { servers, random })
  const tag = randomUUIDv7().slice(-12)
  const all = Array.from({ length: companies }, (_, company) =>
    Array.from({ length: PEOPLE_PER_COMPANY }, (_, n) => `person${n}@company${company}-${tag}.example`),
  )
  const { owner, campaignId, ...campaign } = await makeMailCampaign(app, races.peers, all.flat(), steps)
  const { accountId } = owner
  await owner.call('updateCampaign', { campaignId, settings: { stopCompanyOnReply: true } })
  const clock = openClock()
  const timedApp = { ...app, now: clock.now }
  const replies: { emails: string[]; at: number; inFlight: number }[] = []
  using _pauses = pauseAtFailpoints(random, races.held)
  await using engines = new AsyncDisposableStack()
  engines.use(openEngine(timedApp))
  engines.use(openEngine(timedApp))
  while (journal.dots.length < campaign.emails.length) await sleep(50)
  const prospects = await campaign.prospects()
  const reply = async (recipient: string, acknowledge: () => void) => {
    await sleep(random() ** 2 * 50)
    const emails = all.find(company => company.includes(recipient))!
    const prospectIds = prospects.filter(({ person }) => emails.includes(person!.email!)).map(({ id }) => id)
    const [sender, mailboxId, messageId] = await findFirstEmail(app, emails[0]!)
    const raw = rawMail(
      {
        ...{ From: `<${sender}>`, To: 'ada@acme.example', Subject: 'Re: Hello' },
        ...{ 'Message-ID': `<${randomUUIDv7()}@company.example>`, 'In-Reply-To': messageId },
      },
      'Tell me more.',
    )
    await receiveMail(timedApp, { accountId, mailboxId, raw, receivedAt: clock.now(), folder: 'inbox' })
    const at = performance.now()
    replies.push({ emails, at, inFlight: await countInFlight(owner.context, { prospectIds }) })
    acknowledge()
  }
  races.draw(
    all.map(emails => emails[1 + Math.floor(random() * (PEOPLE_PER_COMPANY - 1))]!),
    reply,
  )
  const firstMessageIds = new Set(journal.dots.map(({ messageId }) => messageId))
  const attemptsBefore = journal.attempts.length
  await waitUntilIdle(app, [accountId], clock, races.held)
  await races.finish()
  await engines.disposeAsync()
  const followUps = journal.dots.filter(dot => dot.isAccepted && !firstMessageIds.has(dot.messageId))
  const accepted = new Set(followUps.map(({ messageId }) => messageId))
  const recorded = await app.owner<{ messageId: string }[]>`
    select m.message_id as "messageId"
      from email_messages m
     where m.account_id = ${accountId} and m.type = 'campaign' and m.status = 'sent' and m.delivery_status is null
       and m.message_id <> all(${[...firstMessageIds]})`
  const [{ stopped }] = await app.owner<[{ stopped: number }]>`
    select count(*)::int as stopped from prospects where account_id = ${accountId} and status_reason = 'company_replied'`
  const countLate = ({ emails, at, inFlight }: (typeof replies)[number]) =>
    Math.max(0, followUps.filter(dot => emails.includes(dot.to) && dot.at > at).length - inFlight)
  return {
    replies: replies.length,
    stopped,
    inFlight: replies.reduce((sum, each) => sum + each.inFlight, 0),
    late: replies.reduce((sum, each) => sum + countLate(each), 0),
    withheld: journal.attempts.length - attemptsBefore - followUps.length,
    duplicated: followUps.length - accepted.size,
    mismatched: new Set(recorded.map(({ messageId }) => messageId)).symmetricDifference(accepted).size,
  }
}

async function findFirstEmail(
  app: TestApp,
  email: string,
): Promise<[email: string, mailboxId: string, messageId: string]> {
  const [mail] = await app.owner<{ mailboxId: string; messageId: string }[]>`
    select m.mailbox_id as "mailboxId", m.message_id as "messageId"
      from email_messages m
      join prospects r on r.account_id = m.account_id and r.id = m.prospect_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where p.email = ${email}
     order by m.sent_at
     limit 1`
  return [email, mail!.mailboxId, mail!.messageId]
}
