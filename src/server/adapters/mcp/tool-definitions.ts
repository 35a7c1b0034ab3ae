import type { Definition } from './definition.ts'
import { readTools } from './read-tools.ts'
import { stopTools } from './stop-tools.ts'

/** The tools by name, in listing order. Assistants choose among them by these words. */
export const definitions: Record<string, Definition> = {
  ...readTools,
  // Build.
  create_campaign: {
    operation: 'createCampaign',
    title: 'Create a campaign',
    description:
      'Creates a draft, which sends nothing. Then use add_prospects_to_campaign, preview_campaign and launch_campaign',
    acceptsKey: true,
    shared: { steps: 'set_campaign_steps' },
    described: { repIds: 'Names or ids of reps who send it; several share the prospects' },
  },
  update_campaign: {
    operation: 'updateCampaign',
    title: 'Update a campaign',
    description:
      'Changes name, reps, schedule, daily limit or settings, also of an active campaign. set_campaign_steps changes steps',
    shared: {
      settings: 'create_campaign',
      schedule: 'create_campaign',
      newProspectsPerDay: 'create_campaign',
    },
    described: { repIds: 'Names or ids; replaces the reps' },
    hints: { openWorld: true, idempotent: true },
  },
  set_campaign_steps: {
    operation: 'setCampaignSteps',
    title: 'Set the steps of a campaign',
    hints: { destructive: true, openWorld: true },
  },
  update_campaign_step: {
    operation: 'updateCampaignStep',
    title: 'Update a step',
    description: 'Changes texts, variants or delay of one step; absent fields stay as they are',
    shared: { body: 'set_campaign_steps', delay: 'set_campaign_steps', variants: 'set_campaign_steps' },
    omitted: ['thread', 'acceptWithinDays', 'call'],
    hints: { openWorld: true, idempotent: true },
  },
  duplicate_campaign: { operation: 'duplicateCampaign', title: 'Duplicate a campaign' },
  delete_draft_campaign: {
    operation: 'deleteCampaign',
    title: 'Delete a draft campaign',
    hints: { destructive: true },
  },
  launch_campaign: {
    operation: 'launchCampaign',
    title: 'Launch a campaign',
    description:
      'Starts sending to all prospects of the campaign. Preview the steps and tell the user how many people it reaches first; pause_campaign stops it',
    hints: { destructive: true, openWorld: true },
  },
  pause_campaign: { operation: 'pauseCampaign', title: 'Pause a campaign' },
  resume_campaign: {
    operation: 'resumeCampaign',
    title: 'Resume a campaign',
    description:
      'Continues a paused campaign. Everything due by then is sent within the limits of the mailboxes',
    hints: { openWorld: true },
  },
  archive_campaign: { operation: 'archiveCampaign', title: 'Archive a campaign' },
  unarchive_campaign: { operation: 'unarchiveCampaign', title: 'Unarchive a campaign' },
  add_prospects_to_campaign: {
    operation: 'addProspectsToCampaign',
    title: 'Add prospects to a campaign',
    description:
      'Finds or creates a person for each element and adds them to the campaign. In an active campaign their first step is sent at once: ask the user before. If one element is invalid, nothing is added',
    hints: { idempotent: true, openWorld: true },
    acceptsKey: true,
  },
  send_test_email: {
    operation: 'sendTestEmail',
    title: 'Send a test email',
    shared: { person: 'create_person', stepId: 'preview_campaign', variantId: 'preview_campaign' },
    description:
      "Sends an email step to the user's own address, marked as a test and outside of all statistics. preview_campaign shows it without sending",
    hints: { openWorld: true },
  },
  update_campaign_knowledge: {
    operation: 'updateCampaignKnowledge',
    title: 'Update the knowledge of a campaign',
    description: 'Sets the facts that the reply agent may state in its drafts; null clears a text',
    hints: { idempotent: true, openWorld: true },
  },
  create_person: {
    operation: 'createPerson',
    title: 'Create a person',
    description:
      'Requires an email address, LinkedIn profile or phone number, or full name and company. `Conflict` names the person if they exist. Contacts nobody; add_prospects_to_campaign does',
    acceptsKey: true,
  },
  merge_people: {
    operation: 'mergePersons',
    title: 'Merge duplicates of a person',
    description:
      'Moves everything of the duplicates to one person, for good. Show the user both records first and pass the names of the duplicates in expectedNames',
    hints: { destructive: true },
  },
  update_person: {
    operation: 'updatePerson',
    title: 'Update a person',
    shared: { custom: 'create_person' },
    description: 'Changes fields of a person; null clears one. Later steps go to a changed email address',
    hints: { destructive: true, openWorld: true },
  },
  update_company: {
    operation: 'updateCompany',
    title: 'Update a company',
    description:
      'Changes fields of a company; null clears one. Unsent steps to its people use the new values',
    hints: { destructive: true },
  },
  // Work.
  compose_email: {
    operation: 'composeEmail',
    title: 'Write an email to a person',
    description:
      'Sends the first email of a new conversation, outside of campaigns, now or at `sendAt`. Show the user recipients and text first and pass the addresses as `expectedRecipients`; or set `draft` and use send_email_draft later. Pauses the active sequences of the person',
    shared: { recipients: 'create_email_draft' },
    omitted: ['attachmentIds'],
    hints: { destructive: true, openWorld: true },
    acceptsKey: true,
  },
  update_conversations: {
    operation: 'updateConversations',
    title: 'Update conversations',
    description:
      'Marks conversations as done, open, read or unread, snoozes them until a time, assigns or tags them, up to 100 at once. Sends nothing; `status` open undoes done and snooze',
    hints: { idempotent: true },
  },
  create_email_draft: {
    operation: 'createEmailDraft',
    title: 'Create an email draft',
    description:
      'Drafts an answer to a message, for the user to review; send_email_draft sends it. Where the reply agent has drafted one (`draft`), change that with update_email_draft',
    described: {
      emailMessageIdToReplyTo: 'Message to reply to, or the id of a conversation for its last one',
    },
    omitted: ['prospectId', 'attachmentIds', 'subject'],
    hints: { openWorld: true },
    acceptsKey: true,
  },
  update_email_draft: {
    operation: 'updateEmailDraft',
    title: 'Update an email draft',
    description: 'Changes a draft. One that is queued leaves the queue; send_email_draft queues it again',
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
    description:
      'Queues a draft to leave at once; it cannot be recalled. Show the user its recipients and text first, and pass both as `expectedRecipients` and `expectedFirstLine`. Refused for recipients on the Do Not Contact list; `Conflict` says which flag overrules a newer reply or new recipients',
    omitted: ['delaySeconds'],
    hints: { destructive: true, openWorld: true },
    acceptsKey: true,
  },
  resolve_email_message: {
    operation: 'resolveEmailMessage',
    title: 'Resolve an unconfirmed email',
    description:
      'Decides about an email that the server may or may not have accepted: `sent` marks it as sent, `send_again` sends it once more. Ask the user to look into the Sent folder first',
    hints: { destructive: true, openWorld: true },
  },
  create_linkedin_draft: {
    operation: 'createLinkedinDraft',
    title: 'Create a LinkedIn draft',
    description: 'Drafts a LinkedIn message to a prospect; send_linkedin_draft sends it',
    hints: { openWorld: true },
    acceptsKey: true,
  },
  update_linkedin_draft: { operation: 'updateLinkedinDraft', title: 'Update a LinkedIn draft' },
  send_linkedin_draft: {
    operation: 'sendLinkedinDraft',
    title: 'Send a LinkedIn draft',
    description:
      'Sends through the connected LinkedIn account or, without one, creates a task for the rep (`taskId`). Show the user the text first. Refused for people on the Do Not Contact list; `Conflict` if your side wrote since, unless `force` is set',
    hints: { destructive: true, openWorld: true },
    acceptsKey: true,
  },
  delete_linkedin_draft: {
    operation: 'deleteLinkedinDraft',
    title: 'Delete a LinkedIn draft',
    hints: { destructive: true },
  },
  record_meeting: {
    operation: 'recordMeeting',
    title: 'Record a meeting',
    description: 'Records a booked meeting, which ends the sequences. Invites nobody',
  },
  create_note: {
    operation: 'createNote',
    title: 'Note something about a person',
    description:
      'Keeps a fact for colleagues, such as what a person said on the phone. Contacts nobody. get_person_timeline shows notes',
    acceptsKey: true,
  },
  create_task: {
    operation: 'createTask',
    title: 'Create a task',
    description:
      'Reminds a rep to call, email or message someone by hand, for example to follow up on a reply. Contacts nobody. update_task reschedules it, complete_task closes it',
    acceptsKey: true,
  },
  update_task: {
    operation: 'updateTask',
    title: 'Update a task',
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
      'Closes a task without doing it; the prospect moves on to the next step, and a LinkedIn draft becomes a draft again',
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
    omitted: ['callTransfer', 'data', 'email', 'timezone'],
    description: 'Requests a call. Nobody is called until a person approves it in the web app within 7 days',
    hints: { openWorld: true },
    acceptsKey: true,
    setting: 'assistantsMayRequestCalls',
  },
  cancel_call: {
    operation: 'cancelCall',
    title: 'Cancel a queued call',
    description: 'Cancels a queued call. For a call of a campaign step, pause its prospect instead',
  },
  log_call: { operation: 'logCall', title: 'Log a call', acceptsKey: true },
  verify_mailbox: { operation: 'verifyMailbox', title: 'Verify a mailbox', hints: { openWorld: true } },
  resume_mailbox: {
    operation: 'resumeMailbox',
    title: 'Resume a mailbox',
    description:
      'Continues a mailbox that paused itself after too many bounces or spam reports. Find and fix the cause with the user first: continuing harms the domain',
    hints: { idempotent: true, openWorld: true },
  },
  check_domain: { operation: 'checkDomain', title: 'Check the DNS of a domain' },
  ...stopTools,
}
