import type { Definition } from './definition.ts'

/** The tools that find and read, in listing order. Assistants choose among them by these descriptions. */
export const readTools: Record<string, Definition> = {
  whoami: {
    operation: 'getMe',
    title: 'Who am I',
    description:
      'Returns the work that waits for the user, with the newest replies, first tasks and problems; also time, user, account, role and reps',
  },
  list_problems: {
    operation: 'listProblems',
    title: 'List problems',
    description:
      'Explains why little is sent: problems with their next steps, the state of each campaign, and work that waits for people',
  },
  list_campaigns: {
    operation: 'listCampaigns',
    title: 'List campaigns',
    omitted: ['sort', 'order'],
    described: { query: 'Words of the name', isArchived: 'Or only the others', numbers: 'With numbers' },
    description:
      'Lists campaigns; `numbers` adds prospects, replies and the next send. get_campaign has the steps, get_report more numbers',
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
      'Message and reply counts by step and variant, and outside of steps; `comparison` says whether a variant is proven to get more replies (`different`), is not (`no_difference`) or lacks data (`too_few`)',
    described: { from: 'First of `days`; defaults to 30 days ago', to: 'Last; defaults to today' },
  },
  get_report: {
    operation: 'getReport',
    title: 'Get a report',
    omitted: ['timezone'],
    description: 'Counts and rates of a period, in total and by `groupBy`. Missing numbers are 0',
  },
  forecast_campaign: {
    operation: 'forecastCampaign',
    title: 'Forecast a campaign',
    description:
      'Lists who would get which email when, if a campaign were launched or resumed now, and the limit that delays it; call it before a launch',
    omitted: ['horizonDays'],
  },
  preview_campaign: {
    operation: 'previewCampaign',
    title: 'Preview a campaign',
    shared: { person: 'create_person' },
    description:
      'Renders all steps, or one, as a prospect or an invented person would get them, with warnings. Sends nothing',
    hints: { idempotent: true },
  },
  list_prospects: {
    operation: 'listProspects',
    title: 'List prospects',
    described: { intent: 'Of the latest reply', personId: 'In all campaigns' },
    description:
      'Lists people enrolled in campaigns, newest first, by campaign, person, email address, status or intent of their reply, with the next step; bounced and opted-out ones with the channels that remain',
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
      'Finds people, companies, campaigns and conversations by keywords. With a full name, skip it: get_person, get_prospect, get_campaign, log_call, create_task and others accept names',
  },
  search_people: {
    operation: 'listPersons',
    title: 'Search people',
    description:
      'Lists people, newest first unless sorted. Each has last contact, last reply, opt-out and campaigns; get_person has the rest',
    described: {
      query: 'Words of names, email, phone number or company',
      domain: 'Email domain',
      tag: 'Name',
      campaignId: 'Name or id',
      prospectStatus: 'In that campaign',
      ownerRepId: 'Name or id',
      lastContactedBefore: 'Or never',
      lastContactedAfter: 'From then on',
      custom: '`key:value`',
      sort: 'Never counts as earliest',
      order: 'Names ascend, times descend',
      excludeOptedOut: 'Without opt-outs',
    },
    omitted: ['email', 'createdSince', 'notContactedForDays', 'contactedWithinDays', 'intent'],
  },
  get_person: {
    operation: 'getPerson',
    title: 'Get a person',
    description:
      'Returns a person, by full name, email address or id, with campaigns and what happened last. get_person_timeline has earlier entries',
  },
  get_person_timeline: {
    operation: 'getPersonTimeline',
    title: 'Get the timeline of a person',
    description: 'Everything that happened with a person, newest first. get_email_thread has the full texts',
    omitted: ['type'],
  },
  list_custom_fields: {
    operation: 'listCustomFields',
    title: 'List custom fields',
    description:
      'Fields that the account added to people. create_person and update_person accept values in `custom`; templates use the keys as variables',
  },
  list_companies: { operation: 'listCompanies', title: 'List companies' },
  get_company: {
    operation: 'getCompany',
    title: 'Get a company',
    description: 'Returns a company with its custom fields. search_people lists the people there',
  },
  list_conversations: {
    operation: 'listConversations',
    title: 'List conversations',
    omitted: ['companyId'],
    described: {
      view: '`needs_reply`: your turn, only unanswered ones; `waiting`: theirs; `needs_approval`: drafts of assistants. Others include answered ones',
      intent: 'Email replies only: LinkedIn replies are not classified',
      assigneeId: 'Name or email address of a member',
      unassigned: '',
      query: 'Words of messages or of the person',
      since: 'Last message at or after',
      until: 'Last message before',
      order: '`asc`: oldest first',
    },
    description:
      'The inbox, newest first by default; `view` needs_reply is what waits for an answer, `drafts` counts drafts and `draftText` previews the newest. get_email_thread or get_linkedin_conversation has the messages, update_conversations marks them',
  },
  list_email_messages: {
    operation: 'listEmailMessages',
    title: 'List email messages',
    described: {
      deliveryStatus: 'Awaits a decision',
      onlyLastMessagePerThread: 'The last of each thread',
    },
    description:
      'Lists emails, newest first: replies (`type` received), drafts (`status` draft; `answeredSince`: your side wrote since) or all of a thread, campaign or prospect. get_email_thread has the whole conversation, create_email_draft answers',
  },
  get_email_thread: {
    operation: 'getEmailThread',
    title: 'Get an email thread',
    description: 'Returns a conversation, oldest message first; read it before you draft an answer',
  },
  list_snippets: {
    operation: 'listSnippets',
    title: 'List snippets',
    description: 'Prepared texts for emails and messages',
    described: { personId: 'Fills in the variables and names what is missing', query: 'Words' },
    omitted: ['isShared', 'repId'],
  },
  list_linkedin_messages: {
    operation: 'listLinkedinMessages',
    title: 'List LinkedIn messages',
    description: 'Lists messages sent and received on LinkedIn, or drafts (`status` draft)',
  },
  get_linkedin_conversation: {
    operation: 'getLinkedinConversation',
    title: 'Get a LinkedIn conversation',
  },
  list_tasks: {
    operation: 'listTasks',
    title: 'List tasks',
    description:
      'Lists what reps do by hand: LinkedIn invitations and messages, other manual steps and tasks of users. `status` open lists the earliest due first, `dueBefore` those due by then; `repId` accepts the rep from whoami',
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
    description: 'Lists meetings, latest recorded first; for a period, soonest first',
    described: { startsAfter: 'Starts at or after', startsBefore: 'Starts before' },
    // `personId` takes prospects, too.
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
    description: 'Lists the mailboxes of reps with their sending limits, and why one fails',
  },
  list_domains: {
    operation: 'listDomains',
    title: 'List sending domains',
    description: 'Lists the domains of mailboxes with their DNS problems. check_domain checks again',
  },
  list_tags: { operation: 'listTags', title: 'List tags' },
  list_opt_outs: {
    operation: 'listOptOuts',
    title: 'List Do Not Contact entries',
    description: 'Lists who must not be contacted, newest first, with who added each and how (`source`)',
    described: {
      query: 'Words',
      addedById: 'Name or email address of a member; without `source`',
      since: 'Added at or after',
      until: 'Added before',
    },
    omitted: ['identifierType'],
  },
  get_campaign_knowledge: {
    operation: 'getCampaignKnowledge',
    title: 'Get the knowledge of a campaign',
    description: 'The facts that the reply agent may state in its drafts',
  },
}
