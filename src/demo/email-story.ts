import type { TemplateVariable } from '../contract/campaigns.ts'
import { fingerprintOf } from '../server/domain/messages/received-mails.ts'
import type { NewEmailMessage, NewThread } from '../server/domain/messages/write-email-messages.ts'
import { renderStep } from '../server/domain/rendering/render-step.ts'
import { createMessageId } from '../server/protocols/mime/compose.ts'
import type { AccountStory } from './accounts.ts'
import { emailOf, findProspect, fullNameOf, type Prospect } from './cast.ts'
import type { EmailConversation, EmailTurn } from './email-conversations.ts'
import type { Fate } from './fates.ts'
import type { Fates } from './record-rows.ts'
import { minutesAfter, type Rows, type Teller } from './teller.ts'

type Message = NewEmailMessage & { id: string }
type Contact = { name: string; email: string }

/** Of mails that nobody ever got. */
const unsubscribeUrl = 'https://overture.example/u/demo'

/** A campaign's email and what followed from it. */
export type EmailThread = NewThread & {
  id: string
  prospect: Prospect
  tags: string[]
  messages: [Message, ...Message[]]
}

export function tellEmails(
  teller: Teller,
  account: AccountStory,
  prospects: readonly Prospect[],
  conversations: readonly EmailConversation[],
  fates: Fates,
): EmailThread[] {
  const told = new Map(
    conversations.map(told => [findProspect(prospects, told.with, told.campaign).id, told] as const),
  )
  return prospects.flatMap(prospect => {
    const { tags = [], turns = [] } = told.get(prospect.id) ?? {}
    const [opening, ...later] = fates.get(prospect.id)!.emails
    if (!opening) return []
    const first = campaignEmail(teller, account, prospect, opening, [])
    const messages: EmailThread['messages'] = [first]
    const rest = [
      ...later.map(email => ({ at: email.at, email, turn: undefined, place: 0 })),
      ...turns.map((turn, place) => ({
        at: teller.at(...turn.at),
        email: undefined,
        turn,
        place: place + 1,
      })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime())
    for (const { email, turn, place } of rest) {
      messages.push(
        email
          ? campaignEmail(teller, account, prospect, email, messages)
          : followUp(teller, prospect, messages, { ...turn, place }),
      )
    }
    return [
      {
        id: first.threadId,
        subject: first.subject,
        personId: prospect.personId,
        prospectId: prospect.id,
        campaignId: teller.id('campaign', prospect.campaign.key),
        repId: teller.id('rep', prospect.rep.key),
        mailboxId: teller.id('mailbox', prospect.rep.key),
        prospect,
        tags,
        messages,
      },
    ]
  })
}

function campaignEmail(
  teller: Teller,
  account: AccountStory,
  prospect: Prospect,
  { step, variantId, at: sentAt }: Fate['emails'][number],
  earlier: readonly Message[],
): Message {
  const { campaign, person, rep } = prospect
  const slug = person[2]
  const { subject, body } = step.variants.find(({ id }) => id === variantId)!
  const refusal = campaign.refused?.[slug]
  const bounce = campaign.bounced?.[slug]
  const written = renderStep(
    { id: step.id, subject: subject ?? '', body },
    { ...account, prospectId: prospect.id, variables: variablesOf(prospect), unsubscribeUrl },
  )
  return {
    id: teller.id('email', campaign.key, slug, 'campaign', ...(earlier.length > 0 ? [step.id] : [])),
    threadId: teller.id('thread', campaign.key, slug),
    type: 'campaign',
    status: refusal ? null : 'sent',
    ...(refusal && { deliveryStatus: 'failed', deliveryReason: refusal }),
    ...(bounce && {
      deliveryStatus: 'bounced',
      deliveryReason: `${emailOf(prospect)} could not be reached: hard (${bounce})`,
    }),
    ...{ stepId: step.id, variantId },
    ...written,
    ...(earlier[0] && { subject: `Re: ${earlier[0].subject}` }),
    ...repliesTo(earlier),
    bodyFormat: 'text',
    sender: ourSide(prospect),
    recipients: { to: [theirSide(prospect)] },
    messageId: createMessageId([teller.accountId, prospect.id, step.id], domainOf(rep.email)),
    sentAt,
  }
}

function repliesTo(earlier: readonly Message[]) {
  const sent = earlier.filter(message => message.status === 'sent')
  return { inReplyTo: sent.at(-1)?.messageId ?? null, referenceIds: sent.map(message => message.messageId) }
}

function followUp(
  teller: Teller,
  prospect: Prospect,
  earlier: readonly [Message, ...Message[]],
  { type, at, body: text, isDraft, delivery, kind = 'reply', place }: EmailTurn & { place: number },
): Message {
  const { campaign, person, rep, company } = prospect
  const id = teller.id('email', campaign.key, person[2], String(place))
  const isReceived = type === 'received'
  const body = text.replaceAll('{rep}', rep.name.split(' ')[0]!)
  return {
    id,
    threadId: earlier[0].threadId,
    type,
    status: isDraft ? 'draft' : delivery ? null : 'sent',
    ...(delivery && { deliveryStatus: delivery[0], deliveryReason: delivery[1] }),
    ...(isReceived && { received: { kind, newText: body, attachments: [] } }),
    subject: `Re: ${earlier[0].subject}`,
    body,
    bodyFormat: 'text',
    sender: isReceived ? theirSide(prospect) : ourSide(prospect),
    recipients: { to: [isReceived ? ourSide(prospect) : theirSide(prospect)] },
    messageId: `<${id}@${isReceived ? company.domain : domainOf(rep.email)}>`,
    ...repliesTo(earlier),
    sentAt: teller.at(...at),
  }
}

/** What came back: every received message is about the last mail of ours before it, every bounce about its own. */
export const receivedRows = (teller: Teller, threads: readonly EmailThread[]): Rows =>
  threads.flatMap(({ prospect: { campaign, person, rep, writtenAt }, messages }) => {
    const took = (id: string, kind: string, aboutId: string, receivedAt: Date) => ({
      ...{ account_id: teller.accountId, id, fingerprint: fingerprintOf(undefined, Buffer.from(id)) },
      ...{ mailbox_id: teller.id('mailbox', rep.key), kind, about_id: aboutId, received_at: receivedAt },
      bounce_class: kind === 'bounce' ? 'hard' : null,
    })
    const isBounced = campaign.bounced?.[person[2]]
    return messages.flatMap((message, index) => {
      if (message.received) {
        const about = messages
          .slice(0, index)
          .findLast(({ type, status }) => type !== 'received' && status === 'sent')
        return [took(message.id, message.received.kind, about!.id, message.sentAt)]
      }
      return isBounced && index === 0
        ? [took(teller.id('bounce', message.id), 'bounce', message.id, minutesAfter(writtenAt!, 1))]
        : []
    })
  })

const ourSide = ({ rep }: Prospect): Contact => ({ name: rep.name, email: rep.email })
const theirSide = (prospect: Prospect): Contact => ({
  name: fullNameOf(prospect.person),
  email: emailOf(prospect),
})
const domainOf = (email: string): string => email.slice(email.indexOf('@') + 1)

function variablesOf({ person, company, rep }: Prospect): Record<TemplateVariable, string | null> {
  const [firstName, lastName, slug, title, phone] = person
  return {
    firstName,
    lastName,
    fullName: fullNameOf(person),
    email: `${slug}@${company.domain}`,
    title,
    jobTitle: title,
    company: company.name,
    companyDomain: company.domain,
    city: company.city,
    state: company.state ?? null,
    country: company.country,
    phone: phone ?? null,
    linkedinUrl: null,
    repName: rep.name,
    senderName: rep.name,
    senderEmail: rep.email,
    signature: null,
  }
}

/** The way that our own messages took to the mail server. */
export const sendRows = ({ accountId, id }: Teller, threads: readonly EmailThread[]): Rows =>
  threads.flatMap(({ prospect, messages }) =>
    messages
      .filter(({ type, status }) => type !== 'received' && status !== 'draft')
      .map(message => ({
        account_id: accountId,
        message_id: message.id,
        mailbox_id: id('mailbox', prospect.rep.key),
        campaign_id: message.stepId ? id('campaign', prospect.campaign.key) : null,
        prospect_id: message.stepId ? prospect.id : null,
        step_id: message.stepId ?? null,
        state: message.status ?? message.deliveryStatus,
        recipient_emails: [emailOf(prospect)],
        attempts: 1,
        ended_at: message.sentAt,
        response: message.deliveryReason ?? '250 2.0.0 queued',
        created_at: message.sentAt,
        updated_at: message.sentAt,
      })),
  )
