import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import PostalMime, { type Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { hasSmtpSink, SmtpSink } from '../support/mail/smtp-sink.ts'
import {
  type Api,
  createApi,
  listAll,
  makeInstallation,
  makeMailbox,
  makeToken,
  type Served,
} from '../support/processes/installed.ts'

const people = Array.from({ length: 200 }, (_, n) => ({
  name: `Person${n}`,
  email: `person${n}@people${n % 40}.example`,
}))
const optedOutPeople = [
  { name: 'Opted', email: 'Opted.Out@people1.example' },
  { name: 'Domain', email: 'someone@quiet.example' },
  { name: 'Below', email: 'someone@mail.quiet.example' },
]
const invalidRows = ['Broken,Müller,broken at people,"Acme, Sons & Co"', 'Lonely,,,']
const formatCsvRows = (list: { name: string; email: string }[]) =>
  list.map(({ name, email }) => `${name},Müller,${email},"Acme, Sons & Co"\n`).join('')

describe.skipIf(!hasSmtpSink())('a first campaign, from a CSV file to a mail server', () => {
  let scratch: Awaited<ReturnType<typeof makeScratch>>
  let sink: SmtpSink
  let served: Served
  let api: Api
  let imported: { outcomes: Record<string, number>; resultFile: string }
  let campaignId: string
  let mails: Email[]
  let messages: Awaited<ReturnType<typeof listAll<'listEmailMessages'>>>

  beforeAll(async () => {
    scratch = await makeScratch()
    sink = await SmtpSink.open()
    const installed = makeInstallation(join(scratch.dir, 'data'))
    const token = await makeToken(installed)
    const mailbox = await makeMailbox(installed, {
      name: 'Ada Byron',
      email: 'ada@acme.example',
      port: sink.port,
    })
    served = await installed.serve()
    api = createApi(() => served.url, token)
    await api('updateAccount', {
      postalAddress: '12 St James Square, London',
      optOutLine: 'Reply stop to hear no more.',
    })
    const campaign = await api('createCampaign', {
      name: 'Spring',
      repIds: [mailbox.repId],
      steps: [
        {
          subject: 'Grüße an {{ firstName }}',
          body: '<p>Hi {{ firstName }}, is <b>{{ company }}</b> hiring?</p>',
        },
      ],
    })
    campaignId = campaign.id
    const file = join(scratch.dir, 'people.csv')
    const header = 'First Name,Last Name,Work Email,Company\n'
    await writeFile(
      file,
      header + formatCsvRows([...people, people[7]!, ...optedOutPeople]) + invalidRows.join('\n'),
    )
    imported = JSON.parse(
      await installed.overture(['import', 'prospects', '--campaign', campaignId, '--json', file], 3),
    )
    await api('addOptOuts', {
      identifiers: [{ identifier: 'opted.out@PEOPLE1.example' }, { identifier: 'quiet.example' }],
    })
    await api('launchCampaign', { campaignId })
    await vi.waitFor(async () => expect(await sink.messages()).toHaveLength(people.length), {
      timeout: 180_000,
      interval: 250,
    })
    await vi.waitFor(
      async () => {
        const sent = await listAll(api, 'listEmailMessages', { campaignId, status: 'sent' })
        expect(sent).toHaveLength(people.length)
      },
      { timeout: 180_000, interval: 250 },
    )
    mails = await Promise.all((await sink.messages()).map(mail => PostalMime.parse(mail)))
    messages = await listAll(api, 'listEmailMessages', { campaignId })
  })
  afterAll(async () => {
    await served?.stop()
    await sink?.[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  it('reports the outcome of each row of the file', async () => {
    expect(imported.outcomes).toEqual({
      added: people.length + optedOutPeople.length,
      duplicate_in_request: 1,
      invalid: invalidRows.length,
    })
    const rows: Record<string, string>[] = parse(await readFile(imported.resultFile), {
      bom: true,
      columns: true,
    })
    expect(rows).toHaveLength(people.length + 1 + optedOutPeople.length + invalidRows.length)
    const failed = rows.filter(row => row.outcome === 'invalid')
    expect(failed.map(row => row['First Name'])).toEqual(['Broken', 'Lonely'])
    for (const row of failed) expect(row.reason).toMatch(/email/i)
  })

  it('delivers exactly one email to each person and none to others', () => {
    const recipients = mails.map(mail => mail.to?.[0]?.address).sort()
    expect(recipients).toEqual(people.map(person => person.email).sort())
    expect(new Set(mails.map(mail => mail.messageId)).size).toBe(people.length)
  })

  it('sends emails with the correct headers, text and footer', () => {
    for (const mail of mails) {
      expect(mail.from).toMatchObject({ name: 'Ada Byron', address: 'ada@acme.example' })
      expect(mail.messageId).toMatch(/^<[\w.-]+@acme\.example>$/)
      expect(Math.abs(Date.now() - Date.parse(mail.date!))).toBeLessThan(5 * 60_000)
      const person = people.find(one => one.email === mail.to?.[0]?.address)!
      expect(mail.subject).toBe(`Grüße an ${person.name}`)
      expect(mail.to?.[0]?.name).toBe(`${person.name} Müller`)
      expect(mail.html).toContain(`<p>Hi ${person.name}, is <b>Acme, Sons &amp; Co</b> hiring?</p>`)
      expect(mail.text).toContain(`Hi ${person.name}, is Acme, Sons & Co hiring?`)
      for (const part of [mail.html, mail.text]) {
        expect(part).toContain('Reply stop to hear no more.')
        expect(part).toContain('12 St James Square, London')
      }
    }
  })

  it('shows each email in the inbox once, in its own thread', async () => {
    expect(messages).toHaveLength(people.length)
    expect(messages.map(message => message.recipients.to[0]!.email).sort()).toEqual(
      people.map(person => person.email).sort(),
    )
    expect(new Set(messages.map(message => message.emailThreadId)).size).toBe(people.length)
    for (const message of messages) {
      expect(message).toMatchObject({
        status: 'sent',
        type: 'campaign',
        from: { name: 'Ada Byron', email: 'ada@acme.example' },
      })
      expect(message.deliveryStatus).toBeUndefined()
    }
    for (const { id, emailThreadId, prospectId } of messages.slice(0, 5)) {
      const thread = await api('getEmailThread', { emailThreadId: emailThreadId! })
      expect(thread.messages.map(message => message.id)).toEqual([id])
      expect(thread.prospectId).toBe(prospectId)
    }
  })

  it('pauses people who opted out after the import and completes the others', async () => {
    const prospects = await listAll(api, 'listProspects', { campaignId })
    const waiting = prospects.filter(prospect => prospect.status !== 'completed')
    expect(waiting.map(({ status, statusReason }) => ({ status, statusReason }))).toEqual(
      optedOutPeople.map(() => ({ status: 'paused', statusReason: 'do_not_contact' })),
    )
    expect(prospects).toHaveLength(people.length + optedOutPeople.length)
    expect(await sink.messages()).toHaveLength(people.length)
  })
})
