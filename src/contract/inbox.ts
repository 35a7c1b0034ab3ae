import { z } from 'zod'
import { csv, csvLimits } from './csv.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  done,
  flag,
  id,
  lines,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'
import { replyClassification } from './reply-agent.ts'

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

/** The approval that a draft from an app needs. */
const approvalRequest = z
  .object({
    at: time,
    by: z.string().optional().describe('Name of the app'),
    sendAt: time.optional().describe('Time at which the app would send it; absent for immediately'),
  })
  .optional()
  .describe('Set while a draft needs approval by a person; sending it approves it')

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
    replyTo: z
      .array(contactInfo)
      .optional()
      .describe('Reply-To of a received message, if different from `from`'),
    type: z.enum(messageTypes).optional(),
    status: z
      .enum(messageStatuses)
      .optional()
      .describe('Absent until the mail server accepts an outgoing message'),
    prospectId: id.optional(),
    repId: id.optional(),
    recipients,
    sentAt: time.describe('Time sent or received; for a draft, time of the last edit'),
    sendAt: time.optional().describe('When a queued message is sent'),
    campaignId: id.optional(),
    tags: z.array(z.string()).optional().describe('Tags of the thread'),
    deliveryStatus: z
      .enum(deliveryStatuses)
      .optional()
      .describe(
        'Delivery problem or progress of an outgoing message; absent once sent. `suppressed`: the address is on the Do Not Contact list; `bounced`: sent, then reported as undeliverable, permanently or temporarily',
      ),
    deliveryReason: z.string().optional().describe('Reason for the delivery status'),
    isOutdated: z
      .literal(true)
      .optional()
      .describe(
        'For a draft: your side has written in the thread since the draft was started. In lists only with `status=draft`',
      ),
    approvalRequest,
    receivedKind: z
      .enum(receivedKinds)
      .optional()
      .describe(
        "Kind of a received message: a person's reply, an automatic reply, or a request to unsubscribe",
      ),
    newText: z.string().optional().describe('Text of a received message without the email it quotes'),
    hasHtml: z
      .literal(true)
      .optional()
      .describe(
        '`GET /v1/inbox/email/messages/{id}/html` returns the message as sanitized HTML, without images from other hosts unless the query contains `images=remote`',
      ),
    hasRemoteImages: z
      .literal(true)
      .optional()
      .describe('The HTML contains images from other hosts, which can report that it was read'),
    reply: replyClassification
      .optional()
      .describe('For a received message: its intent, and the draft that replies to it'),
    attachments: z
      .array(
        z.object({
          id: id
            .optional()
            .describe(
              'Absent if the file was not stored: over 10 MB, or the storage of the account was full',
            ),
          name: z.string(),
          type: z.string().describe('Media type, detected in the content of stored files'),
          size: z.int().describe('Bytes'),
        }),
      )
      .optional()
      .describe('Files; `GET /v1/inbox/email/attachments/{id}` downloads one'),
  })
  .meta({ id: 'EmailMessage' })

/** An email message with what a user needs to know before sending it. */
const emailMessageDetails = emailMessage
  .extend({
    otherDraftIds: z.array(id).optional().describe('Other drafts in the same thread'),
    newRecipients: z
      .array(z.string())
      .optional()
      .describe('Recipients outside the thread; sending the draft to them requires `allowNewRecipients`'),
  })
  .meta({ id: 'EmailMessageDetails' })

const messageFilters = {
  campaignId: id.optional().describe('Only messages of this campaign'),
  prospectId: id.optional().describe('Only messages of this prospect'),
  repId: id.optional().describe('Only messages of this rep'),
  status: z.enum(messageStatuses).optional().describe('Only messages with this status'),
  type: z.enum(messageTypes).optional().describe('Only messages of this type'),
  tag: optionalText(100).describe('Only messages whose thread or conversation has this tag'),
}

const idInput = z.strictObject({ emailMessageId: id.describe('Email message ID') })

