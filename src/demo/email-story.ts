import type { TemplateVariable } from '../contract/campaigns.ts'
import { messageIdFor } from '../server/email/compose.ts'
import { renderStep } from '../server/engine/render-step.ts'
import type { NewEmailMessage, NewThread } from '../server/inbox/write-email-messages.ts'
import type { AccountStory } from './accounts.ts'
import { emailOf, findProspect, fullNameOf, type Prospect } from './cast.ts'
import type { EmailConversation, EmailTurn } from './email-conversations.ts'
import type { Rows, Teller } from './teller.ts'

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
): EmailThread[] {
  const told = new Map(
    conversations.map(told => [findProspect(prospects, told.with, told.campaign).id, told] as const),
  )
  return prospects.flatMap(prospect => {
    if (!prospect.writtenAt) return []
    const { tags = [], turns = [] } = told.get(prospect.id) ?? {}
    const first = campaignEmail(teller, account, prospect, prospect.writtenAt)
    const messages: EmailThread['messages'] = [first]
    for (const turn of turns) messages.push(followUp(teller, prospect, messages, turn))
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

function campaignEmail(teller: Teller, account: AccountStory, prospect: Prospect, sentAt: Date): Message {
  const { campaign, person, rep } = prospect
  const id = teller.id('email', campaign.key, person[2], 'campaign')
  const [status, reason] = campaign.outcomes?.[person[2]] ?? []
  const stepId = teller.id('step', campaign.key)
  const isFailed = status === 'failed'
  return {
    id,
    threadId: teller.id('thread', campaign.key, person[2]),
    type: 'campaign',
    status: isFailed ? null : 'sent',
    ...(isFailed && { deliveryStatus: 'failed', deliveryReason: reason ?? null }),
    stepId,
    ...renderStep(
      { ...campaign, id: stepId },
      { ...account, prospectId: prospect.id, variables: variablesOf(prospect), unsubscribeUrl },
    ),
    bodyFormat: 'text',
    sender: ourSide(prospect),
    recipients: { to: [theirSide(prospect)] },
    messageId: messageIdFor([teller.accountId, prospect.id, stepId], domainOf(rep.email)),
    sentAt,
  }
}

function followUp(
  teller: Teller,
  prospect: Prospect,
  earlier: readonly [Message, ...Message[]],
  { type, at, body, isDraft, delivery }: EmailTurn,
): Message {
  const { campaign, person, rep, company } = prospect
  const id = teller.id('email', campaign.key, person[2], String(earlier.length))
  const isReceived = type === 'received'
  const sent = earlier.filter(message => message.status === 'sent')
  return {
    id,
    threadId: earlier[0].threadId,
    type,
    status: isDraft ? 'draft' : delivery ? null : 'sent',
    ...(delivery && { deliveryStatus: delivery[0], deliveryReason: delivery[1] }),
    subject: `Re: ${earlier[0].subject}`,
    body: body.replaceAll('{rep}', rep.name.split(' ')[0]!),
    bodyFormat: 'text',
    sender: isReceived ? theirSide(prospect) : ourSide(prospect),
    recipients: { to: [isReceived ? ourSide(prospect) : theirSide(prospect)] },
    messageId: `<${id}@${isReceived ? company.domain : domainOf(rep.email)}>`,
    inReplyTo: sent.at(-1)?.messageId ?? null,
    referenceIds: sent.map(message => message.messageId),
    sentAt: teller.at(...at),
  }
}

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
