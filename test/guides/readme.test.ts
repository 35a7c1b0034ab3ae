import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { expect, it, vi } from 'vitest'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { makeCertificate } from '../support/http/certificate.ts'
import { makeReply } from '../support/mail/answers.ts'
import { Dovecot, dovecotPassword, hasDovecot } from '../support/mail/dovecot.ts'
import { hasPostfix, openPostfix } from '../support/mail/mail-relays.ts'
import { type Api, cleanEnvironment, createApi } from '../support/processes/installed.ts'
import { findFreePort } from '../support/processes/ports.ts'

const root = join(import.meta.dirname, '../..')

const TIMEOUT_MS = 600_000

/** Returns the commands below these headings of README.md. */
async function readCommands(...headings: string[]): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const sections = headings.map(heading =>
    readme.split(/^## /m).find(text => text.startsWith(`${heading}\n`)),
  )
  const blocks = sections.flatMap(section => [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)])
  expect(blocks.length).toBeGreaterThan(2)
  return blocks.map(block => block[1]).join('\n')
}

type Result = { output: string; api: Api; campaignId: string; dataDir: string; url: string; password: string }

/** Runs commands in a new shell, like a new user, and stops the server that they leave in the background. */
async function runAsPrinted(
  commands: string,
  settings: Record<string, string>,
  work: (result: Result) => Promise<void>,
): Promise<void> {
  await using scratch = await makeScratch()
  const port = await findFreePort()
  const dataDir = join(scratch.dir, 'data')
  // Links to the checkout's commands from another folder, so that they write no files into the checkout.
  await symlink(join(root, 'bin'), join(scratch.dir, 'bin'))
  expect(commands).toContain(':4400')
  const script = `${commands.replaceAll(':4400', `:${port}`)}\necho "TOKEN=$OVERTURE_TOKEN CAMPAIGN=$CAMPAIGN PASSWORD=$PASSWORD"\n`
  const shell = spawn('/bin/sh', ['-eu', '-c', script], {
    cwd: scratch.dir,
    env: cleanEnvironment({ PORT: String(port), OVERTURE_DATA: dataDir, ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // The process group includes the server in the background.
    detached: true,
  })
  let [output, errors] = ['', '']
  shell.stdout.on('data', chunk => {
    output += chunk
  })
  shell.stderr.on('data', chunk => {
    errors += chunk
  })
  const closed = once(shell, 'close')
  try {
    const [code] = await once(shell, 'exit')
    expect(code, output + errors).toBe(0)
    expect(output).not.toMatch(/^\{"error/m)
    const [, token, campaignId, password] = /^TOKEN=(\S+) CAMPAIGN=(\S+) PASSWORD=(\S+)$/m.exec(output)!
    await work({
      output,
      password: password!,
      url: `http://localhost:${port}`,
      api: createApi(() => `http://localhost:${port}`, token!),
      campaignId: campaignId!,
      dataDir,
    })
  } finally {
    process.kill(-shell.pid!, 'SIGTERM')
    await closed
  }
}

it('the README needs only the command line for a first campaign', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, campaigns = ''] = /^Create your first campaign:([\s\S]*)^## Documentation/m.exec(readme) ?? []
  expect(campaigns).toContain('bin/overture api launchCampaign')
  expect(campaigns).not.toContain('curl')
})

it(
  "the README's commands create a user who can sign in, and a first campaign whose emails are sent",
  async () => {
    await runAsPrinted(await readCommands('Use it'), {}, async result => {
      const { output, api, campaignId, dataDir, url, password } = result
      const session = await fetch(`${url}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ada@acme.example', password }),
      })
      expect(session.status).toBe(200)
      const lists = output.split('\n').filter(line => line.startsWith('{"data":'))
      // The last command lists emails sent so far, which may be none on a slow machine.
      expect(lists.map(line => JSON.parse(line).data)).toEqual([[], [], expect.any(Array)])
      const preview = output.split('\n').find(line => line.includes('"warnings":'))!
      expect(JSON.parse(preview)).toMatchObject({ subject: expect.stringMatching(/^Hello /), warnings: [] })
      await vi.waitFor(
        async () => {
          const { data } = await api('listEmailMessages', { campaignId, status: 'sent' })
          expect(data.map(message => message.subject).sort()).toEqual(['Hello Alan', 'Hello Grace'])
        },
        { timeout: 180_000, interval: 200 },
      )
      const caught = await readdir(join(dataDir, 'sandbox/ada@sandbox.example'))
      expect(caught.filter(name => name.endsWith('.eml'))).toHaveLength(2)
    })
  },
  TIMEOUT_MS,
)

it.skipIf(!hasPostfix() || !hasDovecot())(
  "the README's commands connect a real mailbox: its emails arrive, and a reply stops the sequence",
  async () => {
    await using scratch = await makeScratch()
    const certificate = await makeCertificate(scratch.dir)
    await using dovecot = await Dovecot.open({ certificate })
    await using postfix = await openPostfix(dovecot, certificate)
    const printed = await readCommands('Use it', 'Use it with your mailbox')
    // As printed, except for the servers' addresses and the password.
    const commands = printed
      .replace('"host": "smtp.acme.example", "port": 587', `"host": "localhost", "port": ${postfix.port}`)
      .replace('"host": "imap.acme.example", "port": 993', `"host": "localhost", "port": ${dovecot.port}`)
      .replaceAll('"password": "correct horse"', `"password": "${dovecotPassword}"`)
    const settings = { ALLOW_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: certificate.cert }
    await runAsPrinted(commands, settings, async ({ output, api, campaignId }) => {
      expect(output).toMatch(/"status":"active".*"syncStatus":"(waiting|syncing)"/)
      const wait = { timeout: 180_000, interval: 200 }
      const readInbox = async (user: string) => {
        const raw = await dovecot.doveadm(['fetch', '-u', user, 'text', 'mailbox', 'INBOX'])
        return PostalMime.parse(raw.replace(/^text:\n/, ''))
      }
      await vi.waitFor(async () => {
        expect((await readInbox('alan@bletchley.example')).subject).toBe('Hello Alan')
        expect((await readInbox('grace@navy.example')).subject).toBe('Hello Grace')
      }, wait)
      const mail = await readInbox('grace@navy.example')
      expect(mail.from?.address).toBe('bea@acme.example')
      const smtp = { port: postfix.port, tls: { ca: await readFile(certificate.cert) } }
      await sendAs('grace@navy.example', smtp, makeReply({ to: 'grace@navy.example', mail }))
      await vi.waitFor(async () => {
        const { data } = await api('listProspects', { campaignId })
        expect(data.map(({ status }) => status).sort()).toEqual(['active', 'replied'])
        const received = await api('listEmailMessages', { campaignId })
        expect(received.data.filter(({ type }) => type === 'received')).toHaveLength(1)
        for (const { status, nextStepAt } of data) expect(nextStepAt !== undefined).toBe(status === 'active')
      }, wait)
    })
  },
  TIMEOUT_MS,
)

/** Sends an email to the rep over SMTP, as a mail client does. */
async function sendAs(user: string, smtp: { port: number; tls: { ca: Buffer } }, raw: Buffer): Promise<void> {
  const server = createTransport({ host: 'localhost', ...smtp, auth: { user, pass: dovecotPassword } })
  await server.sendMail({ envelope: { from: user, to: 'bea@acme.example' }, raw })
  server.close()
}