export const listEmailMessages = operation({
  method: 'GET',
  path: '/inbox/email/messages',
  summary: 'List email messages',
  description:
    'Lists sent and received emails and drafts of all threads. Members see those of their own reps.',
  tag: 'Inbox',
  permission: 'Inbox.ReadInbox',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      emailThreadId: id.optional().describe('Only messages of this thread'),
      ...messageFilters,
      deliveryStatus: z
        .enum(['unconfirmed'])
        .optional()
        .describe('Only messages that may or may not have been delivered and await a decision'),
      onlyLastMessagePerThread: flag.describe(
        'Only the last message of each thread; with `status=draft`, only the last draft of each thread',
      ),
    }),
  ),
  output: pageSchema(emailMessage, 'EmailMessage'),
})

export const getEmailMessage = operation({
  method: 'GET',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Get an email message',
  description: 'Includes the other drafts of its thread and, for a draft, the recipients outside the thread.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: idInput,
  output: emailMessageDetails,
})

export const emailThread = z
  .object({
    ...base('email_thread'),
    subject: z.string(),
    personId: id.optional(),
    prospectId: id.optional().describe('Absent outside of campaigns'),
    campaignId: id.optional(),
    repId: id.optional(),
    sender: contactInfo
      .optional()
      .describe('Mailbox that replies are sent from; absent if the rep has no active one'),
    tags: z.array(z.string()),
    messages: z.array(emailMessage).describe('Messages, oldest first, at most the last 200'),
  })
  .meta({ id: 'EmailThread' })

export const getEmailThread = operation({
  method: 'GET',
  path: '/inbox/email/threads/{emailThreadId}',
  summary: 'Get an email thread with its messages',
  description: 'Returns the messages and drafts, oldest first.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({ emailThreadId: id.describe('Thread ID') }),
  output: emailThread,
})

const contactInput = z.strictObject({ name: optionalText(200), email: text(320) })
const recipientsInput = z
  .strictObject({
    to: z.array(contactInput).min(1).max(50),
    cc: z.array(contactInput).max(50).optional(),
    bcc: z.array(contactInput).max(50).optional(),
  })
  .describe('Recipients. Defaults to the sender of the message')

const attachmentIds = z
  .array(id)
  .max(20)
  .optional()
  .describe(
    'Files to attach, at most 14 MB in total. Upload each with `POST /v1/inbox/email/attachments?name=…`, whose response contains the `id`',
  )

/** Fits the longest body in any script. */
const draftBodyLimit = 1024 * 1024

export const createEmailDraft = operation({
  method: 'POST',
  path: '/inbox/email/messages/draft',
  summary: 'Create an email draft that replies to a message',
  description: 'Stores a reply that waits until someone sends it with sendEmailDraft. Nothing is sent yet.',
  tag: 'Inbox',
  permission: 'Inbox.CreateDraft',
  rateLimit: 'createDraft',
  bodyLimitBytes: draftBodyLimit,
  input: z.strictObject({
    prospectId: id
      .optional()
      .describe('Prospect of the thread. Required unless the thread is outside of campaigns'),
    emailMessageIdToReplyTo: id.describe('Message to reply to'),
    subject: optionalText(998).describe('Subject. Defaults to `Re:` and the subject of the message'),
    body: lines(200_000).describe('Plain text, or HTML if it contains tags'),
    recipients: recipientsInput.optional(),
    attachmentIds,
  }),
  output: z.object({
    messageId: id.describe('ID of the draft'),
    otherDraftIds: z.array(id).optional().describe('Other drafts in the same thread; absent if none'),
    newRecipients: z
      .array(z.string())
      .optional()
      .describe('Recipients outside the thread; sending the draft to them requires `allowNewRecipients`'),
  }),
  example: {
    input: {
      prospectId: '01980000-0000-7000-8000-000000000001',
      emailMessageIdToReplyTo: '01980000-0000-7000-8000-000000000002',
      body: 'Thank you, Thursday suits me well.',
    },
  },
})

const expectedBody = lines(200_000)
  .optional()
  .describe('Body of the draft as you read it; `Conflict` if somebody has changed it since')

