import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { makeMailCampaignToLaunch, openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { readMails } from '../support/mail/sent-mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Sends a step to one person and returns the parts of the email that the server received. */
async function send(body: string, signature: string): Promise<{ html: string; text: string }> {
  await using server = await ScriptedSmtp.open()
  const { owner, launch } = await makeMailCampaignToLaunch(app, [server], 1, [{ subject: 'Hello', body }])
  const [rep] = (await owner.call('listReps', {})).data
  await owner.call('updateRep', { repId: rep!.id, signature })
  await launch()
  await using worker = openWorker(app)
  await worker.work()
  const [sent] = await readMails(server)
  return { html: sent!.mail.html!, text: sent!.mail.text! }
}

const logo = '<img src="https://acme.example/logo.png" alt="Acme" />'
const formatted = `<p><strong>Ada</strong><br /><a href="https://acme.example">Acme</a>${logo}</p>`

it.each([
  ['text', 'Are you <hiring>?', '<p>Are you &lt;hiring&gt;?</p>'],
  ['HTML', '<p>Are you &lt;hiring&gt;?</p>', '<p>Are you &lt;hiring&gt;?</p>'],
])(
  'a formatted signature below a step written as %s is formatted in the HTML part and is plain text in the text part',
  async (_format, body, html) => {
    const mail = await send(body, formatted)
    expect(mail.html.replaceAll('\r', '')).toContain(`${html}\n${formatted}\n`)
    expect(mail.text).toMatch(/^Are you <hiring>\?\s+Ada\s+Acme \[https:\/\/acme\.example\]\s/)
    expect(mail.text).not.toMatch(/<strong>|logo\.png/)
  },
)

it('code is removed from a hostile signature, and an unformatted signature is escaped', async () => {
  const hostile =
    '<p onmouseover="x()">Ada<script>x()</script><a href="javascript:x()">site</a><iframe src="//evil.example"></iframe></p>'
  const mail = await send('Hi', hostile)
  expect(mail.html).toContain('<p>Ada<a>site</a></p>')
  expect(mail.html).not.toMatch(/x\(\)|evil|onmouseover/)
  const plain = await send('Hi', 'Ada <ada@acme.example> & Co')
  expect(plain.html).toContain('Ada &lt;ada@acme.example&gt; &amp; Co')
  expect(plain.text).toContain('Ada <ada@acme.example> & Co')
})
