import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type Desk, inAccountTransaction, makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { openConversation } from '../messages/write-linkedin-messages.ts'

let app: TestApp
let admin: Caller
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
})
afterAll(() => app[Symbol.asyncDispose]())

const setHour = (hour: number) => app.setNow(new Date(Date.UTC(2026, 10, 2, hour)))

const createDraft = ({ prospectId, repId }: Desk) =>
  admin.call('createLinkedinDraft', { prospectId, repId, text: 'Thursday?' })

/** Adds the person of a desk to another campaign of the same rep. */
async function addToNextCampaign({ repId, personId }: Desk) {
  const { id: campaignId } = await admin.call('createCampaign', { name: 'Autumn', repIds: [repId] })
  const { email } = await admin.call('getPerson', { personId })
  const { data } = await admin.call('addProspectsToCampaign', { campaignId, data: [{ email: email! }] })
  return { campaignId, prospectId: data[0]!.prospectId! }
}

describe('a LinkedIn draft', () => {
  it('belongs to the given prospect, even if the conversation began with an earlier prospect or with none', async () => {
    const earlier = await makeDesk(admin)
    await createDraft(earlier)
    const imported = await makeDesk(admin)
    await inAccountTransaction(app, admin, tx =>
      openConversation(tx, {
        conversationId: '2-imported',
        repId: imported.repId,
        personId: imported.personId,
      }),
    )
    const next = { ...earlier, ...(await addToNextCampaign(earlier)) }
    for (const desk of [next, imported]) {
      const { prospectId, campaignId } = desk
      const draft = await createDraft(desk)
      expect(draft).toMatchObject({ prospectId, campaignId })
      for (const filter of [{ prospectId }, { campaignId }]) {
        const { data } = await admin.call('listLinkedinMessages', { status: 'draft', ...filter })
        expect(data.map(({ id }) => id)).toEqual([draft.id])
      }
    }
  })

  it('moves to the top of the list by tag when it is edited, and paging returns every draft once', async () => {
    const drafts: string[] = []
    for (const hour of [8, 9, 12]) {
      setHour(hour)
      const { id, linkedinConversationId } = await createDraft(await makeDesk(admin))
      const entity = { entityType: 'linkedin_conversation', entityId: linkedinConversationId! } as const
      await admin.call('assignTags', { ...entity, tags: ['Hot'] })
      drafts.push(id)
    }
    const [first, second, third] = drafts
    setHour(15)
    await admin.call('updateLinkedinDraft', { linkedinMessageId: second!, text: 'Friday?' })
    const found: string[] = []
    let cursor: string | undefined
    do {
      const filters = { tag: 'Hot', status: 'draft', limit: 1 } as const
      const page = await admin.call('listLinkedinMessages', cursor ? { cursor } : filters)
      found.push(...page.data.map(({ id }) => id))
      cursor = page.next
    } while (cursor && found.length < 6)
    expect(found).toEqual([second, third, first])
  })

  it.each([
    ['renamed', 'Warm', ['Warm']],
    ['deleted', undefined, []],
  ])('has the current tags if a tag was %s while its conversation was empty', async (_change, name, tags) => {
    const desk = await makeDesk(admin)
    const { id, linkedinConversationId } = await createDraft(desk)
    const entity = { entityType: 'linkedin_conversation', entityId: linkedinConversationId! } as const
    await admin.call('assignTags', { ...entity, tags: ['Passing'] })
    await admin.call('deleteLinkedinDraft', { linkedinMessageId: id })
    const { data } = await admin.call('listTags', { limit: 100 })
    const tagId = data.find(tag => tag.name === 'Passing')!.id
    await (name ? admin.call('updateTag', { tagId, name }) : admin.call('deleteTag', { tagId }))
    const draft = await createDraft(desk)
    expect(draft.tags).toEqual(tags)
    for (const tag of tags) {
      const tagged = await admin.call('listLinkedinMessages', { tag, status: 'draft' })
      expect(tagged.data.map(message => message.id)).toEqual([draft.id])
    }
  })
})
