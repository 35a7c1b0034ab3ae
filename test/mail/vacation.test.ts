import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ClassifiedEmail, parseAndClassify } from '../../src/server/protocols/mime/parse.ts'
import { Dovecot, hasDovecot } from '../support/mail/dovecot.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

const lastDay = Temporal.Now.plainDateISO('UTC').add({ days: 20 })
const inEnglish = lastDay.toLocaleString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const inGerman = lastDay.toLocaleString('de-DE', { day: '2-digit', month: '2-digit', year: 'numeric' })

/** Users who are away, with their Sieve rules. */
const absences = {
  english: `vacation :subject "Out of office" "I am away until ${inEnglish} and read no mail.";`,
  german: `vacation :subject "Abwesend" "Ich bin bis zum ${inGerman} im Urlaub. Gruß, Bob";`,
  japanese: 'vacation :subject "不在のお知らせ" "6月14日まで休暇をいただいております。";',
  'no-subject': 'vacation "Your mail has arrived. I will answer when I can.";',
  html: 'vacation :mime "Content-Type: text/html; charset=utf-8\r\n\r\n<p>I am on <b>leave</b> until Monday.</p>";',
  misleading:
    'vacation :subject "Undeliverable?" "Delivery has failed to reach me: 550 user unknown. Stop!";',
}

const sieve = [
  'require ["vacation"];',
  ...Object.entries(absences).map(([user, action]) => `if address :localpart "to" "${user}" { ${action} }`),
].join('\n')

describe.skipIf(!hasDovecot())('vacation replies', () => {
  let outgoing: ScriptedSmtp
  let dovecot: Dovecot
  beforeAll(async () => {
    outgoing = await ScriptedSmtp.open(() => undefined)
    dovecot = await Dovecot.open({ sieve, submissionPort: outgoing.port })
  })
  afterAll(async () => {
    await dovecot[Symbol.asyncDispose]()
    await outgoing[Symbol.asyncDispose]()
  })

  async function receiveReply(user: string): Promise<ClassifiedEmail> {
    const to = `${user}@bone.example`
    const id = `<${user}.step@acme.example>`
    const mail = `From: Ada <ada+k3y@acme.example>\r\nTo: ${to}\r\nSubject: Demo\r\nMessage-ID: ${id}\r\n\r\nA demo?\r\n`
    await dovecot.deliver(to, mail, 'ada+k3y@acme.example')
    const rawMessage = await vi.waitFor(
      () => {
        const sent = outgoing.transfers.find(one => one.isComplete && one.wire.includes(id))
        expect(sent).toBeDefined()
        return sent!.wire
      },
      { timeout: 60_000 },
    )
    return parseAndClassify(rawMessage)
  }

  test.each(Object.keys(absences))('are classified as automatic replies (%s)', async user => {
    const { email, classified } = await receiveReply(user)
    expect(classified).toMatchObject({ kind: 'auto_reply', reason: expect.stringContaining('RFC 3834') })
    expect(email.inReplyTo).toBe(`<${user}.step@acme.example>`)
  })

  test.each(['english', 'german'])('are classified with their return date (%s)', async user => {
    const { classified } = await receiveReply(user)
    const dayAfter = new Date(`${lastDay.add({ days: 1 })}T00:00:00Z`)
    expect(classified).toMatchObject({ isOutOfOffice: true, returnsAt: dayAfter })
  })
})
