import { randomUUIDv7 } from 'node:crypto'
import { createUnsubscribeLink } from '../src/server/domain/people/opt-outs/unsubscribe-token.ts'
import type { App } from '../src/server/kernel/context.ts'
import { toTextParts } from '../src/server/protocols/mime/body.ts'
import { renderOptOutLine, toUnsubscribeHeaders } from '../src/server/protocols/mime/unsubscribe.ts'

export const account = { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' }
export const sender = { name: 'Grace Hopper', address: 'grace0@acme.example' }
export const step = {
  subject: 'An hour a day',
  body: `Hi {{ firstName }},\n\n${'What we build saves your team an hour a day, every day of the week.\n'.repeat(8)}\nBest\n{{ senderName }}`,
}
export const prospect = { firstName: 'Ada', domain: 'bench.example' }

/** The email that baseline-send.ts sends after adding a recipient and a message ID. */
export type BaselineEmail = ReturnType<typeof getBaselineEmail>

/**
 * Returns the engine's email for the step as nodemailer input: the same headers, encoding and parts, including the
 * opt-out line, its link and the postal address. The sent bytes differ only in the MIME boundary.
 */
export function getBaselineEmail(app: App) {
  const ids = { accountId: randomUUIDv7(), emailMessageId: randomUUIDv7() }
  const link = createUnsubscribeLink(app, { ...ids, email: `ada1234@${prospect.domain}` })
  const body = step.body
    .replace('{{ firstName }}', prospect.firstName)
    .replace('{{ senderName }}', sender.name)
  const optOutLine = renderOptOutLine(link.url, account.optOutLine, 'text')
  return {
    from: sender,
    to: { name: prospect.firstName, domain: prospect.domain },
    subject: step.subject,
    ...toTextParts([body, optOutLine, account.postalAddress].join('\n\n')),
    textEncoding: 'quoted-printable' as const,
    headers: toUnsubscribeHeaders(sender.address, link),
  }
}
