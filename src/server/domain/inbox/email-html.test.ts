import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { rawMail } from '../../../../test/support/mail/answers.ts'
import { openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { makeMailboxOwner } from '../../../../test/support/mail/mailbox-owner.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails } from '../../../../test/support/mail/sent-mail.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'

let server: TestServer
let worker: Worker
let smtp: ScriptedSmtp
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  worker = openWorker(server.app)
  smtp = await ScriptedSmtp.open()
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Sends an HTML email to a person; returns it as it arrived, with a function that replies to it. */
async function makeConversation(body: string) {
  const { owner, mailboxId, address, personId, email } = await makeMailboxOwner(server.app, smtp)
  await owner.call('composeEmail', { personId, subject: 'Our offer', body })
  await worker.work()
  const { mail } = (await readMails(smtp)).find(({ to }) => to === email)!
  const answer = async (html: string, type = 'text/html; charset=utf-8') => {
    const fields = { From: email, To: address, 'In-Reply-To': mail.messageId, 'Content-Type': type }
    const receipt = await receiveMail(server.app, {
      ...{ accountId: owner.accountId, mailboxId, receivedAt: server.app.now(), folder: 'inbox' },
      raw: rawMail({ ...fields, 'Message-ID': `<${randomUUIDv7()}@y.example>` }, html),
    })
    const { messageId } = receipt as { messageId: string }
    return owner.call('getEmailMessage', { emailMessageId: messageId })
  }
  return { owner, mail, answer }
}

const readHtml = async (id: string, caller: { userId: string }) =>
  fetch(`${server.url}/v1/inbox/email/messages/${id}/html`, {
    headers: { authorization: `Bearer ${await server.createToken(caller)}` },
  })

it('an HTML email that a user composes is sent without active content and with a text part', async () => {
  const { mail } = await makeConversation(
    '<p onclick="steal()">Hello <b>Ada</b>,</p><script>steal()</script><p>see <a href="https://acme.example/">this</a>.</p>',
  )
  expect(mail.html?.trim()).toBe(
    '<p>Hello <b>Ada</b>,</p><p>see <a href="https://acme.example/">this</a>.</p>',
  )
  expect(mail.text).toContain('Hello Ada,')
  expect(mail.text).not.toContain('steal')
})

it('an email that a user composes is sent with the signature of its rep, but stored without it', async () => {
  const { owner, personId, email } = await makeMailboxOwner(server.app, smtp)
  const [rep] = (await owner.call('listReps', {})).data
  await owner.call('updateRep', { repId: rep!.id, signature: '<p><b>Grace Hopper</b></p>' })
  const { id: emailMessageId } = await owner.call('composeEmail', {
    ...{ personId, subject: 'Our offer', body: 'Hello Ada' },
  })
  await worker.work()
  const { mail } = (await readMails(smtp)).find(({ to }) => to === email)!
  expect(mail.text?.trim()).toBe('Hello Ada\n\nGrace Hopper')
  expect(mail.html).toContain('<p><b>Grace Hopper</b></p>')
  expect((await owner.call('getEmailMessage', { emailMessageId })).body).toBe('Hello Ada')
})

it('the HTML of a received email is served for a frame that runs no scripts and loads nothing', async () => {
  const { owner, answer } = await makeConversation('Hello')
  const message = await answer(
    '<p style="color:red">Gladly.</p><script>steal()</script><img src="https://track.example/1.gif" onerror="steal()">',
  )
  expect(message).toMatchObject({ hasHtml: true, newText: expect.stringContaining('Gladly.') })
  const response = await readHtml(message.id, owner)
  const text = await response.text()
  expect(text).toContain('<p style="color:red">Gladly.</p>')
  expect(text).not.toContain('steal')
  const headers = Object.fromEntries(response.headers)
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
  })
  for (const part of ["default-src 'none'", 'img-src data:', "frame-ancestors 'self'", 'sandbox'])
    expect(headers['content-security-policy']).toContain(part)
})

it('a received email without HTML is not served as HTML', async () => {
  const { owner, answer } = await makeConversation('Hello')
  const message = await answer('Gladly.', 'text/plain')
  expect(message.hasHtml).toBeUndefined()
  expect((await readHtml(message.id, owner)).status).toBe(404)
})

it('HTML with an excessive number of tags is dropped, but its text is kept', async () => {
  const { answer } = await makeConversation('Hello')
  const message = await answer(`<p>Gladly.</p>${'<b>'.repeat(25_000)}`)
  expect(message).toMatchObject({ newText: expect.stringContaining('Gladly.') })
  expect(message.hasHtml).toBeUndefined()
})

it('the HTML is readable only by users who may read the message', async () => {
  const { owner, answer } = await makeConversation('Hello')
  const { id } = await answer('<p>Gladly.</p>')
  const [member, viewer, stranger] = await Promise.all([
    makeCaller(server.app, 'member', owner.accountId),
    makeCaller(server.app, 'viewer', owner.accountId),
    makeCaller(server.app),
  ])
  const statuses = await Promise.all(
    [owner, viewer, member, stranger].map(async caller => (await readHtml(id, caller)).status),
  )
  expect(statuses).toEqual([200, 200, 404, 404])
})
