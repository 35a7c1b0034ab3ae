import type { OperationName, RawInput } from '../../../src/contract/index.ts'
import type { World } from './world.ts'

type Requests = Partial<{ [N in OperationName]: RawInput<N>[] }>

/** Returns valid requests with the strings that `createRequests` omits. Each succeeds once per mark. */
export function createFullRequests(world: World, mark: string): Requests {
  const { campaignId, prospectId, repId, assistantId } = world
  const schedule = {
    windows: [{ days: ['mon' as const], from: '09:00', to: '17:00' }],
    timezone: 'Europe/London',
    holidays: ['2026-12-25'],
    earliest: '2026-12-01',
    latest: '2027-12-01',
  }
  const steps = [
    {
      channel: 'email' as const,
      variants: ['A', 'B'].map(name => ({ subject: `${name} ${mark}`, body: `Hi {{ firstName }}, ${name}` })),
    },
    { channel: 'call' as const, call: { assistantId, data: { about: mark } } },
    { channel: 'linkedin_message' as const, body: `Hello ${mark}` },
    { channel: 'linkedin_connect' as const, body: `Hello ${mark}` },
    { channel: 'task' as const, body: `Send flowers, ${mark}` },
  ]
  const contact = (name: string) => ({ name, email: `${name}@company-${mark}.example` })
  const recipients = { to: [contact('ada')], cc: [contact('ben')], bcc: [contact('cleo')] }
  const person = {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `ada@new-${mark}.example`,
    linkedinUrl: 'https://www.linkedin.com/in/ada-byron',
    phone: '+442079460991',
  }
  const callee = {
    ...{ name: 'Ada', email: 'ada@analytical.example', timezone: 'Europe/London', data: { about: mark } },
    callTransfer: {
      ...{ phoneNumber: '+442079460992', description: mark, message: mark, messageToReceiver: mark },
    },
  }
  const place = { city: 'London', state: 'England', country: 'United Kingdom' }
  const disclosure = `I am an AI assistant of ${mark}.`
  const assistant = {
    ...{ name: `Desk ${mark}`, fromNumber: '+442079460018', disclosure, firstMessage: mark },
    ...{ voicemailMessage: mark, transferNumber: '+442079460992', apiKey: `key ${mark}` },
  }
  const server = {
    host: `mail.${mark}.example`,
    port: 587,
    tls: 'starttls' as const,
    user: 'grace',
    password: 'secret',
  }
  const whsec = `whsec_${Buffer.alloc(32).toString('base64')}`
  const knowledge = { offer: mark, answers: mark, nextStep: mark, tone: mark }
  return {
    createCampaign: [{ name: `New ${mark}`, description: mark, repIds: [repId], schedule, steps }],
    updateCampaign: [{ campaignId, name: `Renamed ${mark}`, description: mark, schedule }],
    setCampaignSteps: [{ campaignId: world.pausedCampaignId, steps }],
    updateCampaignStep: [
      { campaignId, stepId: world.stepId, subject: mark, body: `Hi {{ firstName }}, ${mark}` },
    ],
    previewCampaign: [{ campaignId, person: { ...person, ...place, jobTitle: mark, company: mark } }],
    addProspectsToCampaign: [
      { campaignId, data: [{ ...person, jobTitle: mark, company: mark, note: mark }] },
    ],
    updateTag: [{ tagId: world.tagId, name: mark }],
    createCompany: [
      {
        name: mark,
        domain: `full-${mark}.example`,
        website: `https://${mark}.example`,
        industries: [mark],
        ...place,
      },
    ],
    updateCompany: [{ companyId: world.companyId, name: mark, industries: [mark], ...place }],
    createPerson: [
      {
        ...person,
        ...place,
        title: mark,
        timezone: 'Europe/London',
        company: mark,
        website: `www.${mark}.example`,
      },
    ],
    importPersons: [
      { rows: [{ ...person, ...place, title: mark, company: mark, website: `www.${mark}.example` }] },
    ],
    updatePerson: [{ personId: world.personId, ...person, ...place, title: mark, timezone: 'Europe/London' }],
    recordMeeting: [{ prospectId: world.meetingProspectId, startsAt: '2026-12-03T09:00:00Z', notes: mark }],
    updateMeeting: [{ meetingId: world.meetingId, startsAt: '2026-12-04T09:00:00Z', notes: mark }],
    createNote: [{ personId: world.personId, text: mark }],
    createSnippet: [{ name: mark, text: mark }],
    updateSnippet: [{ snippetId: world.snippetId, name: mark, text: mark }],
    createSavedView: [
      {
        kind: 'people',
        name: mark,
        filters: { query: mark, domain: `${mark}.example`, custom: `plan:${mark}` },
        columns: [mark],
      },
    ],
    updateSavedView: [
      { savedViewId: world.savedViewId, name: mark, filters: { tag: mark }, columns: [mark] },
    ],
    updateNote: [{ noteId: world.noteId, text: mark }],
    createCustomField: [{ key: `size${mark}`, label: mark, type: 'choice', choices: [mark] }],
    updateCustomField: [{ customFieldId: world.customFieldId, label: mark, choices: [mark] }],
    composeEmail: [
      {
        ...{ personId: world.personId, mailboxId: world.mailboxId, subject: mark, body: mark, draft: true },
        recipients: { ...recipients, to: [{ name: mark, email: `ada@company-${world.mark}.example` }] },
      },
    ],
    createEmailDraft: [
      { prospectId, emailMessageIdToReplyTo: world.receivedMessageId, subject: mark, body: mark, recipients },
    ],
    updateEmailDraft: [{ emailMessageId: world.draftMessageId, subject: mark, body: mark, recipients }],
    recordLinkedinMessage: [
      { prospectId, repId, type: 'received', text: mark, happenedAt: '2026-11-20T09:00:00Z' },
    ],
    updateLinkedinAccount: [
      {
        linkedinAccountId: world.linkedinAccountId,
        apiKey: mark,
        baseUrl: 'https://a.example/',
        providerAccountId: mark,
      },
    ],
    logCall: [
      {
        ...{ personId: world.personId, repId, callType: 'inbound', outcome: 'answered', notes: mark },
        ...{ phoneNumber: '+442079460991', startedAt: '2026-11-20T09:00:00Z', duration: 60 },
      },
    ],
    createTask: [
      {
        ...{ channel: 'call', title: mark, text: mark, dueAt: '2026-12-01T09:00:00Z' },
        ...{ personId: world.personId, repId },
      },
    ],
    completeTask: [{ taskId: world.openTaskId, text: mark }],
    skipTask: [{ taskId: world.openTaskId, reason: mark }],
    triggerAssistantCall: [{ assistantId, phoneNumber: '+442079460991', ...callee }],
    requestCall: [{ assistantId, phoneNumber: '+442079460992', reason: mark, ...callee }],
    createAssistant: [
      {
        ...{ ...assistant, provider: 'vapi', callbackSecret: mark },
        vapi: { assistantId: mark, phoneNumberId: mark },
      },
      { ...assistant, provider: 'retell', retell: { agentId: mark } },
      { ...assistant, provider: 'http', callbackSecret: whsec, http: { baseUrl: 'https://voice.example/' } },
    ],
    updateAssistant: [{ assistantId, name: mark, disclosure, firstMessage: mark, voicemailMessage: mark }],
    createRep: [{ name: mark, signature: mark, ownedById: world.caller.userId }],
    updateRep: [{ repId, name: mark, signature: mark }],
    createMailbox: [
      {
        ...{ repId, kind: 'smtp', email: `smtp@${mark}.example`, senderName: mark },
        ...{ smtp: server, imap: { ...server, port: 993, tls: 'implicit' } },
      },
    ],
    addOptOuts: [{ identifiers: [{ identifier: `never@${mark}.example`, name: mark }] }],
    recordConsent: [{ phoneNumber: '+442079460991', name: mark, kind: 'written', proof: mark, source: mark }],
    setSingleSignOn: [
      {
        ...{ issuer: `https://login.${mark}.example`, clientId: mark, clientSecret: mark },
        ...{ domain: `${mark}-signs-in.example`, newMemberRole: 'member' },
      },
    ],
    setReplyAgent: [
      { provider: 'openai_compatible', model: mark, baseUrl: `https://llm.${mark}.example/v1`, apiKey: mark },
    ],
    createWebhook: [{ url: `https://new.${mark}.example/`, eventTypes: ['email.sent'], description: mark }],
    updateWebhook: [{ webhookId: world.webhookId, url: `https://new.${mark}.example/`, description: mark }],
    updateCampaignKnowledge: [{ campaignId, ...knowledge }],
    updateAccount: [{ name: mark, timezone: 'Europe/London', postalAddress: mark, optOutLine: mark }],
  }
}
