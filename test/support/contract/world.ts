import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { OperationName, RawInput } from '../../../src/contract/index.ts'
import { storeGrant } from '../../../src/server/domain/auth/grants.ts'
import { createSession } from '../../../src/server/domain/auth/sessions.ts'
import { claimExports } from '../../../src/server/domain/reports/claim-exports.ts'
import { writeExport } from '../../../src/server/domain/reports/write-export.ts'
import { type Caller, inSession, makeCaller, type TestApp } from '../app.ts'

/** IDs of one account's objects, named as in inputs. */
export type World = {
  caller: Caller
  /** Occurs in every string that users of this account wrote, and nowhere else. */
  mark: string
  /** A draft that can be launched. `draftCampaignId` is another draft, which tests may delete. */
  campaignId: string
  activeCampaignId: string
  draftCampaignId: string
  pausedCampaignId: string
  archivedCampaignId: string
  stepId: string
  variantId: string
  prospectId: string
  pausedProspectId: string
  personId: string
  /** A person in no campaign. */
  erasablePersonId: string
  duplicatePersonId: string
  noteId: string
  snippetId: string
  savedViewId: string
  meetingId: string
  meetingProspectId: string
  companyId: string
  customFieldId: string
  emailThreadId: string
  receivedMessageId: string
  sentMessageId: string
  draftMessageId: string
  unconfirmedMessageId: string
  linkedinConversationId: string
  repId: string
  mailboxId: string
  assistantId: string
  callId: string
  callRequestId: string
  consentId: string
  domainId: string
  optedOutEmail: string
  tag: string
  tagId: string
  apiTokenId: string
  sessionId: string
  memberId: string
  connectedAppId: string
  invitationId: string
  webhookId: string
  webhookDeliveryId: string
  openTaskId: string
  invitationTaskId: string
  linkedinDraftId: string
  conversationId: string
  linkedinAccountId: string
  exportId: string
}

type Ids = { prospectId: string; personId: string }

