import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Certificate } from '../http/certificate.ts'
import { findFreePort, waitForListener } from '../processes/ports.ts'

const needed = ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/lmtp']

/** Returns false and warns when Dovecot is missing; throws in CI, where these tests must run. */
export function hasDovecot(): boolean {
  if (needed.every(existsSync)) return true
  const packages = 'dovecot-imapd dovecot-lmtpd dovecot-sieve'
  if (process.env.CI) throw new Error(`Dovecot is missing: install ${packages}`)
  console.warn(`SKIPPED: tests against a real IMAP server need Dovecot (apt-get install ${packages})`)
  return false
}

export const dovecotPassword = 'correct-horse-battery-1993'

/** Returns the account that Dovecot runs as: the current account, or `nobody` instead of root. */
function getAccount(): { uid: number; gid: number; user: string; group: string } {
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? 'nobody' : userInfo().username
  const readId = (...args: string[]) => execFileSync('id', [...args, user], { encoding: 'utf8' }).trim()
  return { uid: Number(readId('-u')), gid: Number(readId('-g')), user, group: readId('-gn') }
}

/** A Dovecot process for one test: every address is a user with a mailbox, all with the same password. */
export class Dovecot implements AsyncDisposable {
  readonly port: number
  readonly lmtpPort: number
  /** The port on which a mail server authenticates senders. */
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
   * Starts Dovecot. `sieve` filters every user's mail; it sends through the local `submissionPort`. With a certificate,
   * Dovecot serves IMAP only over TLS. With an `introspectionUrl`, users can also sign in with an access token that
   * this URL accepts. With `hasAllMail`, a virtual folder lists the emails of the inbox, the sent folder and the folder
   * "Label".
   */
  static async open(
    options: {
      sieve?: string
      submissionPort?: number
      certificate?: Certificate
      introspectionUrl?: string
      hasAllMail?: boolean
    } = {},
  ): Promise<Dovecot> {
    const account = getAccount()
    // Dovecot can't pick ports itself. If another process takes a port first, try other ports.
    for (let attempt = 1; ; attempt += 1) {
      const dir = await mkdtemp(join(tmpdir(), 'overture-dovecot-'))
      const ports = {
        port: await findFreePort(),
        lmtpPort: await findFreePort(),
        authPort: await findFreePort(),
      }
      await mkdir(join(dir, 'virtual/All Mail'), { recursive: true })
      await writeFile(join(dir, 'virtual/All Mail/dovecot-virtual'), 'INBOX\nSent Items\nLabel\n  all\n')
      for (const name of ['run', 'state', 'mail', 'virtual-index']) await mkdir(join(dir, name))
      await writeFile(join(dir, 'filter.sieve'), options.sieve ?? 'keep;\n')
      await writeFile(join(dir, 'oauth2.conf'), oauthConfiguration(options.introspectionUrl))
      for (const [name, file] of Object.entries(options.certificate ?? {}))
        await copyFile(file, join(dir, `${name}.pem`))
      await writeFile(join(dir, 'dovecot.conf'), configuration({ dir, ...ports, ...account, ...options }))
      await chmod(dir, 0o700)
      for (const name of ['.', ...(await readdir(dir))])
        await chown(join(dir, name), account.uid, account.gid)
      const child = spawn('/usr/sbin/dovecot', ['-F', '-c', join(dir, 'dovecot.conf')], {
        stdio: 'ignore',
        // Dovecot gets its own process group, so that it can be killed as a whole.
        detached: true,
        uid: account.uid,
        gid: account.gid,
      })
      // Otherwise Dovecot would outlive an interrupted test run.
      const killOnExit = () => void kill(child)
      process.once('exit', killOnExit)
      child.once('exit', () => process.off('exit', killOnExit))
      const areOpen = Object.values(ports).map(port => waitForListener(port, child))
      if ((await Promise.all(areOpen)).every(Boolean)) return new Dovecot(ports, child, dir)
      const log = await readFile(join(dir, 'log'), 'utf8').catch(() => 'there is no log')
      await end(child)
      await rm(dir, { recursive: true, force: true })
      if (attempt === 5) throw new Error(`Dovecot does not start: ${log}`)
    }
  }

  /** Delivers an email to the user's INBOX over LMTP. */
  deliver(to: string, raw: string | Buffer, from = 'sender@elsewhere.example'): Promise<void> {
    this.#lmtp ??= this.#connectLmtp()
    const lmtp = this.#lmtp
    // A connection delivers one email at a time.
    const delivering = this.#delivered.then(async () => {
      const connection = await lmtp
      await new Promise<void>((resolve, reject) => {
        connection.send({ from, to: [to] }, raw, error => (error ? reject(error) : resolve()))
      })
    })
    this.#delivered = delivering.catch(() => undefined)
    return delivering
  }

  /** Runs a doveadm command, such as `save -u USER -m Junk`, with this input. */
  async doveadm(args: string[], input?: string | Buffer): Promise<string> {
    const { uid, gid } = getAccount()
    const running = promisify(execFile)('doveadm', ['-c', join(this.#dir, 'dovecot.conf'), ...args], {
      uid,
      gid,
      cwd: this.#dir,
    })
    // A command that reads no input may have exited already.
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
  introspectionUrl?: string
  hasAllMail?: boolean
  uid: number
  gid: number
  user: string
  group: string
}

const allMail = (dir: string): string => `
mail_plugins = virtual
namespace all {
  prefix = [Gmail]/
  separator = /
  location = virtual:${dir}/virtual:INDEX=${dir}/virtual-index/%u
  mailbox "All Mail" {
    special_use = \\All
  }
}`

const oauthPassdb = (dir: string): string => `
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${dir}/oauth2.conf
}`

const oauthConfiguration = (introspectionUrl = ''): string => `
introspection_mode = post
introspection_url = ${introspectionUrl}
username_attribute = username
active_attribute = active
active_value = true
`

const configuration = ({
  dir,
  port,
  lmtpPort,
  authPort,
  submissionPort,
  certificate,
  introspectionUrl,
  hasAllMail = false,
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
auth_mechanisms = plain login${introspectionUrl ? ' xoauth2 oauthbearer' : ''}
${introspectionUrl ? oauthPassdb(dir) : ''}
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
  ${hasAllMail ? 'mailbox Label {\n    auto = create\n  }' : ''}
}
${hasAllMail ? allMail(dir) : ''}
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
  ${introspectionUrl ? 'unix_listener anvil-auth-penalty {\n    mode = 0\n  }' : ''}
}
service stats {
  chroot =
}
protocol lmtp {
  mail_plugins = ${hasAllMail ? 'virtual ' : ''}${existsSync('/usr/lib/dovecot/modules/lib90_sieve_plugin.so') ? 'sieve' : ''}
}
${submissionPort ? `submission_host = 127.0.0.1:${submissionPort}` : ''}
plugin {
  sieve = ${dir}/filter.sieve
  sieve_vacation_send_from_recipient = yes
}
`

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Kills Dovecot and its children, which would outlive a graceful stop by seconds. */
const kill = (child: ChildProcess): boolean => !hasEnded(child) && process.kill(-child.pid!, 'SIGKILL')

async function end(child: ChildProcess): Promise<void> {
  if (kill(child)) await once(child, 'exit')
}
