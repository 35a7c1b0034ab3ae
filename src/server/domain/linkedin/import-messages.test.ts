import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { ada, makeTaskCampaign } from '../../../../test/support/campaigns/task-campaign.ts'
import { isWaitingForLock, winDeadlock } from '../../../../test/support/db/lock-waits.ts'
import { inAccount } from '../../kernel/context.ts'
import { lockPair } from '../messages/record-linkedin-message.ts'
import { importLinkedinFile } from './import-messages.ts'
import { parseExport } from './parse-export.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const graceUrl = 'https://www.linkedin.com/in/grace-hopper'
const adaUrl = 'https://www.linkedin.com/in/ada-byron'
const header =
  'CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER,ATTACHMENTS'
const csv = [
  header,
  `2-abc,,Ada Byron,${adaUrl},Grace Hopper,${graceUrl},2020-11-02 10:00:00 UTC,,"Yes, we are.\nCall me",INBOX,`,
  `2-abc,,Grace Hopper,${graceUrl},Ada Byron,${adaUrl},2020-11-02 09:30:11 UTC,,Are you hiring?,INBOX,`,
  `2-xyz,,Nobody,https://www.linkedin.com/in/nobody,Grace Hopper,${graceUrl},2020-11-02 10:00:00 UTC,,Buy this,INBOX,`,
  `2-grp,Group,Ada Byron,${adaUrl},"Grace Hopper,Ben","${graceUrl},https://www.linkedin.com/in/ben",2020-11-03 10:00:00 UTC,,Hi all,INBOX,`,
  `2-abc,,LinkedIn Member,,Grace Hopper,${graceUrl},2020-11-04 10:00:00 UTC,,Gone,INBOX,`,
].join('\r\n')

describe("LinkedIn's message export", () => {
  it('is imported only once, and only for people in the account', async () => {
    const { owner, repId, prospectIds } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    const input = { repId, profileUrl: 'linkedin.com/in/Grace-Hopper/', csv }
    expect(await owner.call('importLinkedinMessages', input)).toEqual({
      ...{ total: 5, added: 2, alreadyPresent: 0, unknownPerson: 2, invalid: 1 },
    })
    expect(await owner.call('importLinkedinMessages', input)).toMatchObject({ added: 0, alreadyPresent: 2 })
    const { data } = await owner.call('listLinkedinMessages', { repId })
    expect(data).toMatchObject([
      { text: 'Yes, we are.\nCall me', type: 'received', happenedAt: '2020-11-02T10:00:00.000Z' },
      { text: 'Are you hiring?', type: 'manual', conversationId: '2-abc' },
    ])
    // Messages from before somebody became a prospect do not stop sequences.
    expect((await owner.call('getProspect', { prospectId: prospectIds[0]! })).status).toBe('active')
  })

  it('is matched by its senders if it has no column of recipients', async () => {
    const { owner, repId } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    const rows = ['CONVERSATION ID,FROM,SENDER PROFILE URL,TO,DATE,SUBJECT,CONTENT,FOLDER']
    rows.push(`2-old,Grace Hopper,${graceUrl},Ada Byron,2019-11-02 09:30:11 UTC,,Hello,INBOX`)
    rows.push(`2-old,Ada Byron,${adaUrl},Grace Hopper,2019-11-02 10:30:11 UTC,,Hello you,INBOX`)
    const input = { repId, profileUrl: graceUrl, csv: rows.join('\n') }
    expect(await owner.call('importLinkedinMessages', input)).toMatchObject({ added: 2 })
  })

  it('is imported from a file even if PostgreSQL rolled back a chunk to resolve a deadlock', async () => {
    const ben = { firstName: 'Ben', linkedinUrl: 'linkedin.com/in/ben' }
    const { owner, repId, prospectIds } = await makeTaskCampaign(
      app,
      [{ channel: 'linkedin_view' }],
      [ada, ben],
    )
    const [adaId, benId] = await Promise.all(
      prospectIds.map(async prospectId => (await owner.call('getProspect', { prospectId })).personId),
    )
    const toRow = (name: string, minute: number) =>
      `2-${name},,${name},https://www.linkedin.com/in/${name},Grace Hopper,${graceUrl},2020-11-02 10:0${minute}:00 UTC,,Hi,INBOX,`
    const input = {
      ...{ repId, profileUrl: graceUrl },
      csv: [header, toRow('ada-byron', 1), toRow('ben', 2)].join('\n'),
    }
    let importing: ReturnType<typeof importLinkedinFile> | undefined
    // The import locks the conversation with Ada before the one with Ben.
    await inAccount(app.owner, owner.accountId, async sql => {
      await winDeadlock(sql)
      await lockPair(sql, { repId, personId: benId! })
      importing = importLinkedinFile(owner.context, input)
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
      await lockPair(sql, { repId, personId: adaId! })
    })
    expect(await importing).toMatchObject({ total: 2, added: 2, alreadyPresent: 0 })
    expect((await owner.call('listLinkedinMessages', { repId })).data).toHaveLength(2)
  })

  it('is rejected when the file or the profile URL is invalid', async () => {
    const { owner, repId } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    const input = { repId, profileUrl: graceUrl, csv: 'Name,Email\nAda,ada@analytical.example\n' }
    await expect(owner.call('importLinkedinMessages', input)).rejects.toThrow('has no column CONVERSATION ID')
    await expect(
      owner.call('importLinkedinMessages', { ...input, profileUrl: 'grace' }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'profileUrl' }],
    })
  })
})

