import { z } from 'zod'
import { csv, csvLimits } from './csv.ts'
import { operation } from './operation.ts'
import {
  base,
  done,
  flag,
  id,
  lines,
  optionalLines,
  optionalText,
  pageInput,
  pageOf,
  text,
  time,
  timeInput,
} from './page.ts'
import { replyReading } from './reply-agent.ts'

export const messageTypes = ['manual', 'campaign', 'reply_agent', 'received'] as const
export const messageStatuses = ['sent', 'draft'] as const
export const deliveryStatuses = [
  'queued',
  'sending',
  'unconfirmed',
  'failed',
  'suppressed',
  'bounced',
] as const
export const receivedKinds = ['reply', 'auto_reply', 'unsubscribe'] as const

const contactInfo = z
  .object({ name: z.string().describe('Display name'), email: z.string().meta({ format: 'email' }) })
  .meta({ id: 'ContactInfo' })

const recipients = z.object({
  to: z.array(contactInfo),
  cc: z.array(contactInfo).optional(),
  bcc: z.array(contactInfo).optional(),
})

export const emailMessage = z
  .object({
    ...base('email_message'),
    emailThreadId: id.optional(),
    subject: z.string(),
    body: z.string(),
    from: contactInfo.nullable().optional(),
    replyTo: z.array(contactInfo).optional().describe('Where answers to a received message go, if elsewhere'),
    type: z.enum(messageTypes).optional(),
    status: z
      .enum(messageStatuses)
      .optional()
      .describe('Absent while an outgoing message is not yet with the mail server'),
    prospectId: id.optional(),
    repId: id.optional(),
    recipients,
    sentAt: time.describe('Time of sending or receiving; of a draft, the time of its last edit'),
    campaignId: id.optional(),
    tags: z.array(z.string()).optional().describe('Tags of its thread'),
    deliveryStatus: z
      .enum(deliveryStatuses)
      .optional()
      .describe(
        'Where an outgoing message stands while it is not simply sent; `suppressed`: the address is on Do Not Contact; `bounced`: sent, and a server reported that it could not be delivered, for good or for now',
      ),
    deliveryReason: z.string().optional().describe('Why it stands there'),
    receivedKind: z
      .enum(receivedKinds)
      .optional()
      .describe(
        'What a received message was taken for: words of a person, an automatic reply, or a wish to get no more mail',
      ),
    newText: z
      .string()
      .optional()
      .describe('Of a received message: what its writer wrote anew, without the mail it answers'),
    reply: replyReading
      .optional()
      .describe('Of a received message: what its writer means, and the draft that answers it'),
    attachments: z
      .array(z.object({ name: z.string(), type: z.string(), size: z.int().describe('Bytes') }))
      .optional()
      .describe('Of a received message: what was attached. The files themselves are not kept'),
  })
  .meta({ id: 'EmailMessage' })

/** With what whoever sends a draft should know of its thread. */
const emailMessageDetails = emailMessage
  .extend({
    otherDraftIds: z.array(id).optional().describe('Other drafts in the thread of this draft'),
    newRecipients: z
      .array(z.string())
      .optional()
      .describe('Recipients of this draft outside its thread; sending it needs `allowNewRecipients`'),
  })
  .meta({ id: 'EmailMessageDetails' })

const messageFilters = {
  campaignId: id.optional().describe('Only messages of this campaign'),
  prospectId: id.optional().describe('Only messages of this prospect'),
  repId: id.optional().describe('Only messages of this rep'),
  status: z.enum(messageStatuses).optional(),
  type: z.enum(messageTypes).optional(),
  tag: optionalText(100).describe('Only messages whose thread or conversation has this tag'),
}

const one = z.strictObject({ emailMessageId: id.describe('The email message') })

export const listEmailMessages = operation({
  method: 'GET',
  path: '/inbox/email/messages',
  summary: 'List email messages',
  tag: 'Inbox',
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({
    ...pageInput,
    emailThreadId: id.optional().describe('Only messages of this thread'),
    ...messageFilters,
    deliveryStatus: z
      .enum(['unconfirmed'])
      .optional()
      .describe('Only messages of which nobody knows whether they arrived, until somebody resolves them'),
    onlyLastMessagePerThread: flag.describe(
      'Only the last message of each thread, sent or received; with `status=draft` the last draft',
    ),
  }),
  output: pageOf(emailMessage, 'EmailMessage'),
})

export const getEmailMessage = operation({
  method: 'GET',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Get an email message',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: one,
  output: emailMessageDetails,
})

export const emailThread = z
  .object({
    ...base('email_thread'),
    subject: z.string(),
    prospectId: id.optional(),
    campaignId: id.optional(),
    repId: id.optional(),
    tags: z.array(z.string()),
    messages: z.array(emailMessage).describe('Oldest first; the last 200 of a longer thread'),
  })
  .meta({ id: 'EmailThread' })

export const getEmailThread = operation({
  method: 'GET',
  path: '/inbox/email/threads/{emailThreadId}',
  summary: 'Get an email thread with its messages',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({ emailThreadId: id.describe('The thread') }),
  output: emailThread,
})

