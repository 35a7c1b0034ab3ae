import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Paths of PEM files. */
export type Certificate = { cert: string; key: string }

/** Creates a self-signed certificate for localhost; tests trust it, for example with NODE_EXTRA_CA_CERTS. */
export async function makeCertificate(dir: string): Promise<Certificate> {
  const certificate = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 -subj /CN=localhost
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ${certificate.key} -out ${certificate.cert}`
  await promisify(execFile)('openssl', options.split(/\s+/))
  return certificate
}