/** Creates objects of every kind in the caller's account. Uses SQL for objects that the API can't create. */
export async function makeWorld(app: TestApp, caller: Caller): Promise<World> {
  const mark = `m${randomBytes(5).toString('hex')}`
  const { call, accountId, userId } = caller
  await call('updateAccount', {
    name: `Acme ${mark}`,
    postalAddress: `1 High Street, ${mark}`,
    optOutLine: `Write "stop ${mark}" and we stop`,
    assistantsMayRequestCalls: true,
  })
  const { id: repId } = await call('createRep', { name: `Grace ${mark}`, ownedById: userId })
  const { id: mailboxId } = await call('createMailbox', {
    repId,
    kind: 'sandbox',
    email: `grace@${mark}.example`,
    senderName: `Grace ${mark}`,
  })
  await app.owner`
    insert into mailbox_aliases (account_id, mailbox_id, email, status, test_id, tested_at)
    values (${accountId}, ${mailboxId}, ${`alias@${mark}.example`}, 'verified', ${randomUUIDv7()}, now())`
  const makeCampaign = (state: string) =>
    call('createCampaign', {
      name: `${state} ${mark}`,
      repIds: [repId],
      steps: [{ subject: `Hello ${mark}`, body: `Hi {{ firstName }}, ${mark}` }],
    })
  const { id: campaignId, steps } = await makeCampaign('draft')
  const { id: draftCampaignId } = await makeCampaign('deleted')
  const { id: activeCampaignId } = await makeCampaign('active')
  const { id: pausedCampaignId } = await makeCampaign('paused')
  const { id: archivedCampaignId } = await makeCampaign('archived')
  const added = await call('addProspectsToCampaign', {
    campaignId,
    data: ['Ada', 'Ben'].map(firstName => ({
      firstName,
      lastName: mark,
      jobTitle: `Head of ${mark}`,
      company: `Company ${mark}`,
      email: `${firstName}@company-${mark}.example`,
    })),
  })
  const [{ prospectId, personId }, { prospectId: pausedProspectId }] = added.data as unknown as [Ids, Ids]
  await call('pauseProspect', { prospectId: pausedProspectId })
  for (const id of [activeCampaignId, pausedCampaignId]) await call('launchCampaign', { campaignId: id })
  await call('pauseCampaign', { campaignId: pausedCampaignId })
  await call('archiveCampaign', { campaignId: archivedCampaignId })
  const { companyId } = await call('getPerson', { personId })
  const { id: customFieldId, key } = await call('createCustomField', {
    ...{ key: `plan${mark}`, label: `Plan of ${mark}`, type: 'choice', choices: [`Free ${mark}`] },
  })
  await call('updatePerson', { personId, custom: { [key]: `Free ${mark}` } })
  const { id: erasablePersonId } = await call('createPerson', {
    firstName: 'Eve',
    lastName: mark,
    email: `eve@${mark}.example`,
  })
  const { id: duplicatePersonId } = await call('createPerson', {
    ...{ firstName: 'Dup', lastName: mark, email: `dup@duplicate-${mark}.example` },
  })
  const { id: noteId } = await call('createNote', { personId, text: `Met at ${mark}` })
  const addedForMeeting = await call('addProspectsToCampaign', {
    ...{ campaignId, data: [{ firstName: 'Mel', email: `mel@${mark}.example` }] },
  })
  const meetingProspectId = addedForMeeting.data[0]!.prospectId!
  const { id: snippetId } = await call('createSnippet', {
    ...{ name: `Greeting ${mark}`, text: `Hi {{ firstName }}, ${mark}`, isShared: true },
  })
  const { id: savedViewId } = await call('createSavedView', {
    ...{ kind: 'people', name: `View ${mark}`, filters: { query: mark }, columns: [mark], isShared: true },
  })
  const { id: meetingId } = await call('recordMeeting', {
    ...{ prospectId: meetingProspectId, startsAt: '2026-12-01T09:00:00Z', notes: mark },
  })
  const tasks = await storeTasks(app, caller, { campaignId: activeCampaignId, repId, mark })

  const from = { campaignId, prospectId, personId, repId, mailboxId, mark }
  const thread = await storeThread(app, caller.accountId, from)
  const linkedinConversationId = await storeConversation(app, caller.accountId, from)
  const { messageId: draftMessageId } = await call('createEmailDraft', {
    prospectId,
    emailMessageIdToReplyTo: thread.receivedMessageId,
    body: `Thursday suits me, ${mark}`,
  })
  const unconfirmedMessageId = await storeUnconfirmed(app, caller, { ...from, ...thread })
  const tag = `Tag ${mark}`
  await call('assignTags', { entityType: 'email_thread', entityId: thread.emailThreadId, tags: [tag] })
  await call('assignTags', {
    entityType: 'linkedin_conversation',
    entityId: linkedinConversationId,
    tags: [tag],
  })
  await call('assignTags', { entityType: 'person', entityId: personId, tags: [`Spare ${mark}`] })
  const { id: tagId } = (await call('listTags', {})).data.find(({ name }) => name === `Spare ${mark}`)!
  const { data: drafts } = await call('listLinkedinMessages', { status: 'draft' })
  const { id: linkedinDraftId, conversationId } = drafts[0]!
  const { id: linkedinAccountId } = await call('createLinkedinAccount', {
    ...{ repId, provider: 'unipile', baseUrl: 'https://api1.unipile.com:13111' },
    ...{ apiKey: `key ${mark}`, providerAccountId: 'account' },
  })
  const linkedin = { linkedinDraftId, conversationId: conversationId!, linkedinAccountId }
  const { id: assistantId } = await call('createAssistant', {
    name: `Desk ${mark}`,
    repId,
    fromNumber: '+442079460018',
    firstMessage: `Hello from ${mark}`,
  })
  const { callId } = await call('triggerAssistantCall', {
    assistantId,
    name: `Ada ${mark}`,
    phoneNumber: '+442079460990',
  })
  const { callRequestId } = await call('requestCall', {
    assistantId,
    name: `Ben ${mark}`,
    phoneNumber: '+442079460993',
    reason: `Asked for it, ${mark}`,
  })
  const { id: consentId } = await call('recordConsent', {
    phoneNumber: '+442079460990',
    kind: 'written',
    proof: `Form of ${mark}`,
  })
  const { id: domainId } = await call('createDomain', { domain: `${mark}-sends.example` })
  const optedOutEmail = `gone@${mark}.example`
  await call('addOptOuts', { identifiers: [{ identifier: optedOutEmail, name: `Gone ${mark}` }] })
  const { id: apiTokenId } = await call('createApiToken', { name: `Token ${mark}` })
  const now = app.now()
  const { id: sessionId } = await createSession(app.db.auth, { userId, address: '192.0.2.7', now })
  const connectedAppId = randomUUIDv7()
  await storeGrant(app.db.auth, {
    id: connectedAppId,
    accountId,
    userId,
    clientId: `client-${mark}`,
    clientName: `Assistant ${mark}`,
    clientHost: `${mark}.example`,
    scopes: ['outreach.read'],
    payload: {},
    expiresAt: new Date('2100-01-01'),
  })
  const { id: invitationId } = await call('inviteMember', { email: `new@${mark}.example`, role: 'member' })
  const { id: webhookId } = await call('createWebhook', {
    url: `https://${mark}.example/events`,
    eventTypes: ['prospect.*', 'opt_out.added'],
    description: `CRM ${mark}`,
  })
  const { id: webhookDeliveryId } = await call('testWebhook', { webhookId })
  await call('setReplyAgent', { ...createReplyAgent(mark), apiKey: `key ${mark}` })
  await call('updateCampaignKnowledge', { campaignId, offer: `We sell ${mark}` })
  await call('setMailClient', createMailClient(mark))
  await inSession(caller).call('setSingleSignOn', {
    ...createSingleSignOn(mark),
    clientSecret: `secret ${mark}`,
  })
  const { id: exportId } = await call('exportData', { kind: 'persons' })
  await writeExports(app)
  const { userId: memberId } = await makeCaller(app, 'member', caller.accountId)
  return {
    caller,
    mark,
    campaignId,
    activeCampaignId,
    draftCampaignId,
    pausedCampaignId,
    archivedCampaignId,
    stepId: steps[0]!.id,
    variantId: steps[0]!.variants[0]!.id,
    prospectId,
    pausedProspectId,
    personId,
    erasablePersonId,
    duplicatePersonId,
    noteId,
    snippetId,
    savedViewId,
    meetingId,
    meetingProspectId,
    companyId: companyId!,
    customFieldId,
    ...thread,
    draftMessageId,
    unconfirmedMessageId,
    linkedinConversationId,
    repId,
    mailboxId,
    assistantId,
    callId,
    callRequestId,
    consentId,
    domainId,
    optedOutEmail,
    tag,
    tagId,
    apiTokenId,
    sessionId,
    memberId,
    connectedAppId,
    invitationId,
    webhookId,
    webhookDeliveryId,
    ...tasks,
    ...linkedin,
    exportId,
  }
}

