import { randomUUIDv7 } from 'node:crypto'
import { unsubscribeLink } from '../src/server/domain/people/opt-outs/unsubscribe-token.ts'
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

/** What bare-send.ts is given: one mail for all, to which it puts the recipient and an id. */
export type BareMail = ReturnType<typeof bareMail>

/**
 * The mail that the engine makes of the step, as nodemailer takes it: the same headers, both parts with the opt-out
 * line, its link and the postal address, the same encoding. What the server gets differs in the boundary alone.
 */
export function bareMail(app: App) {
  const ids = { accountId: randomUUIDv7(), emailMessageId: randomUUIDv7() }
  const link = unsubscribeLink(app, { ...ids, email: `ada1234@${prospect.domain}` })
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