export const updateEmailDraft = operation({
  method: 'PATCH',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Update an email draft',
  description: 'Removes a queued draft from the queue, even if nothing changes. Send it again to queue it.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  // The input contains the body twice: `body` and `expectedBody`.
  bodyLimitBytes: 2 * draftBodyLimit,
  input: idInput.extend({
    subject: optionalText(998).describe('Subject'),
    body: optionalMultiline(200_000).describe('Plain text, or HTML if it contains tags'),
    recipients: recipientsInput.optional(),
    attachmentIds: attachmentIds.describe('Replaces the attached files; an empty list removes all'),
    mailboxId: id.optional().describe('Mailbox to send from, only for the first email of a conversation'),
    expectedBody,
  }),
  output: emailMessageDetails,
  example: { input: { body: 'Thank you, Friday suits me better.' } },
})

export const deleteEmailDraft = operation({
  method: 'DELETE',
  path: '/inbox/email/messages/{emailMessageId}',
  summary: 'Delete an email draft',
  description: 'Deletes a draft. A queued draft is not sent.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: idInput,
  output: done,
})

const sendAt = timeInput
  .optional()
  .describe(
    'When to send the email, at most a year ahead; it can be changed or deleted until then. Defaults to now',
  )

const expectedRecipients = z
  .array(text(320))
  .max(150)
  .optional()
  .describe('Addresses that someone approved; `Conflict` if the recipients differ')

export const composeEmail = operation({
  method: 'POST',
  path: '/inbox/email/messages/compose',
  summary: 'Write an email to a person outside of campaigns',
  description:
    "Opens a thread with the person and queues its first message. Replies appear in the thread. The signature of the rep follows the body unless the body already contains it. Refused if a recipient is on the Do Not Contact list; the mailbox's daily cap and gap apply. The person's active sequences pause.",
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  reachesOutside: 'always',
  rateLimit: 'createDraft',
  bodyLimitBytes: draftBodyLimit,
  input: z
    .strictObject({
      personId: id.describe('Person to write to'),
      mailboxId: id
        .optional()
        .describe("Mailbox to send from. Defaults to that of the person's last rep, or of your only rep"),
      subject: text(998).describe('Subject'),
      body: lines(200_000).describe('Plain text, or HTML if it contains tags'),
      recipients: recipientsInput
        .describe('Recipients; `to` must include the person. Defaults to the person')
        .optional(),
      attachmentIds,
      sendAt,
      draft: z.boolean().optional().describe('Create a draft only, which `sendEmailDraft` sends'),
      expectedRecipients,
    })
    .refine(input => !(input.draft && input.sendAt), {
      path: ['sendAt'],
      message: 'cannot be set for a draft; set it when you send the draft',
    }),
  output: emailMessageDetails,
  example: {
    input: {
      personId: '01980000-0000-7000-8000-000000000001',
      subject: 'Your talk on analytical engines',
      body: 'Hello Ada, may I ask you two questions about your talk?',
      expectedRecipients: ['ada@analytical.example'],
    },
  },
})

const force = z.boolean().optional().describe('Send even if your side replied after the draft was created')

export const sendEmailDraft = operation({
  method: 'POST',
  path: '/inbox/email/messages/{emailMessageId}/send',
  summary: 'Send an email draft',
  description:
    'Queues the draft; its status becomes `sent` once the mail server accepts it. The signature of the rep follows the body unless the body already contains it. Refused if a recipient is on the Do Not Contact list. `Conflict` if your side replied in the thread after the draft was created, unless `force` is set, or if a recipient of a reply is neither in the thread nor the prospect, unless `allowNewRecipients` is set.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  reachesOutside: 'always',
  bodyLimitBytes: draftBodyLimit,
  input: idInput
    .extend({
      force,
      allowNewRecipients: z.boolean().optional().describe('Send to recipients outside the thread'),
      sendAt,
      delaySeconds: z
        .int()
        .min(1)
        .max(60)
        .optional()
        .describe('Seconds to hold the email, during which `updateEmailDraft` turns it back into a draft'),
      expectedRecipients,
      expectedSubject: text(998)
        .optional()
        .describe('Subject of the draft as you read it; `Conflict` if the subject differs'),
      expectedBody,
      expectedAttachmentIds: attachmentIds.describe(
        'Files of the draft as you read it; `Conflict` if the files differ',
      ),
      expectedFirstLine: text(1000)
        .optional()
        .describe(
          'Approved first line of the body, after any greeting that ends with a comma; `Conflict` if the first line differs',
        ),
    })
    .refine(({ sendAt, delaySeconds }) => sendAt === undefined || delaySeconds === undefined, {
      path: ['delaySeconds'],
      message: 'must not be combined with `sendAt`',
    }),
  output: emailMessageDetails,
  example: {
    input: { expectedRecipients: ['ada@analytical.example'], expectedFirstLine: 'Thank you, Ada.' },
  },
})

