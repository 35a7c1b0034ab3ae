import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, waitForListener } from '../processes/ports.ts'

const program = ['/usr/sbin/smtp-sink', '/usr/local/sbin/smtp-sink'].find(existsSync)

/** Returns false and warns when smtp-sink is missing; throws in CI, where these tests must run. */
export function hasSmtpSink(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('smtp-sink is missing: install the postfix package')
  console.warn('SKIPPED: tests against an independent mail server need smtp-sink (apt-get install postfix)')
  return false
}

/** Postfix's test server, which records received emails independently of our code. */
export class SmtpSink implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  readonly #dir: string

  private constructor(port: number, child: ChildProcess, dir: string) {
    this.port = port
    this.#child = child
    this.#dir = dir
  }

  /** Starts smtp-sink with these flags: `-q .` disconnects after the dot, `-f RCPT` refuses recipients. */
  static async open(flags: string[] = []): Promise<SmtpSink> {
    const dir = mkdtempSync(join(tmpdir(), 'overture-sink-'))
    chmodSync(dir, 0o777)
    const userFlags = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    // smtp-sink can't pick a port itself. If another process takes the port first, try another port.
    for (let attempt = 1; ; attempt += 1) {
      const port = await findFreePort()
      const child = spawn(
        program!,
        [...userFlags, ...flags, '-d', join(dir, 'mail.'), `127.0.0.1:${port}`, '100'],
        {
          stdio: 'ignore',
        },
      )
      if (await waitForListener(port, child)) return new SmtpSink(port, child, dir)
      child.kill('SIGKILL')
      if (attempt === 10) throw new Error('smtp-sink did not start')
    }
  }

  /** Returns received emails, each preceded by envelope lines (X-Mail-Args, X-Rcpt-Args). */
  async messages(): Promise<string[]> {
    const names = await readdir(this.#dir)
    return Promise.all(names.map(name => readFile(join(this.#dir, name), 'utf8')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
    await rm(this.#dir, { recursive: true, force: true })
  }
}
