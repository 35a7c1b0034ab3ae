import { expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { openTestServer } from '../support/http/server.ts'
import { printedBelow, runPrinted } from '../support/processes/guide.ts'

it("the mailbox guide's commands register a client and begin a sign-in at the provider", async () => {
  await using server = await openTestServer()
  const owner = await makeCaller(server.app)
  const { id: REP } = await owner.call('createRep', { name: 'Ada Byron' })
  const token = await server.createToken(owner)
  const EMAIL = 'ada@analytical.example'
  const run = (block: string, variables = {}) =>
    runPrinted(block, server.url, {
      token,
      REP,
      EMAIL,
      CLIENT_ID: 'client-1',
      CLIENT_SECRET: 'secret',
      ...variables,
    })
  const [register, connect] = await printedBelow('mailboxes.md', 'Google and Microsoft')
  const [client, clients, mailbox] = await run(register!)
  expect(client).toMatchObject({ kind: 'google', source: 'account', clientId: 'client-1' })
  expect(clients).toMatchObject({ redirectUri: expect.stringContaining('/settings/senders/connected') })
  const [connection] = await run(connect!, { MAILBOX: mailbox!.id })
  const url = new URL(String(connection!.url))
  expect(url.host).toBe('accounts.google.com')
  expect(url.searchParams.get('login_hint')).toBe(EMAIL)
})