/** Writes the exports that were started, as the engine does. */
export async function writeExports(app: TestApp): Promise<void> {
  const claims = await claimExports(app.db.engine, { now: app.now(), limit: 10, leaseMs: 60_000 })
  for (const claim of claims) await writeExport(app, claim, new AbortController().signal)
}

const createReplyAgent = (mark: string) => ({
  provider: 'openai_compatible' as const,
  model: `model of ${mark}`,
  baseUrl: `https://llm.${mark}.example/v1`,
})

const createMailClient = (mark: string) => ({
  kind: 'google' as const,
  clientId: `client-${mark}`,
  secret: `secret ${mark}`,
  publishingStatus: 'internal' as const,
})

const createSingleSignOn = (mark: string) => ({
  issuer: `https://login.${mark}.example`,
  clientId: `client ${mark}`,
  domain: `${mark}-signs-in.example`,
  newMemberRole: 'member' as const,
})

type Origin = Pick<World, 'campaignId' | 'prospectId' | 'personId' | 'repId' | 'mailboxId' | 'mark'>

/** Stores a thread with a campaign email and a reply. */
async function storeThread({ owner }: TestApp, accountId: string, from: Origin) {
  const emailThreadId = randomUUIDv7()
  const [sentMessageId, receivedMessageId] = [randomUUIDv7(), randomUUIDv7()]
  const ids = { account_id: accountId, campaign_id: from.campaignId, prospect_id: from.prospectId }
  const subject = `Hello ${from.mark}`
  const rep = { name: `Grace ${from.mark}`, email: `grace@${from.mark}.example` }
  const person = { name: `Ada ${from.mark}`, email: `ada@company-${from.mark}.example` }
  const messageIds = [sentMessageId, receivedMessageId].map(id => `<${id}@${from.mark}.example>`) as [
    string,
    string,
  ]
  await owner`
    insert into email_threads ${owner.rows({
      ...ids,
      id: emailThreadId,
      subject,
      person_id: from.personId,
      rep_id: from.repId,
      mailbox_id: from.mailboxId,
    })}`
  const shared = { ...ids, thread_id: emailThreadId, rep_id: from.repId, mailbox_id: from.mailboxId }
  await owner`
    insert into email_messages ${owner.rows([
      {
        ...shared,
        id: sentMessageId,
        type: 'campaign',
        status: 'sent',
        subject,
        body: `Hi Ada, ${from.mark}`,
        sender: owner.json(rep),
        recipients: owner.json({ to: [person] }),
        message_id: messageIds[0],
        in_reply_to: null,
        reference_ids: [] as string[],
        sent_at: new Date('2026-11-19T09:00:00.000Z'),
        is_last: false,
      },
      {
        ...shared,
        id: receivedMessageId,
        type: 'received',
        status: 'sent',
        subject: `Re: ${subject}`,
        body: `Yes please, ${from.mark}`,
        sender: owner.json(person),
        recipients: owner.json({ to: [rep] }),
        message_id: messageIds[1],
        in_reply_to: messageIds[0],
        reference_ids: [messageIds[0]],
        sent_at: new Date('2026-11-20T09:00:00.000Z'),
        is_last: true,
      },
    ])}`
  return { emailThreadId, sentMessageId, receivedMessageId }
}

