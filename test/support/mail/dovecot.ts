import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Certificate } from '../http/certificate.ts'
import { freePort, listens } from '../processes/ports.ts'

const needed = ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/lmtp']

/** Loud on purpose: in CI these tests must run. */
export function hasDovecot(): boolean {
  if (needed.every(existsSync)) return true
  const packages = 'dovecot-imapd dovecot-lmtpd dovecot-sieve'
  if (process.env.CI) throw new Error(`Dovecot is missing: install ${packages}`)
  console.warn(`SKIPPED: tests against a real IMAP server need Dovecot (apt-get install ${packages})`)
  return false
}

export const dovecotPassword = 'correct-horse-battery-1993'

/** Whose processes they are: ours, or as root nobody's. */
function whoRuns(): { uid: number; gid: number; user: string; group: string } {
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? 'nobody' : userInfo().username
  const ask = (...args: string[]) => execFileSync('id', [...args, user], { encoding: 'utf8' }).trim()
  return { uid: Number(ask('-u')), gid: Number(ask('-g')), user, group: ask('-gn') }
}

/** A Dovecot of the test's own: any address is a user with a mailbox, all with one password. */
export class Dovecot implements AsyncDisposable {
  readonly port: number
  readonly lmtpPort: number
  /** Where a mail server asks whether somebody may send. */
  readonly authPort: number
  readonly #child: ChildProcess
  readonly #dir: string
  #lmtp: Promise<SMTPConnection> | undefined
  #delivered: Promise<unknown> = Promise.resolve()

  private constructor({ port, lmtpPort, authPort }: Ports, child: ChildProcess, dir: string) {
    this.port = port
    this.lmtpPort = lmtpPort
    this.authPort = authPort
    this.#child = child
    this.#dir = dir
  }

  /**
   * `sieve` is what every user's mail goes through; what it sends goes to `submissionPort` of this machine. With a
   * certificate it speaks IMAP over TLS alone.
   */
  static async open(
    options: { sieve?: string; submissionPort?: number; certificate?: Certificate } = {},
  ): Promise<Dovecot> {
    const account = whoRuns()
    // Ports that it can't pick itself: another process may be quicker, then it takes the next ones.
    for (let attempt = 1; ; attempt += 1) {
      const dir = await mkdtemp(join(tmpdir(), 'overture-dovecot-'))
      const ports = { port: await freePort(), lmtpPort: await freePort(), authPort: await freePort() }
      for (const name of ['run', 'state', 'mail']) await mkdir(join(dir, name))
      await writeFile(join(dir, 'filter.sieve'), options.sieve ?? 'keep;\n')
      for (const [name, file] of Object.entries(options.certificate ?? {}))
        await copyFile(file, join(dir, `${name}.pem`))
      await writeFile(join(dir, 'dovecot.conf'), configuration({ dir, ...ports, ...account, ...options }))
      await chmod(dir, 0o700)
      for (const name of ['.', ...(await readdir(dir))])
        await chown(join(dir, name), account.uid, account.gid)
      const child = spawn('/usr/sbin/dovecot', ['-F', '-c', join(dir, 'dovecot.conf')], {
        stdio: 'ignore',
        // A process group of its own, which ends as a whole.
        detached: true,
        uid: account.uid,
        gid: account.gid,
      })
      // It would outlive a test run that is broken off.
      const killInTheEnd = () => void kill(child)
      process.once('exit', killInTheEnd)
      child.once('exit', () => process.off('exit', killInTheEnd))
      const areOpen = Object.values(ports).map(port => listens(port, child))
      if ((await Promise.all(areOpen)).every(Boolean)) return new Dovecot(ports, child, dir)
      const log = await readFile(join(dir, 'log'), 'utf8').catch(() => 'it left no log')
      await end(child)
      await rm(dir, { recursive: true, force: true })
      if (attempt === 5) throw new Error(`Dovecot does not start: ${log}`)
    }
  }

  /** Brought to the mailbox the way a mail server does it; in its INBOX when this ends. */
  deliver(to: string, raw: string | Buffer, from = 'sender@elsewhere.example'): Promise<void> {
    this.#lmtp ??= this.#connectLmtp()
    const lmtp = this.#lmtp
    // One connection takes one mail after the other.
    const delivering = this.#delivered.then(async () => {
      const connection = await lmtp
      await new Promise<void>((resolve, reject) => {
        connection.send({ from, to: [to] }, raw, error => (error ? reject(error) : resolve()))
      })
    })
    this.#delivered = delivering.catch(() => undefined)
    return delivering
  }

  /** An administrator's command, such as `save -u USER -m Junk`, with what it reads. */
  async doveadm(args: string[], input?: string): Promise<string> {
    const { uid, gid } = whoRuns()
    const running = promisify(execFile)('doveadm', ['-c', join(this.#dir, 'dovecot.conf'), ...args], {
      uid,
      gid,
      cwd: this.#dir,
    })
    // A command that reads nothing may be over by then.
    running.child.stdin?.on('error', () => undefined).end(input)
    return (await running).stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    ;(await this.#lmtp?.catch(() => undefined))?.close()
    await end(this.#child)
    await rm(this.#dir, { recursive: true, force: true })
  }

  #connectLmtp(): Promise<SMTPConnection> {
    const lmtp = new SMTPConnection({ host: '127.0.0.1', port: this.lmtpPort, lmtp: true, ignoreTLS: true })
    return new Promise((resolve, reject) => {
      lmtp.once('error', reject)
      lmtp.connect(error => (error ? reject(error) : resolve(lmtp)))
    })
  }
}

type Ports = { port: number; lmtpPort: number; authPort: number }
type Layout = Ports & {
  dir: string
  submissionPort?: number
  certificate?: Certificate
  uid: number
  gid: number
  user: string
  group: string
}

const configuration = ({
  dir,
  port,
  lmtpPort,
  authPort,
  submissionPort,
  certificate,
  uid,
  gid,
  user,
  group,
}: Layout): string => `
base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/log
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 1
listen = 127.0.0.1
protocols = imap lmtp
ssl = ${certificate ? 'required' : 'no'}
${certificate ? `ssl_cert = <${dir}/cert.pem\nssl_key = <${dir}/key.pem` : ''}
disable_plaintext_auth = no
auth_username_chars =
auth_failure_delay = 0
mail_location = sdbox:${dir}/mail/%u
mail_fsync = never
mail_max_userip_connections = 0
passdb {
  driver = static
  args = password=${dovecotPassword}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${dir}/mail/%u allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Spam {
    auto = create
    special_use = \\Junk
  }
  mailbox "Sent Items" {
    auto = create
    special_use = \\Sent
  }
}
service imap-login {
  chroot =
  client_limit = 500
  process_min_avail = 0
  service_count = 0
  inet_listener imap {
    port = ${certificate ? 0 : port}
  }
  inet_listener imaps {
    port = ${certificate ? port : 0}
  }
}
service imap {
  process_limit = 300
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${lmtpPort}
  }
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${authPort}
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
protocol lmtp {
  mail_plugins = ${existsSync('/usr/lib/dovecot/modules/lib90_sieve_plugin.so') ? 'sieve' : ''}
}
${submissionPort ? `submission_host = 127.0.0.1:${submissionPort}` : ''}
plugin {
  sieve = ${dir}/filter.sieve
  sieve_vacation_send_from_recipient = yes
}
`

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** With its children, which outlive an orderly stop by seconds. */
const kill = (child: ChildProcess): boolean => !hasEnded(child) && process.kill(-child.pid!, 'SIGKILL')

async function end(child: ChildProcess): Promise<void> {
  if (kill(child)) await once(child, 'exit')
}
