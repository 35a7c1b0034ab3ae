import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import {
  type Caller,
  createCaller,
  inSession,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../support/app.ts'
import { createRequests, makeWorld, type World } from '../support/contract/world.ts'

/** Writes that cause no message to be sent, by reason. */
const writesWithoutSends: Record<string, string> = {
  'drafts, content and records': `createCampaign duplicateCampaign deleteCampaign archiveCampaign unarchiveCampaign createPerson erasePerson createCompany
    createNote updateNote deleteNote createCustomField updateCustomField deleteCustomField updateConversations createEmailDraft updateEmailDraft
    deleteEmailDraft createSnippet updateSnippet deleteSnippet createSavedView updateSavedView deleteSavedView recordLinkedinMessage
    importLinkedinMessages markLinkedinConversationRead
    createLinkedinDraft updateLinkedinDraft deleteLinkedinDraft recordMeeting updateMeeting cancelMeeting createTask updateTask assignTags
    unassignTags updateTag deleteTag logCall createRep exportData deleteExport`,
  "sends only to the user's own address": 'sendTestEmail',
  'previews or checks':
    'previewCampaign verifyMailbox discoverMailSettings checkDomain verifyReplyAgent verifySingleSignOn verifyAssistant',
  'calls have their own rules': `triggerAssistantCall cancelCall requestCall approveCallRequest declineCallRequest createAssistant
    updateAssistant recordConsent importConsents withdrawConsent`,
  'users, access and integrations': `updateMember removeMember inviteMember revokeInvitation createWebhook updateWebhook deleteWebhook
    rotateWebhookSecret testWebhook replayWebhook setMeetingWebhook setSingleSignOn deleteSingleSignOn updateUser updateNotificationSettings readNotifications createApiToken revokeApiToken
    endSession disconnectApp createDomain deleteDomain createDkimKey deleteMailClient`,
  // These come last, because the other writes must be tested while something can still be sent.
  'stops something': `pauseCampaign pauseProspect pauseProspects stopProspects pauseSending addOptOuts importOptOuts deleteMailbox removeMailboxAlias deleteLinkedinAccount
    deleteReplyAgent`,
}
const namesOfWritesWithoutSends = Object.values(writesWithoutSends).flatMap(names =>
  names.split(/\s+/),
) as OperationName[]
const writes = (Object.entries(operations) as [OperationName, Operation][]).filter(
  ([, { method }]) => method !== 'GET',
)
const outsideWrites = writes.filter(([, { reachesOutside }]) => reachesOutside).map(([name]) => name)
const draftingWrites: OperationName[] = ['composeEmail', 'sendEmailDraft', 'sendLinkedinDraft']

let app: TestApp
let owner: Caller
let assistant: Caller
let world: World
let requests: ReturnType<typeof createRequests>
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  world = await makeWorld(app, owner)
  assistant = createCaller(app, { ...owner, actor: `oauth:${world.connectedAppId}` })
  requests = createRequests(world)
  await owner.call('updateAccount', { assistantSendsNeedApproval: true })
})
afterAll(() => app[Symbol.asyncDispose]())

const callAsAssistant = (name: OperationName, input: object = requests[name]) =>
  assistant.call(name, input as RawInput<typeof name>)

/** Returns everything that may be sent: queued messages, and prospects whose sequence continues. */
async function listOutgoing(): Promise<string[]> {
  const rows = await app.owner<{ id: string }[]>`
    select message_id::text as id from email_sends where account_id = ${owner.accountId} and state = 'queued'
    union all
    select t.linkedin_message_id::text from tasks t
     where t.account_id = ${owner.accountId} and t.linkedin_message_id is not null and t.status = 'open'
    union all
    select r.id || ' ' || r.steps_done
      from prospects r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join accounts a on a.id = r.account_id
     where r.account_id = ${owner.accountId} and c.status = 'active' and a.sending_paused_at is null
       and r.status in ('pending', 'active', 'out_of_office')`
  return rows.map(({ id }) => id).sort()
}

