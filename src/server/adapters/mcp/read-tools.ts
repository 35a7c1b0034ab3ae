import type { Definition } from './definition.ts'

/** The tools that find and read, in listing order. Assistants choose among them by these descriptions. */
export const readTools: Record<string, Definition> = {
  whoami: {
    operation: 'getMe',
    title: 'Who am I',
    description:
      'Returns the open work of the user, with newest replies, first tasks and problems; also time, user, account, role and reps',
  },
  list_problems: {
    operation: 'listProblems',
    title: 'List problems',
    description:
      'Explains why few messages are sent: lists problems with next steps, the state of each campaign and open manual work',
  },
  list_campaigns: {
    operation: 'listCampaigns',
    title: 'List campaigns',
    omitted: ['sort', 'order'],
    described: {
      query: 'Words in the name',
      isArchived: 'True: only archived; false: only unarchived',
      numbers: '',
    },
    description:
      'Lists campaigns; `numbers` adds prospects, replies and the next send. get_campaign returns steps, get_report more numbers',
  },
  get_campaign: {
    operation: 'getCampaign',
    title: 'Get a campaign',
    description: 'Returns a campaign with its steps and texts; call it before you change steps',
  },
  get_campaign_stats: {
    operation: 'getCampaignStats',
    title: 'Get campaign statistics',
    description:
      'Counts messages and replies by step and variant; `comparison` reports whether a variant provably gets more replies (`different`), none does (`no_difference`) or data is lacking (`too_few`)',
    described: { from: 'First day; defaults to 30 days ago', to: 'Last day; defaults to today' },
  },
  get_report: {
    operation: 'getReport',
    title: 'Get a report',
    omitted: ['timezone'],
    description: 'Returns counts and rates for a period, in total and by `groupBy`. Missing numbers are 0',
  },
  forecast_campaign: {
    operation: 'forecastCampaign',
    title: 'Forecast a campaign',
    description:
      'Forecasts which emails a launch or resumption would send, to whom and when, and the limit that delays them',
    omitted: ['horizonDays'],
  },
  preview_campaign: {
    operation: 'previewCampaign',
    title: 'Preview a campaign',
    shared: { person: 'create_person' },
    described: { stepId: 'Defaults to all steps' },
    description:
      'Renders one or all steps as a prospect or fictitious person would get them, with warnings. Sends nothing',
    hints: { idempotent: true },
  },
  list_prospects: {
    operation: 'listProspects',
    title: 'List prospects',
    described: { intent: 'Intent of the latest reply', personId: '' },
    description:
      'Lists people enrolled in campaigns, newest first, with their next step and, for bounced and opted-out people, the remaining channels',
  },
  get_prospect: {
    operation: 'getProspect',
    title: 'Get a prospect',
    description:
      "Returns a prospect, by id or the person's name; `next` is the next step, when it is due and why it is held",
  },
  search: {
    operation: 'search',
    title: 'Search everything',
    description:
      'Finds people, companies, campaigns and conversations by keywords. Skip it if you have a full name: get_person, get_prospect, get_campaign, log_call, create_task and others accept names',
  },
  search_people: {
    operation: 'listPersons',
    title: 'Search people',
    description:
      'Lists people, newest first unless sorted, with last contact, last reply, opt-out and campaigns; get_person returns the rest',
    described: {
      query: 'Words in name, email, phone number or company',
      domain: 'Email domain',
      tag: 'Tag name',
      campaignId: 'Name or id',
      prospectStatus: 'Requires `campaignId`',
      ownerRepId: 'Name or id',
      lastContactedBefore: 'Includes people never contacted',
      lastContactedAfter: 'Inclusive',
      custom: 'Custom field, as `key:value`',
      sort: 'People never contacted sort as earliest',
      order: 'Defaults to `asc` for names, `desc` for times',
      excludeOptedOut: '',
    },
    omitted: ['email', 'createdSince', 'notContactedForDays', 'contactedWithinDays', 'intent'],
  },
  get_person: {
    operation: 'getPerson',
    title: 'Get a person',
    description:
      'Returns a person, by full name, email address or id, with campaigns and latest events. get_person_timeline returns earlier ones',
  },
  get_person_timeline: {
    operation: 'getPersonTimeline',
    title: 'Get the timeline of a person',
    description:
      'Lists everything that happened with a person, newest first. get_email_thread returns full texts',
    omitted: ['type'],
  },
  list_custom_fields: {
    operation: 'listCustomFields',
    title: 'List custom fields',
    description:
      'Lists the custom fields of people and companies. create_person and update_person accept values in `custom`; templates use the keys as variables',
  },
  list_companies: { operation: 'listCompanies', title: 'List companies' },
  get_company: {
    operation: 'getCompany',
    title: 'Get a company',
    description: 'Returns a company with its custom fields. search_people lists its people',
  },
  list_conversations: {
    operation: 'listConversations',
    title: 'List conversations',
    omitted: ['companyId'],
    described: {
      view: "`needs_reply`: awaiting your reply; `waiting`: awaiting the person's reply; `needs_approval`: drafts by assistants. Other views include answered conversations",
      assigneeId: 'Name or email address of a member',
      unassigned: '',
      query: 'Words in messages, name, email address or company',
      since: 'Last message at or after this time',
      until: 'Last message before this time',
      order: '`asc`: oldest first',
    },
    description:
      'Lists the conversations of the inbox, newest first by default. `drafts` counts drafts, and `draftText` previews the newest. get_email_thread or get_linkedin_conversation returns the messages',
  },
  list_email_messages: {
    operation: 'listEmailMessages',
    title: 'List email messages',
    described: {
      deliveryStatus: 'May or may not have been delivered',
      onlyLastMessagePerThread: '',
    },
    description:
      'Lists emails, newest first: replies (`type` received), drafts (`status` draft) or all emails of a thread, campaign or prospect. `answeredSince` means that your side has written after the draft. get_email_thread returns the whole conversation',
  },
  get_email_thread: {
    operation: 'getEmailThread',
    title: 'Get an email thread',
    description: 'Returns a conversation, oldest message first; read it before you draft an answer',
  },
  list_snippets: {
    operation: 'listSnippets',
    title: 'List snippets',
    description: 'Lists prepared texts for emails and messages',
    described: { personId: 'Renders the texts for this person', query: 'Words in the name or text' },
    omitted: ['isShared', 'repId'],
  },
  list_linkedin_messages: {
    operation: 'listLinkedinMessages',
    title: 'List LinkedIn messages',
    description: 'Lists messages sent and received on LinkedIn, or drafts (`status` draft)',
    described: { status: 'Defaults to `sent`' },
  },
  get_linkedin_conversation: {
    operation: 'getLinkedinConversation',
    title: 'Get a LinkedIn conversation',
  },
  list_tasks: {
    operation: 'listTasks',
    title: 'List tasks',
    description:
      'Lists tasks done by hand: LinkedIn invitations and messages, other manual steps and tasks of users. With `status` open, the earliest due come first; `repId` accepts the rep from whoami',
    omitted: ['canComplete', 'dueAfter'],
  },
  list_calls: {
    operation: 'listCalls',
    title: 'List calls',
    description: 'Lists calls with outcome and summary, newest first. get_call has the transcript',
    omitted: ['repId', 'outcome', 'since', 'until'],
  },
  get_call: { operation: 'getCall', title: 'Get a call' },
  list_meetings: {
    operation: 'listMeetings',
    title: 'List meetings',
    description:
      'Lists meetings, most recently recorded first; with `startsAfter` or `startsBefore`, earliest first',
    described: { startsAfter: 'Inclusive', startsBefore: '' },
    // `personId` also accepts the ID of a prospect.
    omitted: ['prospectId'],
  },
  list_assistants: {
    operation: 'listAssistants',
    title: 'List assistants',
    setting: 'assistantsMayRequestCalls',
  },
  list_reps: { operation: 'listReps', title: 'List reps' },
  list_mailboxes: {
    operation: 'listMailboxes',
    title: 'List mailboxes',
    description: 'Lists the mailboxes of reps with their sending limits and any failure',
  },
  list_domains: {
    operation: 'listDomains',
    title: 'List sending domains',
    description: 'Lists the domains of mailboxes with their DNS problems. check_domain repeats the check',
  },
  list_tags: { operation: 'listTags', title: 'List tags' },
  list_opt_outs: {
    operation: 'listOptOuts',
    title: 'List Do Not Contact entries',
    description: 'Lists Do Not Contact entries, newest first, with who added each and how (`source`)',
    described: {
      query: 'Words in the identifier or name',
      addedById: 'Name or email address of a member; not with `source`',
      since: 'Added at or after this time',
      until: 'Added before this time',
    },
    omitted: ['identifierType'],
  },
  get_campaign_knowledge: {
    operation: 'getCampaignKnowledge',
    title: 'Get the knowledge of a campaign',
    description: 'Returns the facts that the reply agent may state in its drafts',
  },
}