const contactInput = z.strictObject({ name: optionalText(200), email: text(320) })
const recipientsInput = z
  .strictObject({
    to: z.array(contactInput).min(1).max(50),
    cc: z.array(contactInput).max(50).optional(),
    bcc: z.array(contactInput).max(50).optional(),
  })
  .describe('Who gets the reply, in place of the original sender')

/** Room for the longest body in any script. */
const draftBodyLimit = 1024 * 1024

export const createEmailDraft = operation({
  method: 'POST',
  path: '/inbox/email/messages/draft',
  summary: 'Create an email draft that replies in a thread',
  tag: 'Inbox',
  permission: 'Inbox.CreateDraft',
  rateLimit: 'createDraft',
  bodyLimitBytes: draftBodyLimit,
  input: z.strictObject({
    prospectId: id.describe('The prospect the email is for; it must belong to the thread'),
    emailMessageIdToReplyTo: id.describe('The message it replies to'),
    body: lines(200_000).describe('Plain text, or HTML when it holds tags'),
    recipients: recipientsInput.optional(),
  }),
  output: z.object({
    messageId: id.describe('The draft'),
    otherDraftIds: z.array(id).optional().describe('Other drafts in the same thread; absent without any'),
    newRecipients: z
      .array(z.string())
      .optional()
      .describe('Recipients who are not part of the thread; sending the draft needs `allowNewRecipients`'),
  }),
  example: {
    input: {
      prospectId: '01980000-0000-7000-8000-000000000001',
      emailMessageIdToReplyTo: '01980000-0000-7000-8000-000000000002',
      body: 'Thank you, Thursday suits me well.',
    },
  },
})

export const updateEmailDraft = operation({
  method: 'PATCH',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Change an email draft',
  description:
    'One that waits in the queue of its mailbox is taken back from there, also when nothing else changes: it goes out once it is sent again.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  bodyLimitBytes: draftBodyLimit,
  input: one.extend({
    subject: optionalText(998),
    body: optionalLines(200_000),
    recipients: recipientsInput.optional(),
  }),
  output: emailMessageDetails,
  example: { input: { body: 'Thank you, Friday suits me better.' } },
})

export const deleteEmailDraft = operation({
  method: 'DELETE',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Delete an email draft',
  description: 'Also one that still waits in the queue of its mailbox, which then never leaves.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: one,
  output: done,
})

const force = z.boolean().optional().describe('Send although our side answered since the draft was begun')

export const sendEmailDraft = operation({
  method: 'POST',
  path: '/inbox/email/messages/{emailMessageId}/send',
  summary: 'Send an email draft',
  description:
    'Queues the draft for its mailbox; it becomes `sent` once the mail server took it. Refused when a recipient is on the Do Not Contact list. `Conflict` when our side answered in the thread since the draft was begun, unless `force` is set, and for recipients who are neither in the thread nor the prospect, unless `allowNewRecipients` is.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: one.extend({
    force,
    allowNewRecipients: z.boolean().optional().describe('Send to recipients outside the thread'),
  }),
  output: emailMessageDetails,
  example: { input: {} },
})

export const resolveEmailMessage = operation({
  method: 'POST',
  path: '/inbox/email/messages/{emailMessageId}/resolve',
  summary: 'Decide about an unconfirmed email message',
  description:
    'For a message whose connection broke at the one moment in which nobody can know whether the mail server took it. `sent` believes that it did; `send_again` sends it once more with the same Message-ID, by which most mail programs show two copies as one. Look into the Sent folder first.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: one.extend({ as: z.enum(['sent', 'send_again']) }),
  output: emailMessageDetails,
  example: { input: { as: 'sent' } },
})

export const linkedinMessage = z
  .object({
    ...base('linkedin_message'),
    text: z.string(),
    type: z.enum(messageTypes),
    status: z.enum(messageStatuses),
    conversationId: z.string().optional().describe("The provider's name of the conversation"),
    prospectId: id.optional(),
    repId: id.optional(),
    happenedAt: time.optional(),
    campaignId: id.optional(),
    tags: z.array(z.string()).optional().describe('Tags of its conversation'),
    linkedinConversationId: id.describe('Its conversation'),
    personName: z.string().optional().describe('With whom'),
    isUnread: z.literal(true).optional(),
    taskId: id.optional().describe('Of a draft that is on its way: the task that sends it'),
    reply: replyReading
      .optional()
      .describe('Of an answer to a campaign: what its writer means, and the draft that answers it'),
  })
  .meta({ id: 'LinkedinMessage' })

const linkedinMessageDetails = linkedinMessage
  .extend({
    otherDraftIds: z.array(id).optional().describe('Other drafts in the conversation of this draft'),
  })
  .meta({ id: 'LinkedinMessageDetails' })