/** Stores a sent LinkedIn invitation and an open LinkedIn message task. */
async function storeTasks(
  { owner }: TestApp,
  { call, accountId }: Caller,
  { mark, ...ids }: Pick<World, 'campaignId' | 'repId' | 'mark'>,
) {
  const data = [{ firstName: 'Cleo', linkedinUrl: `linkedin.com/in/cleo-${mark}` }]
  const { data: added } = await call('addProspectsToCampaign', { campaignId: ids.campaignId, data })
  const { prospectId, personId } = added[0] as unknown as Ids
  await owner`update prospects set status = 'active', rep_id = ${ids.repId}, next_step_at = null where id = ${prospectId}`
  const [openTaskId, invitationTaskId] = [randomUUIDv7(), randomUUIDv7()]
  const from = { account_id: accountId, rep_id: ids.repId, campaign_id: ids.campaignId }
  const shared = {
    ...from,
    prospect_id: prospectId,
    person_id: personId,
    due_at: new Date(),
    text: `Hi ${mark}`,
  }
  const createTask = () => ({ ...shared, step_id: randomUUIDv7() })
  await owner`
    insert into tasks ${owner.rows([
      { ...createTask(), id: openTaskId, channel: 'linkedin_message', status: 'open', ended_at: null },
      {
        ...createTask(),
        id: invitationTaskId,
        channel: 'linkedin_connect',
        status: 'completed',
        ended_at: new Date(),
      },
    ])}`
  return { openTaskId, invitationTaskId }
}

