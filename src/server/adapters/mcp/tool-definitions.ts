import type { OperationName } from '../../../contract/index.ts'

/**
 * MCP properties of a tool beyond its operation, from which clients decide how to present and confirm it. Idempotent:
 * a second call succeeds and changes nothing. Open world: its effect, now or later, reaches people outside the
 * account.
 */
export type Definition = {
  operation: OperationName
  title: string
  /** Defaults to the operation's summary and description. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  /** Accepts an idempotency key. */
  acceptsKey?: boolean
  /** Fields that another tool describes: the list of tools is limited in size. */
  shared?: Record<string, string>
  /** Only offered while this account setting is on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls'

/** The tools by name, in listing order. Assistants choose among them by these words. */
export const definitions: Record<string, Definition> = {
  // Find and read.
  whoami: {
    operation: 'getMe',
    title: 'Who am I',
    description:
      'A good first call: the time, the user and account that all tools act on, what the role may do, and how many tasks, drafts and unconfirmed emails wait for someone',
  },
  list_problems: {
    operation: 'listProblems',
    title: 'List problems',
    description:
      'Lists what keeps campaigns from working, with the next step for each: failing mailboxes, DNS faults, missing values, pauses. Ask here when little is sent',
  },
  list_campaigns: { operation: 'listCampaigns', title: 'List campaigns' },
  get_campaign: { operation: 'getCampaign', title: 'Get a campaign' },
  get_campaign_stats: {
    operation: 'getCampaignStats',
    title: 'Get campaign statistics',
    description: 'Message and reply counts by step, and outside of steps',
  },
  preview_campaign: {
    operation: 'previewCampaign',
    title: 'Preview a step',
    shared: { person: 'create_person' },
    description:
      'Renders a step as a prospect or an invented person would get it, with missing variables and warnings. Sends nothing',
    hints: { idempotent: true },
  },
  list_prospects: {
    operation: 'listProspects',
    title: 'List prospects',
    description:
      'Lists people enrolled in campaigns, newest first, by campaign, person, email address, status or intent of their reply. get_prospect shows what comes next and why it waits',
  },
  get_prospect: { operation: 'getProspect', title: 'Get a prospect' },
  search: {
    operation: 'search',
    title: 'Search everything',
    description:
      'Finds people, companies, campaigns and conversations by words: the first call when the user names someone or something. get_person, get_campaign and get_email_thread take the ids',
  },
  search_people: {
    operation: 'listPersons',
    title: 'Search people',
    description:
      'Lists people, newest first, by words of their names, email, phone number or company. Each has prospects, last contact, last reply and opt-out',
  },
  get_person: { operation: 'getPerson', title: 'Get a person' },
  get_person_timeline: {
    operation: 'getPersonTimeline',
    title: 'Get the timeline of a person',
    description:
      'Everything that happened with a person, newest first: emails, LinkedIn, calls, tasks, campaigns, consents, opt-outs. get_email_thread has the whole texts',
  },
  list_custom_fields: {
    operation: 'listCustomFields',
    title: 'List custom fields',
    description:
      'Fields that the account added to people. create_person and update_person take values in `custom`; templates use the keys as variables',
  },
  list_companies: { operation: 'listCompanies', title: 'List companies' },
  list_email_messages: { operation: 'listEmailMessages', title: 'List email messages' },
  get_email_thread: { operation: 'getEmailThread', title: 'Get an email thread' },
  list_linkedin_messages: { operation: 'listLinkedinMessages', title: 'List LinkedIn messages' },
  get_linkedin_conversation: {
    operation: 'getLinkedinConversation',
    title: 'Get a LinkedIn conversation',
  },
  list_tasks: {
    operation: 'listTasks',
    title: 'List tasks',
    description:
      'Lists what reps do by hand: LinkedIn invitations and messages, other manual steps, and tasks that users created, latest due date first',
  },
  list_calls: { operation: 'listCalls', title: 'List calls' },
  get_call: { operation: 'getCall', title: 'Get a call' },
  list_assistants: {
    operation: 'listAssistants',
    title: 'List assistants',
    setting: 'assistantsMayRequestCalls',
  },
  list_reps: { operation: 'listReps', title: 'List reps' },
  list_mailboxes: {
    operation: 'listMailboxes',
    title: 'List mailboxes',
    description: 'Lists the mailboxes of reps with their sending limits, and why one fails',
  },
  list_tags: { operation: 'listTags', title: 'List tags' },
  list_opt_outs: { operation: 'listOptOuts', title: 'List Do Not Contact entries' },
  // Build.
  create_campaign: {
    operation: 'createCampaign',
    title: 'Create a campaign',
    description:
      'Creates a draft, which sends nothing. Then use add_prospects_to_campaign, preview_campaign and launch_campaign',
    acceptsKey: true,
    shared: { steps: 'set_campaign_steps' },
  },
  update_campaign: {
    operation: 'updateCampaign',
    title: 'Update a campaign',
    shared: { schedule: 'create_campaign' },
    hints: { openWorld: true, idempotent: true },
  },
  set_campaign_steps: {
    operation: 'setCampaignSteps',
    title: 'Set the steps of a campaign',
    hints: { destructive: true, openWorld: true },
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
    hints: { openWorld: true },
  },
  archive_campaign: { operation: 'archiveCampaign', title: 'Archive a campaign' },
  unarchive_campaign: { operation: 'unarchiveCampaign', title: 'Unarchive a campaign' },
  add_prospects_to_campaign: {
    operation: 'addProspectsToCampaign',
    title: 'Add prospects to a campaign',
    hints: { idempotent: true, openWorld: true },
    acceptsKey: true,
  },
  create_person: { operation: 'createPerson', title: 'Create a person', acceptsKey: true },
  update_person: {
    operation: 'updatePerson',
    title: 'Update a person',
    description: 'Changes fields of a person; null clears one. Later steps go to a changed email address',
    hints: { destructive: true, openWorld: true },
  },
  // Work.
  create_email_draft: {
    operation: 'createEmailDraft',
    title: 'Create an email draft',
    hints: { openWorld: true },
    acceptsKey: true,
  },
  update_email_draft: {
    operation: 'updateEmailDraft',
    title: 'Update an email draft',
    shared: { recipients: 'create_email_draft' },
    hints: { openWorld: true },
  },
  delete_email_draft: {
    operation: 'deleteEmailDraft',
    title: 'Delete an email draft',
    hints: { destructive: true },
  },
  send_email_draft: {
    operation: 'sendEmailDraft',
    title: 'Send an email draft',
    description:
      'Queues a draft to leave at once; it cannot be recalled. Show the user its recipients and text first, and pass both as `expectedRecipients` and `expectedFirstLine`. Refused for recipients on the Do Not Contact list; `Conflict` says which flag overrules a newer reply or new recipients',
    hints: { destructive: true, openWorld: true },
    acceptsKey: true,
  },
  create_linkedin_draft: {
    operation: 'createLinkedinDraft',
    title: 'Create a LinkedIn draft',
    hints: { openWorld: true },
    acceptsKey: true,
  },
  delete_linkedin_draft: {
    operation: 'deleteLinkedinDraft',
    title: 'Delete a LinkedIn draft',
    hints: { destructive: true },
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
    hints: { destructive: true, openWorld: true },
  },
  skip_task: { operation: 'skipTask', title: 'Skip a task', hints: { destructive: true, openWorld: true } },
  request_call: {
    operation: 'requestCall',
    title: 'Request a call',
    description: 'Requests a call. Nobody is called until a person approves it in the web app within 7 days',
    hints: { openWorld: true },
    acceptsKey: true,
    setting: 'assistantsMayRequestCalls',
  },
  cancel_call: { operation: 'cancelCall', title: 'Cancel a queued call' },
  log_call: { operation: 'logCall', title: 'Log a call', acceptsKey: true },
  assign_tags: {
    operation: 'assignTags',
    title: 'Tag a thread or conversation',
    hints: { idempotent: true },
  },
  unassign_tags: {
    operation: 'unassignTags',
    title: 'Remove tags from a thread or conversation',
    hints: { idempotent: true },
  },
  // Stop.
  pause_prospect: { operation: 'pauseProspect', title: 'Pause a prospect' },
  resume_prospect: {
    operation: 'resumeProspect',
    title: 'Resume a prospect',
    hints: { openWorld: true },
  },
  pause_all_sending: { operation: 'pauseSending', title: 'Pause all sending' },
  resume_all_sending: {
    operation: 'resumeSending',
    title: 'Resume all sending',
    hints: { openWorld: true },
  },
  add_opt_outs: {
    operation: 'addOptOuts',
    title: 'Add to the Do Not Contact list',
    hints: { destructive: true, idempotent: true },
  },
  remove_opt_out: {
    operation: 'removeOptOut',
    title: 'Remove from the Do Not Contact list',
    description: 'Only on the request of the person concerned: they can be contacted again afterwards',
    hints: { destructive: true, openWorld: true },
  },
}
