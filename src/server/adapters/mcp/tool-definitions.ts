import { buildTools } from './build-tools.ts'
import type { Definition } from './definition.ts'
import { readTools } from './read-tools.ts'
import { stopTools } from './stop-tools.ts'

/** The tools by name, in listing order. Assistants choose a tool by its title and description. */
export const definitions: Record<string, Definition> = {
  ...readTools,
  ...buildTools,
  compose_email: {
    operation: 'composeEmail',
    title: 'Write an email to a person',
    description:
      'Sends the first email of a new conversation, outside of campaigns. Show the user the recipients and text first and pass the addresses as `expectedRecipients`; or set `draft` and use send_email_draft later. Pauses the active sequences of the person',
    shared: { recipients: 'create_email_draft', expectedRecipients: 'send_email_draft' },
    described: {
      personId: '',
      mailboxId: "Defaults to the mailbox of the person's last rep, or yours",
      draft: 'Only creates a draft',
      sendAt: 'Defaults to now',
    },
    omitted: ['attachmentIds'],
    hints: { destructive: true, openWorld: true },
    acceptsIdempotencyKey: true,
  },
  update_conversations: {
    operation: 'updateConversations',
    title: 'Update conversations',
    described: {
      status: '',
      snoozedUntil: '',
      isUnread: '',
      assigneeId: 'Name or email address of a member; null unassigns',
    },
    omitted: ['expectedLastMessageIds'],
    description:
      'Marks conversations as done, open, read or unread, snoozes them until a time, assigns or tags them, up to 100 at once. Sends nothing; `status` open undoes done and snooze',
    hints: { idempotent: true },
  },
  create_email_draft: {
    operation: 'createEmailDraft',
    title: 'Create an email draft',
    description:
      'Drafts an answer to a message, for the user to review; send_email_draft sends it. If the reply agent has already drafted one (`draft`), use update_email_draft',
    described: {
      emailMessageIdToReplyTo: 'Id of a message, or of a conversation to reply to its last message',
    },
    omitted: ['prospectId', 'attachmentIds', 'subject'],
    hints: { openWorld: true },
    acceptsIdempotencyKey: true,
  },
  update_email_draft: {
    operation: 'updateEmailDraft',
    title: 'Update an email draft',
    described: {
      body: '',
      emailMessageId: 'Id of the draft or its conversation',
      mailboxId: 'Address or id of another sender; not for replies',
    },
    description: 'Changes a draft. A queued draft leaves the queue; send_email_draft queues it again',
    omitted: ['attachmentIds', 'expectedBody'],
    shared: { recipients: 'create_email_draft' },
    hints: { openWorld: true },
  },
  delete_email_draft: {
    operation: 'deleteEmailDraft',
    title: 'Delete an email draft',
    description: 'Deletes a draft; if it is queued, it is not sent',
    hints: { destructive: true },
  },
  send_email_draft: {
    operation: 'sendEmailDraft',
    title: 'Send an email draft',
    described: {
      emailMessageId: 'Id of the draft or its conversation',
      force: 'Send even if your side has written after the draft',
      sendAt: 'Defaults to now',
      expectedRecipients: 'Approved addresses; refused if they differ',
      expectedFirstLine:
        'Approved first line, after any greeting that ends with a comma; refused if it differs',
    },
    description:
      'Queues a draft to be sent immediately; it cannot be recalled. Show the user its recipients and text first, and pass `expectedRecipients` and `expectedFirstLine`. Refused for recipients on the Do Not Contact list; `Conflict` says which flag overrides a newer reply or new recipients',
    omitted: ['delaySeconds', 'expectedSubject', 'expectedBody', 'expectedAttachmentIds'],
    hints: { destructive: true, openWorld: true },
    acceptsIdempotencyKey: true,
  },
  resolve_email_message: {
    operation: 'resolveEmailMessage',
    title: 'Resolve an unconfirmed email',
    described: { as: '' },
    description:
      'Resolves an email that the server may or may not have accepted: `sent` marks it as sent, `send_again` sends it once more. Ask the user to check the Sent folder first',
    hints: { destructive: true, openWorld: true },
  },
  create_linkedin_draft: {
    operation: 'createLinkedinDraft',
    title: 'Create a LinkedIn draft',
    description: 'Drafts a LinkedIn message to a prospect; send_linkedin_draft sends it',
    hints: { openWorld: true },
    acceptsIdempotencyKey: true,
  },
  update_linkedin_draft: {
    operation: 'updateLinkedinDraft',
    title: 'Update a LinkedIn draft',
    omitted: ['expectedText'],
  },
  send_linkedin_draft: {
    operation: 'sendLinkedinDraft',
    title: 'Send a LinkedIn draft',
    described: { force: '' },
    description:
      'Sends through the connected LinkedIn account or, without one, creates a task for the rep (`taskId`). Show the user the text first. Refused for people on the Do Not Contact list; `Conflict` if your side has written after the draft, unless `force` is set',
    omitted: ['expectedText'],
    hints: { destructive: true, openWorld: true },
    acceptsIdempotencyKey: true,
  },
  delete_linkedin_draft: {
    operation: 'deleteLinkedinDraft',
    title: 'Delete a LinkedIn draft',
    hints: { destructive: true },
  },
  record_meeting: {
    operation: 'recordMeeting',
    title: 'Record a meeting',
    described: { startsAt: '' },
    description: "Records a booked meeting, which stops the person's sequences. Sends no invitation",
  },
  update_meeting: {
    operation: 'updateMeeting',
    title: 'Update a meeting',
    description: 'Changes the time or notes of a meeting. Notifies nobody',
    described: { startsAt: '', notes: '' },
  },
  cancel_meeting: {
    operation: 'cancelMeeting',
    title: 'Cancel a meeting',
    description: 'Records that a meeting is cancelled. Notifies nobody; ended sequences do not resume',
    hints: { destructive: true },
  },
  create_note: {
    operation: 'createNote',
    title: 'Note something about a person',
    description:
      'Stores a fact for colleagues, such as what a person said on the phone. Contacts nobody. get_person_timeline shows notes',
    acceptsIdempotencyKey: true,
  },
  create_task: {
    operation: 'createTask',
    title: 'Create a task',
    described: {
      dueAt: '',
      repId: "Defaults to the prospect's rep, or yours",
      personId: 'Full name, email address or id',
    },
    description:
      'Reminds a rep to call, email or message someone by hand, for example to follow up on a reply. Contacts nobody. update_task reschedules it, complete_task closes it',
    acceptsIdempotencyKey: true,
  },
  update_task: {
    operation: 'updateTask',
    title: 'Update a task',
    described: { title: '', text: '', dueAt: '' },
    hints: { idempotent: true },
  },
  complete_task: {
    operation: 'completeTask',
    title: 'Complete a task',
    description:
      'Records that a task is done and starts the delay of the next step. Refused while the campaign or prospect is paused, and for people on the Do Not Contact list',
    hints: { destructive: true, openWorld: true },
  },
  skip_task: {
    operation: 'skipTask',
    title: 'Skip a task',
    description:
      'Closes a task without doing it; the prospect moves on to the next step, and a queued LinkedIn draft becomes a draft again',
    hints: { destructive: true, openWorld: true },
  },
  accept_invitation: {
    operation: 'acceptTask',
    title: 'Mark an invitation as accepted',
    description:
      'Records that a LinkedIn invitation was accepted (a completed `linkedin_connect` task); messages that wait for it can be sent',
    hints: { idempotent: true, openWorld: true },
  },
  request_call: {
    operation: 'requestCall',
    title: 'Request a call',
    described: { phoneNumber: 'E.164 format', notBefore: 'Earliest time, at most a year ahead' },
    omitted: ['callTransfer', 'data', 'email', 'timezone'],
    description: 'Requests a call. Nobody is called until a person approves it in the web app within 7 days',
    hints: { openWorld: true },
    acceptsIdempotencyKey: true,
    setting: 'assistantsMayRequestCalls',
  },
  cancel_call: {
    operation: 'cancelCall',
    title: 'Cancel a queued call',
    description: 'Cancels a queued call. For a call of a campaign step, pause its prospect instead',
  },
  log_call: {
    operation: 'logCall',
    title: 'Log a call',
    description:
      'Records a call that someone made or answered without an assistant. Nobody is called. Returns the rep of the call; the sequence continues unless pause_prospects stops it',
    described: {
      prospectId: '',
      personId: 'Full name, email address or id; in place of `prospectId`',
      repId: "Defaults to the prospect's rep, or yours",
      phoneNumber: 'Defaults to the number on record',
      notes: 'Returned as `summary`',
      startedAt: 'Defaults to now',
      duration: 'Seconds',
    },
    acceptsIdempotencyKey: true,
  },
  verify_mailbox: { operation: 'verifyMailbox', title: 'Verify a mailbox', hints: { openWorld: true } },
  resume_mailbox: {
    operation: 'resumeMailbox',
    title: 'Resume a mailbox',
    description:
      'Resumes a mailbox that was paused automatically after too many bounces or spam reports. Find and fix the cause with the user first: more bounces harm the domain',
    hints: { idempotent: true, openWorld: true },
  },
  check_domain: { operation: 'checkDomain', title: 'Check the DNS of a domain' },
  ...stopTools,
}