/** Stores a manual reply whose SMTP connection broke after the final dot. */
async function storeUnconfirmed(
  { owner }: TestApp,
  { call, accountId }: Caller,
  { prospectId, receivedMessageId, mailboxId, mark }: Origin & Pick<World, 'receivedMessageId'>,
): Promise<string> {
  const { messageId } = await call('createEmailDraft', {
    prospectId,
    emailMessageIdToReplyTo: receivedMessageId,
    body: `Did you get this, ${mark}?`,
  })
  await owner`update email_messages set delivery_status = 'unconfirmed' where id = ${messageId}`
  await owner`
    insert into email_sends ${owner.rows({
      account_id: accountId,
      message_id: messageId,
      mailbox_id: mailboxId,
      state: 'unconfirmed',
      recipient_emails: [`ada@company-${mark}.example`],
    })}`
  return messageId
}

async function storeConversation({ owner }: TestApp, accountId: string, from: Origin): Promise<string> {
  const id = randomUUIDv7()
  const ids = {
    account_id: accountId,
    campaign_id: from.campaignId,
    prospect_id: from.prospectId,
    rep_id: from.repId,
    conversation_id: `2-${from.mark}`,
  }
  await owner`insert into linkedin_conversations ${owner.rows({ ...ids, id, person_id: from.personId })}`
  const message = (type: string, status: string, isUnread: boolean, hour: number) => ({
    ...ids,
    id: randomUUIDv7(),
    conversation_record_id: id,
    text: `${type} ${status} ${from.mark}`,
    type,
    status,
    is_unread: isUnread,
    happened_at: new Date(Date.UTC(2026, 10, 20, hour)),
  })
  await owner`
    insert into linkedin_messages ${owner.rows([
      message('manual', 'sent', false, 9),
      message('received', 'sent', true, 10),
      message('reply_agent', 'draft', false, 11),
    ])}`
  return id
}