export const linkedinConversation = z
  .object({
    ...base('linkedin_conversation'),
    conversationId: z.string().describe("The provider's name of it"),
    prospectId: id.optional(),
    campaignId: id.optional(),
    repId: id.optional(),
    repName: z.string().optional(),
    personId: id.optional(),
    personName: z.string().optional(),
    linkedinUrl: z.string().optional().describe("The person's profile, when it is known"),
    tags: z.array(z.string()),
    messages: z.array(linkedinMessage).describe('Oldest first; the last 200 of a longer conversation'),
  })
  .meta({ id: 'LinkedinConversation' })

export const getLinkedinConversation = operation({
  method: 'GET',
  path: '/inbox/linkedin/conversations/{linkedinConversationId}',
  summary: 'Get a LinkedIn conversation with its messages',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({ linkedinConversationId: id.describe('The conversation') }),
  output: linkedinConversation,
})

export const listLinkedinMessages = operation({
  method: 'GET',
  path: '/inbox/linkedin/messages',
  summary: 'List LinkedIn messages',
  tag: 'Inbox',
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({
    ...pageInput,
    ...messageFilters,
    status: z.enum(messageStatuses).optional().describe('`sent` when absent'),
    unread: flag.describe('Only unread messages'),
  }),
  output: pageOf(linkedinMessage, 'LinkedinMessage'),
})

const linkedinOne = z.strictObject({ linkedinMessageId: id.describe('The LinkedIn message') })
const linkedinText = lines(8000)

export const recordLinkedinMessage = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages',
  summary: 'Record a LinkedIn message',
  description:
    'What a rep wrote or got on LinkedIn, by hand. An answer stops what is to come for the prospect as an answered mail does; so does what the rep writes, until somebody resumes it.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: z.strictObject({
    prospectId: id.describe('With whom'),
    repId: id.optional().describe('Whose conversation it is; unless told that of the rep of the prospect'),
    type: z.enum(['manual', 'received']).describe('Written by the rep, or by the prospect'),
    text: linkedinText,
    happenedAt: timeInput.optional().describe('Unless told now'),
  }),
  output: linkedinMessageDetails,
  example: {
    input: {
      prospectId: '01980000-0000-7000-8000-000000000001',
      type: 'received',
      text: 'Yes, we are. Call me on Thursday.',
    },
  },
})

export const importLinkedinMessages = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/import',
  summary: "Import LinkedIn's export of messages",
  description:
    'Reads `messages.csv` of the data that LinkedIn gives its members. Conversations with persons that the account knows are kept, all others left out. The same file again adds nothing. For files over 4 MB use the command line.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  ...csvLimits,
  input: z.strictObject({
    repId: id.describe('Whose export it is'),
    profileUrl: text(2000).describe("The rep's own profile, which tells what the rep wrote"),
    csv,
  }),
  output: z.object({
    total: z.int().describe('Messages read'),
    added: z.int(),
    alreadyPresent: z.int(),
    unknownPerson: z.int().describe('Left out: with nobody that the account knows, or with several'),
    invalid: z.int().describe('Left out: without date, text or sender'),
  }),
  example: {
    input: {
      repId: '01980000-0000-7000-8000-000000000001',
      profileUrl: 'https://www.linkedin.com/in/grace-hopper',
      csv: 'CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER\n',
    },
  },
})

export const readLinkedinConversation = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/read',
  summary: 'Mark a LinkedIn conversation as read',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: z.strictObject({ conversationId: text(300).describe("The provider's name of it") }),
  output: z.object({ read: z.int().describe('How many messages were unread') }),
  example: { input: { conversationId: '2-ZjQ0MGItNTdh' } },
})

export const createLinkedinDraft = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/draft',
  summary: 'Create a LinkedIn draft',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: z.strictObject({
    prospectId: id.describe('To whom'),
    repId: id.optional().describe('Who writes; unless told the rep of the prospect'),
    text: linkedinText,
  }),
  output: linkedinMessageDetails,
  example: { input: { prospectId: '01980000-0000-7000-8000-000000000001', text: 'Thursday suits me.' } },
})

export const updateLinkedinDraft = operation({
  method: 'PATCH',
  path: '/inbox/linkedin/messages/{linkedinMessageId}',
  summary: 'Change a LinkedIn draft',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: linkedinOne.extend({ text: linkedinText }),
  output: linkedinMessageDetails,
  example: { input: { text: 'Friday suits me better.' } },
})

export const deleteLinkedinDraft = operation({
  method: 'DELETE',
  path: '/inbox/linkedin/messages/{linkedinMessageId}',
  summary: 'Delete a LinkedIn draft',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: linkedinOne,
  output: done,
})

export const sendLinkedinDraft = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/{linkedinMessageId}/send',
  summary: 'Send a LinkedIn draft',
  description:
    'Where the rep is connected through Unipile it is sent from there, else it becomes a task of the rep; either way `taskId` names the task, and it becomes `sent` once that is done. Refused for a person on the Do Not Contact list. `Conflict` when our side wrote in the conversation since the draft was begun, until you set `force`. What campaigns have still to come for the person waits, as with an email.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: linkedinOne.extend({ force }),
  output: linkedinMessageDetails,
  example: { input: {} },
})
