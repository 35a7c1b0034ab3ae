import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { makeMailCampaign } from '../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../test/support/mail/scripted-smtp.ts'
import { openEngine } from './loop.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('a database restored into another server sends nothing until a person resumes sending, even after a restart', async () => {
  await using server = await ScriptedSmtp.open()
  const { owner, messages } = await makeMailCampaign(app, [server], 2)
  // As if the old server had run many more transactions.
  await app.owner`
    update events set tx = (pg_current_xact_id()::text::bigint + 1000000 + position)::text::xid8
     where account_id = ${owner.accountId}`
  const hasLaterEvents = () => app.owner`
    select from events where tx >= pg_snapshot_xmax(pg_current_snapshot()) limit 1`
  const timeout = { timeout: 60_000 }
  {
    await using _engine = openEngine(app)
    await expect
      .poll(() => owner.call('getAccount', {}), timeout)
      .toMatchObject({ sendingPauseReason: expect.stringContaining('restored from a backup') })
    // Waits for the maintenance that resets the events: until then, another start would pause sending again.
    await expect.poll(hasLaterEvents, timeout).toHaveLength(0)
  }
  expect(server.transfers).toEqual([])
  await owner.call('resumeSending', {})
  const { data: entries } = await owner.call('listAuditLog', { auditedType: 'account' })
  expect(entries.slice(0, 2)).toMatchObject([
    { action: 'resume sending' },
    { action: 'pause sending', actor: 'engine' },
  ])
  await using _engine = openEngine(app)
  await expect
    .poll(async () => (await messages()).map(({ status }) => status), timeout)
    .toEqual(['sent', 'sent'])
  expect(await owner.call('getAccount', {})).not.toHaveProperty('sendingPausedAt')
})
