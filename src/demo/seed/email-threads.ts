import type { TemplateVariable } from '../../contract/campaigns.ts'
import { mapPersonVariables } from '../../contract/person-fields.ts'
import { computeFingerprint } from '../../server/domain/messages/received-mails.ts'
import type { NewEmailMessage, NewThread } from '../../server/domain/messages/write-email-messages.ts'
import { renderStep } from '../../server/domain/rendering/render-step.ts'
import { createMessageId } from '../../server/protocols/mime/compose.ts'
import type { SeedAccount } from '../data/accounts.ts'
import type { EmailConversation, EmailTurn } from '../data/email-conversations.ts'
import type { ProspectState, ProspectStates } from './prospect-states.ts'
import { findProspect, getEmail, getFullName, type SeedProspect } from './prospects.ts'
import { addMinutes, type Rows, type SeedContext } from './seed-context.ts'

type Message = NewEmailMessage & { id: string }
type Contact = { name: string; email: string }

/** Nobody follows this link: the seeded emails were not really sent. */
const unsubscribeUrl = 'https://overture.example/u/demo'

/** A thread that begins with a campaign email. */
export type SeedEmailThread = NewThread & {
  id: string
  prospect: SeedProspect
  tags: string[]
  messages: [Message, ...Message[]]
}

export function buildEmailThreads(
  seed: SeedContext,
  account: SeedAccount,
  prospects: readonly SeedProspect[],
  conversations: readonly EmailConversation[],
  states: ProspectStates,
): SeedEmailThread[] {
  const conversationsByProspect = new Map(
    conversations.map(
      conversation =>
        [findProspect(prospects, conversation.with, conversation.campaign).id, conversation] as const,
    ),
  )
  return prospects.flatMap(prospect => {
    const { tags = [], turns = [] } = conversationsByProspect.get(prospect.id) ?? {}
    const [opening, ...later] = states.get(prospect.id)!.emails
    if (!opening) return []
    const first = buildCampaignEmail(seed, account, prospect, opening, [])
    const messages: SeedEmailThread['messages'] = [first]
    const rest = [
      ...later.map(email => ({ at: email.at, email, turn: undefined, number: 0 })),
      ...turns.map((turn, index) => ({
        at: seed.at(...turn.at),
        email: undefined,
        turn,
        number: index + 1,
      })),
    ].sort((a, b) => a.at.getTime() - b.at.getTime())
    for (const { email, turn, number } of rest) {
      messages.push(
        email
          ? buildCampaignEmail(seed, account, prospect, email, messages)
          : buildTurn(seed, prospect, messages, { ...turn, number }),
      )
    }
    return [
      {
        id: first.threadId,
        subject: first.subject,
        personId: prospect.personId,
        prospectId: prospect.id,
        campaignId: seed.id('campaign', prospect.campaign.key),
        repId: seed.id('rep', prospect.rep.key),
        mailboxId: seed.id('mailbox', prospect.rep.key),
        prospect,
        tags,
        messages,
      },
    ]
  })
}

function buildCampaignEmail(
  seed: SeedContext,
  account: SeedAccount,
  prospect: SeedProspect,
  { step, variantId, at: sentAt }: ProspectState['emails'][number],
  earlier: readonly Message[],
): Message {
  const { campaign, person, rep } = prospect
  const slug = person[2]
  const { subject, body } = step.variants.find(({ id }) => id === variantId)!
  const refusal = campaign.refused?.[slug]
  const bounce = campaign.bounced?.[slug]
  const text = renderStep(
    { id: step.id, subject: subject ?? '', body },
    { ...account, prospectId: prospect.id, variables: getVariables(prospect), unsubscribeUrl },
  )
  return {
    id: seed.id('email', campaign.key, slug, 'campaign', ...(earlier.length > 0 ? [step.id] : [])),
    threadId: seed.id('thread', campaign.key, slug),
    type: 'campaign',
    status: refusal ? null : 'sent',
    ...(refusal && { deliveryStatus: 'failed', deliveryReason: refusal }),
    ...(bounce && {
      deliveryStatus: 'bounced',
      deliveryReason: `${getEmail(prospect)} could not be reached: hard (${bounce})`,
    }),
    ...{ stepId: step.id, variantId },
    ...text,
    ...(earlier[0] && { subject: `Re: ${earlier[0].subject}` }),
    ...getReplyHeaders(earlier),
    bodyFormat: 'text',
    sender: toSender(prospect),
    recipients: { to: [toRecipient(prospect)] },
    messageId: createMessageId([seed.accountId, prospect.id, step.id], getDomain(rep.email)),
    sentAt,
  }
}

