import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'

/** An https server named localhost, with a certificate that this process trusts from now on. */
export type HttpsServer = AsyncDisposable & {
  origin: string
  /** What it was asked for. */
  asked: string[]
  answer: RequestListener
}

export async function openHttpsServer(): Promise<HttpsServer> {
  const { key, cert } = await makeCertificate()
  setDefaultCACertificates([...getCACertificates('default'), cert])
  const asked: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    asked.push(request.url!)
    opened.answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const opened: HttpsServer = {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (_request, response) => response.writeHead(404).end(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return opened
}

async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'overture-certificate-'))
  try {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert])
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