export const resolveEmailMessage = operation({
  method: 'POST',
  path: '/inbox/email/messages/{emailMessageId}/resolve',
  summary: 'Resolve an unconfirmed email message',
  description:
    'For a message that the mail server may or may not have accepted, because the connection broke before it responded. `sent` marks it as sent; `send_again` sends it again with the same Message-ID, so most email clients show two copies as one. Check the Sent folder first.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  reachesOutside: 'always',
  input: idInput.extend({ as: z.enum(['sent', 'send_again']).describe('Resolution to record') }),
  output: emailMessageDetails,
  example: { input: { as: 'sent' } },
})

export const linkedinMessage = z
  .object({
    ...base('linkedin_message'),
    text: z.string(),
    type: z.enum(messageTypes),
    status: z.enum(messageStatuses),
    conversationId: z.string().optional().describe('ID of the conversation at LinkedIn or the provider'),
    prospectId: id.optional(),
    repId: id.optional(),
    happenedAt: time.optional(),
    campaignId: id.optional(),
    tags: z.array(z.string()).optional().describe('Tags of the conversation'),
    linkedinConversationId: id.describe('Conversation ID'),
    personName: z.string().optional().describe('Name of the other person'),
    isUnread: z.literal(true).optional(),
    taskId: id.optional().describe('For a queued draft, the task that sends it'),
    approvalRequest,
    reply: replyClassification
      .optional()
      .describe('For a reply to a campaign: its intent, and the draft that replies to it'),
  })
  .meta({ id: 'LinkedinMessage' })

const linkedinMessageDetails = linkedinMessage
  .extend({
    otherDraftIds: z.array(id).optional().describe('Other drafts in the same conversation'),
  })
  .meta({ id: 'LinkedinMessageDetails' })

export const linkedinConversation = z
  .object({
    ...base('linkedin_conversation'),
    conversationId: z.string().describe('ID of the conversation at LinkedIn or the provider'),
    prospectId: id.optional(),
    campaignId: id.optional(),
    repId: id.optional(),
    repName: z.string().optional(),
    personId: id.optional(),
    personName: z.string().optional(),
    linkedinUrl: z.string().optional().describe('LinkedIn profile of the person, if known'),
    tags: z.array(z.string()),
    messages: z.array(linkedinMessage).describe('Messages, oldest first, at most the last 200'),
  })
  .meta({ id: 'LinkedinConversation' })

export const getLinkedinConversation = operation({
  method: 'GET',
  path: '/inbox/linkedin/conversations/{linkedinConversationId}',
  summary: 'Get a LinkedIn conversation with its messages',
  description: 'Returns the messages and drafts, oldest first.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject({ linkedinConversationId: id.describe('Conversation ID') }),
  output: linkedinConversation,
})

export const listLinkedinMessages = operation({
  method: 'GET',
  path: '/inbox/linkedin/messages',
  summary: 'List LinkedIn messages',
  description:
    'Lists messages that were sent or received on LinkedIn and, with `status=draft`, drafts. Members see those of their own reps.',
  tag: 'Inbox',
  permission: 'Inbox.ReadInbox',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      ...messageFilters,
      status: z
        .enum(messageStatuses)
        .optional()
        .describe('Only messages with this status. Defaults to `sent`'),
      unread: flag.describe('Only unread messages'),
    }),
  ),
  output: pageSchema(linkedinMessage, 'LinkedinMessage'),
})

const linkedinIdInput = z.strictObject({ linkedinMessageId: id.describe('LinkedIn message ID') })
const linkedinText = lines(8000).describe('Text of the message')

