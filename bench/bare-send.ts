import { createTransport } from 'nodemailer'

/**
 * The least that sending can be: nodemailer's own pool, no database and no gate. Started by the bench: port, mails
 * and connections; it prints how many a second it sent.
 */
const [port, mails, maxConnections] = process.argv.slice(2).map(Number) as [number, number, number]
const pool = createTransport({
  host: '127.0.0.1',
  port,
  secure: false,
  ignoreTLS: true,
  pool: true,
  maxConnections,
  maxMessages: Number.POSITIVE_INFINITY,
})
const text = `Hi Ada,\n\n${'What we build saves your team an hour a day, every day of the week.\n'.repeat(8)}\nBest\nGrace`
const startedAt = performance.now()
await Promise.all(
  Array.from({ length: mails }, (_, n) =>
    pool.sendMail({
      from: { name: 'Grace Hopper', address: 'grace@acme.example' },
      to: { name: 'Ada Byron', address: `ada${n}@analytical.example` },
      subject: 'An hour a day',
      text,
    }),
  ),
)
console.log(mails / ((performance.now() - startedAt) / 1000))
pool.close()
