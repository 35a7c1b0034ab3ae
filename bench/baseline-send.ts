import { randomUUID } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import { sentIdHeader } from '../src/server/protocols/identity/message-id.ts'
import type { BaselineEmail } from './mail.ts'

/**
 * Baseline for the `send` benchmark: nodemailer's pool composes and sends the same email, without a database or gate.
 * Arguments: port, number of emails and connections. Reads the email from standard input and prints emails per second.
 */
const [port, emails, maxConnections] = process.argv.slice(2).map(Number) as [number, number, number]
const { to, headers, ...mail } = (await json(process.stdin)) as BaselineEmail
const pool = createTransport({
  host: '127.0.0.1',
  port,
  secure: false,
  ignoreTLS: true,
  pool: true,
  maxConnections,
  maxMessages: Number.POSITIVE_INFINITY,
})
const startedAt = performance.now()
await Promise.all(
  Array.from({ length: emails }, (_, n) => {
    const messageId = `<${randomUUID().replaceAll('-', '')}@acme.example>`
    return pool.sendMail({
      ...mail,
      to: { name: to.name, address: `ada${n}@${to.domain}` },
      messageId,
      headers: { ...headers, [sentIdHeader]: messageId },
    })
  }),
)
console.log(emails / ((performance.now() - startedAt) / 1000))
pool.close()