export const recordLinkedinMessage = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages',
  summary: 'Record a LinkedIn message',
  description:
    "Records a message that a rep sent or received on LinkedIn. A reply stops the prospect's sequence, as an email reply does; a message by the rep pauses it until you resume it.",
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: z.strictObject({
    prospectId: id.describe('Prospect ID'),
    repId: id.optional().describe("Rep ID. Defaults to the prospect's rep"),
    type: z
      .enum(['manual', 'received'])
      .describe('`manual`: written by the rep; `received`: written by the prospect'),
    text: linkedinText,
    happenedAt: timeInput.optional().describe('When the message was written. Defaults to now'),
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
  summary: 'Import LinkedIn messages from CSV',
  description:
    "Imports `messages.csv` from LinkedIn's data export. Only conversations with persons known to the account are kept. Importing the same file again adds nothing. For files over 4 MB use the command line.",
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  ...csvLimits,
  input: z.strictObject({
    repId: id.describe('Rep whose export it is'),
    profileUrl: text(2000).describe("LinkedIn profile of the rep, to recognize the rep's own messages"),
    csv,
  }),
  output: z.object({
    total: z.int().describe('Number of messages read'),
    added: z.int(),
    alreadyPresent: z.int(),
    unknownPerson: z.int().describe('Skipped: the other person is unknown or ambiguous'),
    invalid: z.int().describe('Skipped: no date, text or sender'),
  }),
  example: {
    input: {
      repId: '01980000-0000-7000-8000-000000000001',
      profileUrl: 'https://www.linkedin.com/in/grace-hopper',
      csv: 'CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER\n',
    },
  },
})

export const markLinkedinConversationRead = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/read',
  summary: 'Mark a LinkedIn conversation as read',
  description: 'Marks all messages of the conversation as read.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  input: z.strictObject({
    conversationId: text(300).describe('ID of the conversation at LinkedIn or the provider'),
  }),
  output: z.object({ read: z.int().describe('Number of messages that were unread') }),
  example: { input: { conversationId: '2-ZjQ0MGItNTdh' } },
})

export const createLinkedinDraft = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/draft',
  summary: 'Create a LinkedIn draft',
  description:
    'Stores a message that waits until someone sends it with sendLinkedinDraft. Nothing is sent yet.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: z.strictObject({
    prospectId: id.describe('Prospect ID'),
    repId: id.optional().describe("Rep ID. Defaults to the prospect's rep"),
    text: linkedinText,
  }),
  output: linkedinMessageDetails,
  example: { input: { prospectId: '01980000-0000-7000-8000-000000000001', text: 'Thursday suits me.' } },
})

const expectedText = linkedinText
  .optional()
  .describe('Text of the draft as you read it; `Conflict` if somebody has changed it since')

export const updateLinkedinDraft = operation({
  method: 'PATCH',
  path: '/inbox/linkedin/messages/{linkedinMessageId}',
  summary: 'Update a LinkedIn draft',
  description: 'Replaces the text of a draft. Nothing is sent.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: linkedinIdInput.extend({
    text: linkedinText,
    expectedText,
  }),
  output: linkedinMessageDetails,
  example: { input: { text: 'Friday suits me better.', expectedText: 'Thursday suits me.' } },
})

export const deleteLinkedinDraft = operation({
  method: 'DELETE',
  path: '/inbox/linkedin/messages/{linkedinMessageId}',
  summary: 'Delete a LinkedIn draft',
  description: 'Deletes a draft. A queued draft is not sent.',
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: linkedinIdInput,
  output: done,
})

export const sendLinkedinDraft = operation({
  method: 'POST',
  path: '/inbox/linkedin/messages/{linkedinMessageId}/send',
  summary: 'Send a LinkedIn draft',
  description:
    "Sends through the rep's Unipile account if one is connected; otherwise creates a task for the rep. `taskId` is the task in both cases, and the draft becomes `sent` once the task is done. Refused if the person is on the Do Not Contact list. `Conflict` if your side wrote in the conversation after the draft was created, unless `force` is set. The person's sequences pause, as with an email.",
  tag: 'Inbox',
  extension: true,
  permission: 'Inbox.SendMessage',
  reachesOutside: 'always',
  input: linkedinIdInput.extend({ force, expectedText }),
  output: linkedinMessageDetails,
  example: { input: { expectedText: 'Thursday suits me.' } },
})
