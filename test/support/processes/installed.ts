import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { toRequest } from '../../../src/client.ts'
import type { OperationName, Output, RawInput } from '../../../src/contract/index.ts'
import { describeSettings } from '../../../src/server/kernel/config.ts'
import { environment } from './environment.ts'

/** The installed product: commands and a server process with its own data folder. */
export type Installed = {
  /** Runs a command and returns its output. Throws the error output unless the exit code is the expected one. */
  overture: (args: string[], expectedCode?: number) => Promise<string>
  /** Starts a command without waiting. */
  startOverture: (args: string[]) => ChildProcess
  serve: () => Promise<Served>
}

export type Served = {
  url: string
  /** The page that creates the first user; undefined once a user exists. */
  setUpUrl: string | undefined
  /** Sends SIGKILL. */
  kill: () => Promise<void>
  /** Sends SIGINT and returns the exit code. */
  stop: () => Promise<number | null>
}

export type Api = <N extends OperationName>(name: N, input: RawInput<N>) => Promise<Output<N>>

const bin = join(import.meta.dirname, '../../../bin')

/** An environment that unsets the developer's own settings. */
const noSettings = Object.fromEntries(describeSettings().map(({ env }) => [env, undefined]))

/** Returns an environment without any Overture settings except these. */
export const cleanEnvironment = (settings: Record<string, string>): NodeJS.ProcessEnv =>
  environment({ ...noSettings, ...settings })

export function makeInstallation(dataDir: string, settings: Record<string, string> = {}): Installed {
  const start = (program: string, args: string[]) =>
    spawn('/bin/sh', [join(bin, program), ...args, '--data', dataDir], {
      env: cleanEnvironment({
        PORT: '0',
        LOG_LEVEL: 'silent',
        RATE_LIMIT_PER_MINUTE: '0',
        CHECK_OUTPUT: '1',
        ALLOW_PRIVATE_HOSTS: '127.0.0.1',
        ...settings,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    startOverture: args => start('overture', args),
    overture: async (args, expectedCode = 0) => {
      const child = start('overture', args)
      const [output, errorOutput, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      if (code !== expectedCode)
        throw new Error(`overture ${args.join(' ')} exited with code ${code}: ${errorOutput}`)
      return output.trim()
    },
    serve: async () => {
      const child = start('start', [])
      const errorOutput = text(child.stderr)
      const ended = once(child, 'exit') as Promise<[number | null]>
      let output = ''
      const address = await new Promise<URL>((resolve, reject) => {
        child.stdout.on('data', chunk => {
          output += chunk
          const ready = /^Overture is ready(?:: |\. Create your account: )(\S+)$/m.exec(output)
          if (ready) resolve(new URL(ready[1]!))
        })
        ended.then(async () => reject(new Error(await errorOutput)))
      })
      const { origin: url, href } = address
      const setUpUrl = address.pathname === '/setup' ? href : undefined
      const end = async (signal: NodeJS.Signals) => {
        child.kill(signal)
        return (await ended)[0]
      }
      return { url, setUpUrl, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGINT') }
    },
  }
}

/** Creates a user with an account and a token by running commands. */
export async function makeToken({ overture }: Installed): Promise<string> {
  const email = 'ada@acme.example'
  await overture(['user', 'create', '--email', email, '--name', 'Ada Byron'])
  await overture(['account', 'create', '--name', 'Acme', '--owner', email, '--country', 'GB'])
  return overture(['token', 'create', '--user', email, '--name', 'laptop'])
}

/** Creates a rep and a mailbox by running a command. The mailbox sends through the local server on this port. */
export async function makeMailbox(
  { overture }: Installed,
  { name, email, port }: { name: string; email: string; port: number },
): Promise<{ id: string; repId: string }> {
  const server = ['--host', '127.0.0.1', '--port', String(port), '--tls', 'none']
  return JSON.parse(await overture(['mailbox', 'add', '--rep', name, '--email', email, ...server, '--json']))
}

/** Creates an HTTP client. `url` is called for each request, because a restarted server listens on another port. */
export const createApi =
  (url: () => string, token: string): Api =>
  async (name, input) => {
    const { method, path, body } = toRequest(name, input)
    const response = await fetch(`${url()}/v1${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${name} returned status ${response.status}: ${await response.text()}`)
    return (await response.json()) as never
  }

type Lists = 'listEmailMessages' | 'listProspects' | 'listPersons'

/** Reads all pages of a list. */
export async function listAll<N extends Lists>(
  api: Api,
  name: N,
  input: RawInput<N>,
): Promise<Output<N>['data'][number][]> {
  const items: Output<N>['data'][number][] = []
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const page = await api(name, { ...input, limit: 100, cursor } as RawInput<N>)
    items.push(...page.data)
    cursor = page.next
    isLast = cursor === undefined
  }
  return items
}
