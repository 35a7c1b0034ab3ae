import { receiveMail } from '../../../src/server/engine/receive/receive-mail.ts'
import type { Caller, TestApp } from '../app.ts'
import { makeBounce, makeReply } from '../mail/answers.ts'
import { makeMailCampaign, openWorker } from '../mail/mail-campaign.ts'
import { ScriptedSmtp } from '../mail/scripted-smtp.ts'
import { readMails } from '../mail/sent-mail.ts'

type Days = { from: string; to: string }

export type ReportDesk = {
  owner: Caller
  lastWeek: Days
  weekBefore: Days
  /** From the first of the month to today. */
  thisMonth: Days
  campaignIds: Record<'Spring' | 'Autumn' | '=Winter', string>
  mailboxId: string
  /** The mailbox's address. */
  email: string
  repId: string
  /** The variant of Spring with more replies. */
  bestVariantId: string
  bestLetter: string
}

const DAY_MS = 86_400_000

/**
 * Runs three campaigns: one started two weeks ago, whose name would be a formula in a spreadsheet; one last week, with
 * replies, a bounce, a call and a meeting; and one today, in which one of two variants gets many more replies.
 */
export async function runCampaigns(app: TestApp): Promise<ReportDesk> {
  const now = new Date()
  const monday = new Date(now.getTime() - ((now.getUTCDay() + 6) % 7) * DAY_MS)
  const shift = (days: number, at = monday) => new Date(at.getTime() + days * DAY_MS)
  const toDays = (from: Date, to: Date): Days => ({ from: toDay(from), to: toDay(to) })
  await using smtp = await ScriptedSmtp.open()
  await using worker = openWorker(app)
  const variants = ['Hello', 'A question'].map(subject => ({ subject, body: 'Are you hiring?' }))
  const steps = [{ channel: 'email' as const, variants }]

  app.setNow(shift(-11))
  const { owner, campaignId, mailboxIds } = await makeMailCampaign(app, [smtp], 3, [
    ...steps,
    { delay: { amount: 2, unit: 'days' }, body: 'Still hiring?' },
  ])
  await owner.call('updateCampaign', { campaignId, name: '=Winter' })
  await worker.work()
  const [mailboxId] = mailboxIds as [string]
  const { email, repId } = await owner.call('getMailbox', { mailboxId })
  await owner.call('updateAccount', { timezone: 'UTC' })

  const launch = async (name: string, domain: string, people: number) => {
    const { id } = await owner.call('createCampaign', { name, repIds: [repId], steps })
    const emails = Array.from({ length: people }, (_, n) => `person${n}@${domain}`)
    await owner.call('importProspects', { campaignId: id, csv: `Email\n${emails.join('\n')}` })
    await owner.call('launchCampaign', { campaignId: id })
    await worker.work()
    return { id, emails: (await readMails(smtp)).filter(({ to }) => to.endsWith(domain)) }
  }
  const receive = (raw: Buffer) =>
    receiveMail(app, {
      ...{ accountId: owner.accountId, mailboxId, raw, receivedAt: app.now(), folder: 'inbox' as const },
    })

  app.setNow(shift(-5))
  const autumn = await launch('Autumn', 'navy.example', 20)
  app.setNow(shift(-4))
  await receive(makeReply(autumn.emails[0]!, 'Tuesday suits me.'))
  await receive(makeReply(autumn.emails[1]!, 'What does it cost?'))
  await receive(makeBounce(autumn.emails[2]!, { status: '5.1.1', diagnostic: '550 5.1.1 user unknown' }))
  const { data: messages } = await owner.call('listEmailMessages', { campaignId: autumn.id, limit: 100 })
  const find = (to: string) => messages.find(({ recipients }) => recipients.to[0]!.email === to)!.prospectId!
  await owner.call('logCall', {
    ...{ prospectId: find(autumn.emails[3]!.to), outcome: 'answered', phoneNumber: '+442079460018' },
  })
  await owner.call('recordMeeting', {
    ...{ prospectId: find(autumn.emails[0]!.to), startsAt: shift(5, now).toISOString() },
  })

  app.setNow(now)
  const spring = await launch('Spring', 'harvard.example', 300)
  const { steps: stored } = await owner.call('getCampaign', { campaignId: spring.id })
  const best = stored[0]!.variants[0]!
  for (const mail of spring.emails.filter(({ mail }) => mail.subject === best.subject).slice(0, 40))
    await receive(makeReply(mail, 'Tuesday suits me.'))
  return {
    owner,
    lastWeek: toDays(shift(-7), shift(-1)),
    weekBefore: toDays(shift(-14), shift(-8)),
    thisMonth: { from: `${toDay(now).slice(0, 7)}-01`, to: toDay(now) },
    campaignIds: { Spring: spring.id, Autumn: autumn.id, '=Winter': campaignId },
    ...{ mailboxId, email, repId },
    bestVariantId: best.id,
    bestLetter: 'A',
  }
}

const toDay = (at: Date): string => at.toISOString().slice(0, 10)