function getReplyHeaders(earlier: readonly Message[]) {
  const sent = earlier.filter(message => message.status === 'sent')
  return { inReplyTo: sent.at(-1)?.messageId ?? null, referenceIds: sent.map(message => message.messageId) }
}

function buildTurn(
  seed: SeedContext,
  prospect: SeedProspect,
  earlier: readonly [Message, ...Message[]],
  { type, at, body: text, isDraft, delivery, kind = 'reply', number }: EmailTurn & { number: number },
): Message {
  const { campaign, person, rep, company } = prospect
  const id = seed.id('email', campaign.key, person[2], String(number))
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
    sender: isReceived ? toRecipient(prospect) : toSender(prospect),
    recipients: { to: [isReceived ? toSender(prospect) : toRecipient(prospect)] },
    messageId: `<${id}@${isReceived ? company.domain : getDomain(rep.email)}>`,
    ...getReplyHeaders(earlier),
    sentAt: seed.at(...at),
  }
}

/** Returns the received emails: a reply belongs to our last email before it, a bounce to the email that bounced. */
export const receivedRows = (seed: SeedContext, threads: readonly SeedEmailThread[]): Rows =>
  threads.flatMap(({ prospect: { campaign, person, rep, sentAt }, messages }) => {
    const toRow = (id: string, kind: string, repliesToId: string, receivedAt: Date) => ({
      ...{ account_id: seed.accountId, id, fingerprint: computeFingerprint(undefined, Buffer.from(id)) },
      ...{ mailbox_id: seed.id('mailbox', rep.key), kind, about_id: repliesToId, received_at: receivedAt },
      bounce_class: kind === 'bounce' ? 'hard' : null,
    })
    const isBounced = campaign.bounced?.[person[2]]
    return messages.flatMap((message, index) => {
      if (message.received) {
        const repliedTo = messages
          .slice(0, index)
          .findLast(({ type, status }) => type !== 'received' && status === 'sent')
        return [toRow(message.id, message.received.kind, repliedTo!.id, message.sentAt)]
      }
      return isBounced && index === 0
        ? [toRow(seed.id('bounce', message.id), 'bounce', message.id, addMinutes(sentAt!, 1))]
        : []
    })
  })

const toSender = ({ rep }: SeedProspect): Contact => ({ name: rep.name, email: rep.email })
const toRecipient = (prospect: SeedProspect): Contact => ({
  name: getFullName(prospect.person),
  email: getEmail(prospect),
})
const getDomain = (email: string): string => email.slice(email.indexOf('@') + 1)

function getVariables({ person, company, rep }: SeedProspect): Record<TemplateVariable, string | null> {
  const [firstName, lastName, slug, title, phone] = person
  return {
    ...mapPersonVariables(() => null),
    firstName,
    lastName,
    fullName: getFullName(person),
    email: `${slug}@${company.domain}`,
    title,
    jobTitle: title,
    company: company.name,
    companyDomain: company.domain,
    city: company.city,
    state: company.state ?? null,
    country: company.country,
    phone: phone ?? null,
    repName: rep.name,
    senderName: rep.name,
    senderEmail: rep.email,
    signature: null,
  }
}

/** Returns the send attempts of our own messages. */
export const sendRows = ({ accountId, id }: SeedContext, threads: readonly SeedEmailThread[]): Rows =>
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
        recipient_emails: [getEmail(prospect)],
        attempts: 1,
        ended_at: message.sentAt,
        response: message.deliveryReason ?? '250 2.0.0 queued',
        created_at: message.sentAt,
        updated_at: message.sentAt,
      })),
  )
