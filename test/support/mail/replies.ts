import { randomUUIDv7 } from 'node:crypto'
import type { SentMail } from './sent-mail.ts'

/** Returns a person's reply to an email, as a mail client writes it. */
export function replyTo({ to, mail }: SentMail, text = 'Yes, let us talk on Monday.'): string {
  const parent = mail.messageId!
  return [
    `From: <${to}>`,
    `To: <${mail.from!.address}>`,
    `Subject: Re: ${mail.subject}`,
    `Message-ID: <${randomUUIDv7()}@${to.split('@')[1]}>`,
    `In-Reply-To: ${parent}`,
    `References: ${[mail.references, parent].filter(Boolean).join(' ')}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    '',
  ].join('\r\n')
}
