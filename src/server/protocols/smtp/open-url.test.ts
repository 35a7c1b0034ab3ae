import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quitConnection } from './connection.ts'
import { openUrl } from './open-url.ts'

let smtp: SMTPServer
let signedIn: string[] = []
beforeAll(async () => {
  smtp = new SMTPServer({
    onAuth: ({ username, password }, _session, done) => {
      if (password !== 'p@ss/word') return done(new Error('Wrong password'))
      signedIn.push(username!)
      done(null, { user: username })
    },
  })
  // A client that refuses the certificate ends the connection.
  smtp.on('error', () => undefined)
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
})
afterAll(() => new Promise<void>(resolve => smtp.close(() => resolve())))

const open = (credentials: string, options = '?tls.rejectUnauthorized=false') =>
  openUrl(`smtp://${credentials}@127.0.0.1:${(smtp.server.address() as AddressInfo).port}/${options}`)

it('signs in over TLS with the user and password of the URL, in which special characters are encoded', async () => {
  signedIn = []
  const connection = await open('ada%40acme.example:p%40ss%2Fword')
  expect([connection.secure, signedIn]).toEqual([true, ['ada@acme.example']])
  await quitConnection(connection)
})

it('fails with a wrong password, and when the certificate is not trusted', async () => {
  await expect(open('ada:wrong')).rejects.toMatchObject({ code: 'EAUTH' })
  await expect(open('ada:p%40ss%2Fword', '')).rejects.toThrow(/certificate/i)
})