test('a conversation with many participants is parsed in linear time', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, n) => `2-abc,,N,https://www.linkedin.com/in/n-${n},,,2020-11-02 10:00:00 UTC,,Hi,INBOX,`,
  )
  const before = process.threadCpuUsage()
  const { messages } = await parseExport([header, ...rows].join('\n'), 'linkedin.com/in/grace-hopper')
  const { user, system } = process.threadCpuUsage(before)
  expect(messages).toHaveLength(20_000)
  expect(messages.every(({ personUrl }) => personUrl === undefined)).toBe(true)
  // Parsing in quadratic time would take several times as long.
  expect((user + system) / 1_000_000).toBeLessThan(4)
})

describe('a LinkedIn draft', () => {
  it('can be created, changed and deleted by users in scope, and is not listed as a message', async () => {
    const { owner, repId, prospectIds } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    const prospectId = prospectIds[0]!
    const { id } = await owner.call('createLinkedinDraft', { prospectId, text: 'Thursday?' })
    expect(await owner.call('listLinkedinMessages', {})).toMatchObject({ data: [] })
    expect(await owner.call('updateLinkedinDraft', { linkedinMessageId: id, text: 'Friday?' })).toMatchObject(
      {
        ...{ status: 'draft', type: 'manual', text: 'Friday?', prospectId, repId },
      },
    )
    const member = await makeCaller(app, 'member', owner.accountId)
    const input = { linkedinMessageId: id, text: 'Mine' }
    await expect(member.call('updateLinkedinDraft', input)).rejects.toMatchObject({ code: 'NotFound' })
    await owner.call('deleteLinkedinDraft', { linkedinMessageId: id })
    await expect(owner.call('deleteLinkedinDraft', { linkedinMessageId: id })).rejects.toMatchObject({
      code: 'NotFound',
    })
    const { data } = await owner.call('listLinkedinMessages', { status: 'draft' })
    expect(data).toEqual([])
  })

  it('cannot be deleted once it is a message', async () => {
    const { owner, prospectIds } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    const sent = { prospectId: prospectIds[0]!, type: 'manual', text: 'Hello' } as const
    const { id } = await owner.call('recordLinkedinMessage', sent)
    await expect(owner.call('deleteLinkedinDraft', { linkedinMessageId: id })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })
})