/** Returns a valid request by the world's owner for every operation, with as many IDs as possible. */
export function createRequests(world: World): { [N in OperationName]: RawInput<N> } {
  const { mark, campaignId, prospectId, repId, mailboxId, assistantId, emailThreadId, personId, companyId } =
    world
  const { webhookId, callRequestId } = world
  const { userId } = world.caller
  const tagging = { entityType: 'email_thread' as const, entityId: emailThreadId, tags: [world.tag] }
  const messages = { campaignId, prospectId, repId, tag: world.tag }
  const steps = [{ subject: `Hello ${mark}`, body: `Hi {{ firstName }}, ${mark}` }]
  return {
    listCampaigns: { status: ['draft', 'active'], isArchived: false, numbers: true },
    createCampaign: { name: `New ${mark}`, repIds: [repId], steps },
    listSequenceTemplates: {},
    getCampaign: { campaignId },
    getCampaignStats: { campaignId, from: '2026-11-01', to: '2026-11-30' },
    forecastCampaign: { campaignId, horizonDays: 90 },
    getReport: { groupBy: 'step', compare: true, campaignId, repId, mailboxId },
    updateCampaign: { campaignId, name: `Renamed ${mark}`, repIds: [repId] },
    setCampaignSteps: { campaignId, steps },
    updateCampaignStep: { campaignId, stepId: world.stepId, body: `Hello {{ firstName }}, ${mark}` },
    previewCampaign: { campaignId, stepId: world.stepId, variantId: world.variantId, prospectId },
    sendTestEmail: { campaignId, stepId: world.stepId, prospectId },
    duplicateCampaign: { campaignId, name: `Copy ${mark}` },
    deleteCampaign: { campaignId: world.draftCampaignId },
    launchCampaign: { campaignId },
    pauseCampaign: { campaignId: world.activeCampaignId },
    resumeCampaign: { campaignId: world.pausedCampaignId },
    archiveCampaign: { campaignId: world.pausedCampaignId },
    unarchiveCampaign: { campaignId: world.archivedCampaignId },
    addProspectsToCampaign: { campaignId, data: [{ email: `new@${mark}.example` }] },
    importProspects: { campaignId, csv: `Email\nimported@${mark}.example\n` },
    listProspects: { campaignId },
    listCampaignProspects: { campaignId, status: 'pending' },
    getProspect: { prospectId },
    pauseProspect: { prospectId },
    resumeProspect: { prospectId: world.pausedProspectId },
    pauseProspects: { prospectIds: [prospectId], expectedPeople: 1 },
    resumeProspects: { prospectIds: [world.pausedProspectId], expectedPeople: 1 },
    stopProspects: { prospectIds: [world.pausedProspectId] },
    moveProspects: { prospectIds: [world.pausedProspectId], campaignId: world.activeCampaignId },
    search: { query: mark },
    listPersons: { companyId },
    getPerson: { personId },
    getPersonTimeline: { personId },
    createPerson: { firstName: `New ${mark}`, email: `created@${mark}.example` },
    listMeetings: {
      prospectId,
      personId,
      campaignId,
      startsAfter: '2000-01-01T00:00:00Z',
      startsBefore: '2100-01-01T00:00:00Z',
    },
    recordMeeting: {
      prospectId: world.meetingProspectId,
      startsAt: '2026-12-02T09:00:00Z',
      notes: `Meets ${mark}`,
    },
    updateMeeting: { meetingId: world.meetingId, notes: `Moved ${mark}` },
    cancelMeeting: { meetingId: world.meetingId },
    listMeetingWebhooks: {},
    setMeetingWebhook: { provider: 'cal_com', signingSecret: `secret of ${mark}` },
    listNotes: { personId },
    createNote: { personId, text: `Likes ${mark}` },
    updateNote: { noteId: world.noteId, text: `Loves ${mark}` },
    deleteNote: { noteId: world.noteId },
    exportPerson: { personId },
    importPersons: { csv: `First Name,Email\nIm ${mark},im@${mark}.example\n`, tags: [`Tag ${mark}`] },
    mergePersons: {
      ...{ personId, duplicateIds: [world.duplicatePersonId], expectedNames: [`Dup ${mark}`] },
    },
    erasePerson: { personId: world.erasablePersonId, expectedPerson: `eve@${mark}.example` },
    updatePerson: { personId, title: `Chief of ${mark}` },
    listCustomFields: {},
    createCustomField: { key: `created${mark}`, label: `New ${mark}`, type: 'text' },
    updateCustomField: { customFieldId: world.customFieldId, label: `Renamed ${mark}` },
    deleteCustomField: { customFieldId: world.customFieldId },
    listCompanies: { domain: `company-${mark}.example` },
    createCompany: { name: `New company ${mark}` },
    getCompany: { companyId },
    updateCompany: { companyId, city: `City of ${mark}` },
    listConversations: { campaignId, personId, companyId },
    getConversation: { conversationId: emailThreadId },
    getConversationCounts: { campaignId, personId, companyId },
    updateConversations: { conversationIds: [emailThreadId], status: 'done', addTags: [`Done ${mark}`] },
    listEmailMessages: { emailThreadId, ...messages, status: 'sent' },
    getEmailMessage: { emailMessageId: world.receivedMessageId },
    getEmailThread: { emailThreadId },
    composeEmail: { personId, mailboxId, subject: `Question ${mark}`, body: `Hello, ${mark}` },
    createEmailDraft: {
      prospectId,
      emailMessageIdToReplyTo: world.receivedMessageId,
      body: `Thank you, ${mark}`,
    },
    updateEmailDraft: { emailMessageId: world.draftMessageId, body: `Thank you again, ${mark}` },
    deleteEmailDraft: { emailMessageId: world.draftMessageId },
    sendEmailDraft: { emailMessageId: world.draftMessageId, force: true },
    resolveEmailMessage: { emailMessageId: world.unconfirmedMessageId, as: 'sent' },
    listSnippets: { personId, repId, isShared: true },
    getSnippet: { snippetId: world.snippetId, personId, repId },
    createSnippet: { name: `New ${mark}`, text: `Hello {{ firstName }}, ${mark}` },
    updateSnippet: { snippetId: world.snippetId, text: `Dear {{ firstName }}, ${mark}` },
    deleteSnippet: { snippetId: world.snippetId },
    getNotificationSettings: {},
    updateNotificationSettings: { kinds: { reply: { isInApp: true, email: 'digest' } }, digestHour: 7 },
    listNotifications: { unread: true },
    readNotifications: {},
    listSavedViews: { kind: 'people', isShared: true },
    createSavedView: { kind: 'people', name: `New ${mark}`, filters: { query: mark } },
    updateSavedView: { savedViewId: world.savedViewId, name: `Renamed ${mark}`, filters: { tag: mark } },
    deleteSavedView: { savedViewId: world.savedViewId },
    listLinkedinMessages: { ...messages, unread: true },
    getLinkedinConversation: { linkedinConversationId: world.linkedinConversationId },
    recordLinkedinMessage: { prospectId, repId, type: 'received', text: `Yes, ${mark}` },
    importLinkedinMessages: {
      ...{ repId, profileUrl: 'linkedin.com/in/grace-hopper' },
      csv: 'CONVERSATION ID,FROM,SENDER PROFILE URL,DATE,CONTENT\n',
    },
    markLinkedinConversationRead: { conversationId: world.conversationId },
    createLinkedinDraft: { prospectId, repId, text: `Friday, ${mark}` },
    updateLinkedinDraft: { linkedinMessageId: world.linkedinDraftId, text: `Monday, ${mark}` },
    deleteLinkedinDraft: { linkedinMessageId: world.linkedinDraftId },
    sendLinkedinDraft: { linkedinMessageId: world.linkedinDraftId },
    listLinkedinAccounts: {},
    createLinkedinAccount: { repId, provider: 'webhook' },
    updateLinkedinAccount: { linkedinAccountId: world.linkedinAccountId, apiKey: `new key ${mark}` },
    deleteLinkedinAccount: { linkedinAccountId: world.linkedinAccountId },
    listEvents: { types: ['prospect.*'] },
    listTasks: {
      repId,
      status: 'open',
      canComplete: true,
      dueAfter: '2000-01-01T00:00:00Z',
      dueBefore: '2100-01-01T00:00:00Z',
    },
    getTask: { taskId: world.openTaskId },
    createTask: { channel: 'call', title: `Call ${mark}`, dueAt: '2026-12-01T09:00:00Z', personId, repId },
    updateTask: { taskId: world.openTaskId, dueAt: '2026-12-02T09:00:00Z' },
    completeTask: { taskId: world.openTaskId, text: `Hello, ${mark}` },
    skipTask: { taskId: world.openTaskId },
    acceptTask: { taskId: world.invitationTaskId },
    listTags: {},
    updateTag: { tagId: world.tagId, name: `Renamed tag ${mark}` },
    deleteTag: { tagId: world.tagId },
    assignTags: tagging,
    unassignTags: tagging,
    triggerAssistantCall: { assistantId, name: `Ada ${mark}`, phoneNumber: '+442079460991' },
    listCalls: {
      ...{ assistantId, repId, outcome: 'answered', since: '2000-01-01T00:00:00Z' },
      until: '2100-01-01T00:00:00Z',
    },
    getCall: { callId: world.callId },
    cancelCall: { callId: world.callId },
    logCall: { personId, repId, outcome: 'answered', phoneNumber: '+442079460990', notes: `Yes, ${mark}` },
    getCallPolicies: { phoneNumber: '+442079460990' },
    requestCall: {
      assistantId,
      name: `Ben ${mark}`,
      phoneNumber: '+442079460992',
      reason: `Please, ${mark}`,
    },
    listCallRequests: { status: 'waiting' },
    getCallRequest: { callRequestId },
    approveCallRequest: { callRequestId },
    declineCallRequest: { callRequestId, reason: `Not now, ${mark}` },
    listConsents: { phoneNumber: '+442079460990' },
    recordConsent: {
      phoneNumber: '+442079460991',
      name: `Ada ${mark}`,
      kind: 'written',
      proof: `Form of ${mark}`,
    },
    withdrawConsent: { consentId: world.consentId, reason: `By mail to ${mark}` },
    listAssistants: {},
    getAssistant: { assistantId },
    createAssistant: { name: `Desk ${mark}`, repId, fromNumber: '+442079460019' },
    updateAssistant: { assistantId, name: `Night desk ${mark}` },
    verifyAssistant: { assistantId },
    listReps: {},
    createRep: { name: `Rep ${mark}`, ownedById: userId },
    getRep: { repId },
    updateRep: { repId, name: `Rep ${mark}`, ownedById: userId },
    exportData: { kind: 'prospects' },
    getExport: { exportId: world.exportId },
    deleteExport: { exportId: world.exportId },
    listMailboxes: { repId },
    createMailbox: { repId, kind: 'sandbox', email: `second@${mark}.example` },
    getMailbox: { mailboxId },
    updateMailbox: { mailboxId, senderName: `Grace H. ${mark}` },
    deleteMailbox: { mailboxId },
    verifyMailbox: { mailboxId },
    discoverMailSettings: { email: `grace@${mark}.example` },
    resumeMailbox: { mailboxId },
    addMailboxAlias: { mailboxId, email: `sales@${mark}.example` },
    removeMailboxAlias: { mailboxId, email: `alias@${mark}.example` },
    connectMailbox: { mailboxId, provider: 'google' },
    completeMailboxConnection: { state: `state-${mark}`, code: `code-${mark}` },
    listMailClients: {},
    setMailClient: createMailClient(mark),
    deleteMailClient: { kind: 'google' },
    addOptOuts: { identifiers: [{ identifier: `never@${mark}.example` }] },
    listDomains: {},
    createDomain: { domain: `new-${mark}.example` },
    getDomain: { domainId: world.domainId },
    checkDomain: { domainId: world.domainId },
    getDmarcResults: { domainId: world.domainId },
    createDkimKey: { domainId: world.domainId },
    deleteDomain: { domainId: world.domainId },
    importConsents: { csv: `Phone,Kind,Proof\n+14155550177,written,Form of ${mark}\n` },
    importOptOuts: { csv: `Email\nimported-never@${mark}.example\n` },
    listOptOuts: { identifierType: 'email' },
    removeOptOut: { identifier: world.optedOutEmail },
    listMembers: {},
    updateMember: { memberId: world.memberId, role: 'viewer' },
    removeMember: { memberId: world.memberId },
    listInvitations: {},
    inviteMember: { email: `another@${mark}.example`, role: 'member' },
    revokeInvitation: { invitationId: world.invitationId },
    getSingleSignOn: {},
    setSingleSignOn: createSingleSignOn(mark),
    verifySingleSignOn: {},
    deleteSingleSignOn: {},
    listAuditLog: { userId: world.memberId, auditedType: 'campaign' },
    listWebhooks: {},
    createWebhook: { url: `https://new.${mark}.example/`, eventTypes: ['email.sent'] },
    getWebhook: { webhookId },
    updateWebhook: { webhookId, description: `Desk ${mark}` },
    deleteWebhook: { webhookId },
    rotateWebhookSecret: { webhookId },
    testWebhook: { webhookId },
    listWebhookDeliveries: { webhookId, status: 'pending' },
    replayWebhook: { webhookId, deliveryId: world.webhookDeliveryId },
    getReplyAgent: {},
    setReplyAgent: createReplyAgent(mark),
    verifyReplyAgent: {},
    deleteReplyAgent: {},
    getReplyAgentUsage: { from: '2026-11-01T00:00:00Z' },
    getCampaignReplyUsage: { campaignId },
    getCampaignKnowledge: { campaignId },
    updateCampaignKnowledge: { campaignId, tone: `Like ${mark}` },
    getMe: {},
    listProblems: {},
    updateUser: { name: `Ada of ${mark}` },
    listApiTokens: {},
    createApiToken: { name: `Another token ${mark}` },
    revokeApiToken: { apiTokenId: world.apiTokenId },
    listSessions: {},
    endSession: { sessionId: world.sessionId },
    listConnectedApps: {},
    disconnectApp: { connectedAppId: world.connectedAppId },
    getAccount: {},
    pauseSending: { reason: `Pause ${mark}` },
    resumeSending: {},
    updateAccount: { name: `Acme ${mark}` },
  }
}
