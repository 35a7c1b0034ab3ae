import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeScratch } from '../db/postgres-processes.ts'
import { makeCertificate } from './certificate.ts'

/** An HTTPS server on localhost, whose certificate this process trusts. */
export type HttpsServer = AsyncDisposable & {
  origin: string
  /** URLs of received requests. */
  requests: string[]
  answer: RequestListener
}

export async function openHttpsServer(): Promise<HttpsServer> {
  await using scratch = await makeScratch()
  const files = await makeCertificate(scratch.dir)
  const [key, cert] = await Promise.all([readFile(files.key, 'utf8'), readFile(files.cert, 'utf8')])
  setDefaultCACertificates([...getCACertificates('default'), cert])
  const requests: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(request.url!)
    opened.answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const opened: HttpsServer = {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (_request, response) => response.writeHead(404).end(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return opened
}