it('every write declares reachesOutside or is listed as one that sends nothing', () => {
  expect([...outsideWrites, ...namesOfWritesWithoutSends].sort()).toEqual(writes.map(([name]) => name).sort())
})

describe('while a person approves what assistants send,', () => {
  it.each(outsideWrites.filter(name => !draftingWrites.includes(name)))(
    'an assistant cannot use %s',
    async name => {
      const { campaignId, activeCampaignId } = world
      const before = await listOutgoing()
      const [{ personId } = { personId: '' }] = await app.owner<{ personId: string }[]>`
      select person_id as "personId" from prospects where campaign_id = ${activeCampaignId} limit 1`
      await app.owner`update persons set company_id = ${world.companyId} where id = ${personId}`
      const { reachesOutside }: Operation = operations[name]
      const input = {
        ...requests[name],
        ...(reachesOutside === 'launched_campaign' && { campaignId: activeCampaignId }),
        ...(name === 'updatePerson' && { personId }),
        ...(name === 'acceptTask' && { taskId: world.invitationTaskId }),
      }
      await expect(callAsAssistant(name, input)).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining('a person approves what assistants send'),
      })
      expect(await listOutgoing()).toEqual(before)
      if (reachesOutside === 'launched_campaign' && name !== 'moveProspects')
        await expect(callAsAssistant(name, { ...requests[name], campaignId })).resolves.toBeTruthy()
    },
  )

  it('emails and LinkedIn messages of assistants become drafts that only a signed-in person can send', async () => {
    const before = await listOutgoing()
    const sendAt = new Date(app.now().getTime() + 86_400_000).toISOString()
    const composed = await assistant.call('composeEmail', { ...requests.composeEmail, sendAt })
    const by = `Assistant ${world.mark} (${world.mark}.example)`
    expect(composed).toMatchObject({ status: 'draft', approvalRequest: { by, sendAt } })
    const reply = await assistant.call('sendEmailDraft', requests.sendEmailDraft)
    const linkedin = await assistant.call('sendLinkedinDraft', requests.sendLinkedinDraft)
    expect(reply.approvalRequest).toEqual({ at: expect.any(String), by })
    expect(linkedin.approvalRequest).toEqual({ at: expect.any(String), by })
    expect(await listOutgoing()).toEqual(before)

    const { data } = await owner.call('listConversations', { view: 'needs_approval' })
    expect(data.flatMap(({ draftIds }) => draftIds)).toEqual(
      expect.arrayContaining([composed.id, reply.id, linkedin.id]),
    )
    expect(data).toHaveLength(3)
    expect(data.every(({ needsApproval }) => needsApproval)).toBe(true)
    expect((await owner.call('getConversationCounts', {})).needsApproval).toBe(3)
    // Events are hidden while any older transaction of the server is open.
    await vi.waitFor(async () => {
      const events = await owner.call('listEvents', {
        types: ['email.approval_requested', 'linkedin.approval_requested'],
        limit: 100,
      })
      expect(events.data).toHaveLength(3)
    }, 60_000)

    const asProgram = () => owner.call('sendEmailDraft', { emailMessageId: composed.id })
    await expect(asProgram()).rejects.toMatchObject({ code: 'Forbidden' })
    const person = inSession(owner)
    const sent = [
      await person.call('sendEmailDraft', { emailMessageId: composed.id, allowNewRecipients: true }),
      await person.call('sendEmailDraft', { emailMessageId: reply.id, force: true }),
      await person.call('sendLinkedinDraft', { linkedinMessageId: linkedin.id, force: true }),
    ]
    for (const message of sent) expect(message.approvalRequest).toBeUndefined()
    expect((await listOutgoing()).length).toBeGreaterThan(before.length)
    expect((await owner.call('listConversations', { view: 'needs_approval' })).data).toEqual([])
  })

  it('a changed draft no longer waits for approval', async () => {
    const { id: emailMessageId } = await assistant.call('composeEmail', requests.composeEmail)
    const changed = await owner.call('updateEmailDraft', { emailMessageId, body: 'Hello again' })
    expect(changed.approvalRequest).toBeUndefined()
    await owner.call('deleteEmailDraft', { emailMessageId })
  })

  it('a draft that could not be sent is rejected immediately', async () => {
    const email = `never-${randomUUIDv7()}@navy.example`
    const { id: personId } = await owner.call('createPerson', { email })
    await owner.call('addOptOuts', { identifiers: [{ identifier: email }] })
    await expect(
      assistant.call('composeEmail', { ...requests.composeEmail, personId }),
    ).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('Do Not Contact') })
    const drafted = await assistant.call('composeEmail', { ...requests.composeEmail, draft: true })
    expect(drafted.approvalRequest).toBeUndefined()
  })

  it('an assistant cannot fill in details of people whom a launched campaign may still contact, or of their companies', async () => {
    const { campaignId, activeCampaignId, mark } = world
    const ada = { linkedinUrl: `https://www.linkedin.com/in/ada-${mark}`, firstName: 'Ada' }
    const grace = { email: `grace@nameless-${mark}.example` }
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId: activeCampaignId,
      data: [ada, grace],
    })
    await app.owner`
      update prospects set status = 'failed', status_reason = 'no_email', next_step_at = null where id = ${data[0]!.prospectId!}`
    const { id: personId } = await owner.call('createPerson', { email: `alan@${mark}.example` })
    const before = await listOutgoing()
    const forbidden = {
      code: 'Forbidden',
      message: expect.stringContaining('a person approves what assistants send'),
    }
    const addToDraft = (...elements: Record<string, string>[]) =>
      assistant.call('addProspectsToCampaign', { campaignId, data: elements })
    await expect(addToDraft({ ...ada, email: `chosen@${mark}.example` })).rejects.toMatchObject(forbidden)
    const csv = `LinkedIn URL,Email\n${ada.linkedinUrl},chosen@${mark}.example\n`
    await expect(assistant.call('importProspects', { campaignId, csv })).rejects.toMatchObject(forbidden)

    const named = { company: 'Chosen words', website: `https://nameless-${mark}.example` }
    const colleague = { ...named, email: `bob@nameless-${mark}.example` }
    await expect(addToDraft(colleague)).rejects.toMatchObject(forbidden)
    await expect(assistant.call('createPerson', colleague)).rejects.toMatchObject(forbidden)
    await expect(assistant.call('updatePerson', { personId, ...named })).rejects.toMatchObject(forbidden)

    expect(await listOutgoing()).toEqual(before)
    expect((await owner.call('getPerson', { personId: data[0]!.personId! })).email).toBeNull()
    const { companyId } = await owner.call('getPerson', { personId: data[1]!.personId! })
    expect((await owner.call('getCompany', { companyId: companyId! })).name).toBeNull()

    const alan = { email: `alan@${mark}.example`, jobTitle: 'Mathematician' }
    expect(await addToDraft(ada, alan)).toMatchObject({ added: 2 })
    expect(await owner.call('getPerson', { personId })).toMatchObject({ title: alan.jobTitle })
    expect(await listOutgoing()).toEqual(before)
  })

  it('no write that is listed as sending nothing causes anything to be sent', async () => {
    for (const name of namesOfWritesWithoutSends) {
      const before = new Set(await listOutgoing())
      await callAsAssistant(name).catch(() => {})
      const added = (await listOutgoing()).filter(id => !before.has(id))
      expect(added, name).toEqual([])
    }
  })
})

it('by default, assistants can send; API tokens always can', async () => {
  const other = await makeCaller(app)
  const home = await makeWorld(app, other)
  const inputs = createRequests(home)
  const otherAssistant = createCaller(app, { ...other, actor: `oauth:${home.connectedAppId}` })
  const sent = await otherAssistant.call('sendEmailDraft', inputs.sendEmailDraft)
  expect(sent).toMatchObject({ deliveryStatus: 'queued' })
  await other.call('updateAccount', { assistantSendsNeedApproval: true })
  expect(await other.call('composeEmail', inputs.composeEmail)).toMatchObject({ deliveryStatus: 'queued' })
  expect(await other.call('launchCampaign', inputs.launchCampaign)).toMatchObject({ status: 'active' })
})
