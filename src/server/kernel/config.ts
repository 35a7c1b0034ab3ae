import { Resolver } from 'node:dns'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { isAddressRange } from './net/trusted-proxies.ts'

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
const url = (schemes: string[]) =>
  z.string().refine(value => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)), {
    error: `must be an address that starts with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`,
  })
const flag = z
  .enum(['1', '0', 'true', 'false'], { error: 'must be 1, 0, true or false' })
  .transform(value => value === '1' || value === 'true')

function isNameServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}

/**
 * Every setting of the product: its environment variable and its meaning. `bin/overture serve --help` prints this
 * list; the flag of the same name wins over the variable.
 */
const settings = {
  port: {
    env: 'PORT',
    schema: wholeNumber(0, 65_535).default(4400),
    help: 'Port to listen on; 0 takes a free one',
  },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1'), help: 'Address to listen on' },
  dataDir: {
    env: 'OVERTURE_DATA',
    schema: z.string().optional(),
    help: 'Folder for the database, secrets and mail',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    schema: url(['postgres', 'postgresql']).optional(),
    help: 'PostgreSQL to use instead of the embedded one (15.14 or newer)',
  },
  databasePoolUrl: {
    env: 'DATABASE_POOL_URL',
    schema: url(['postgres', 'postgresql']).optional(),
    help: 'PgBouncer in transaction mode before that PostgreSQL, set up as docs/operating.md shows',
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: url(['redis', 'rediss']).optional(),
    help: 'Redis or Valkey that shares rate limits between processes',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .optional(),
    help: 'Address under which people reach this server, https in earnest: the links in mails lead there',
  },
  allowedHosts: {
    env: 'ALLOWED_HOSTS',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim().toLowerCase()))
      .refine(hosts => hosts.every(host => /^\.?[a-z\d_]([a-z\d_.-]*[a-z\d])?$/.test(host)), {
        error: 'must be host names without port, with commas between, as in crm.acme.example, .acme.example',
      })
      .default([]),
    help: 'Host names that this server answers to beside that of PUBLIC_URL, with commas between; .acme.example includes all names below it',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    schema: z
      .string()
      .transform(value => value.split(',').map(range => range.trim()))
      .refine(ranges => ranges.every(isAddressRange), {
        error: 'must be addresses or ranges with commas between, as in 127.0.0.1, 10.1.0.0/16',
      })
      .default([]),
    help: 'Addresses and ranges of the reverse proxies in front, with commas between: their X-Forwarded-For tells where requests come from',
  },
  oauthIssuer: {
    env: 'OAUTH_ISSUER',
    schema: url(['https']).optional(),
    help: 'Identity provider whose tokens assistants bring, by the name it gives itself; this server itself when absent',
  },
  secret: {
    env: 'OVERTURE_SECRET',
    schema: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
    help: 'Key for stored passwords, links in mails and signed cursors; made and kept in the data folder when absent',
  },
  systemSmtpUrl: {
    env: 'SYSTEM_SMTP_URL',
    schema: url(['smtp', 'smtps']).optional(),
    help: 'Mail server for invitations and links that set a new password, as in smtps://user:password@mail.acme.example',
  },
  systemMailFrom: {
    env: 'SYSTEM_MAIL_FROM',
    schema: z.string().includes('@').optional(),
    help: 'Sender address of those mails',
  },
  rateLimitPerMinute: {
    env: 'RATE_LIMIT_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000).default(100),
    help: 'Requests a minute an account may make with its tokens; 0 switches off all limits but the one of sign-in codes',
  },
  writeLimitPerMinute: {
    env: 'WRITE_LIMIT_PER_MINUTE',
    schema: wholeNumber(1, 1_000_000).default(10),
    help: 'Of these, how many may add prospects, and how many may create drafts',
  },
  maxConnections: {
    env: 'MAX_CONNECTIONS',
    schema: wholeNumber(1, 1_000_000).default(4096),
    help: 'Most connections open at once',
  },
  maxConnectionsPerAddress: {
    env: 'MAX_CONNECTIONS_PER_ADDRESS',
    schema: wholeNumber(1, 1_000_000).default(256),
    help: 'Most connections open at once from one address, or from one IPv6 network (/64); trusted proxies are exempt',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    help: 'How much to log',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    schema: z
      .string()
      .transform(value => value.split(',').map(origin => origin.trim()))
      .default([]),
    help: 'Web origins whose scripts may call the API, with commas between',
  },
  privateHosts: {
    env: 'ALLOW_PRIVATE_HOSTS',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim()))
      .default([]),
    help: 'Hosts on private addresses that mailboxes, webhooks, voice providers, single sign-on and the reply agent may use, with commas between',
  },
  vapiUrl: {
    env: 'VAPI_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .default('https://api.vapi.ai'),
    help: 'Address of the API of the voice provider Vapi, where it has another one for your region',
  },
  retellUrl: {
    env: 'RETELL_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .default('https://api.retellai.com'),
    help: 'The same for the voice provider Retell',
  },
  dnsServers: {
    env: 'DNS_SERVERS',
    schema: z
      .string()
      .transform(value => value.split(',').map(server => server.trim()))
      .refine(isNameServers, { error: 'must be addresses, each with a port if need be, as in 192.0.2.1:53' })
      .default([]),
    help: 'Name servers to ask about the domains that send, with commas between, instead of those of the system',
  },
  metricsHosts: {
    env: 'METRICS_ALLOW',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim()))
      .default(['127.0.0.1', '::1', '::ffff:127.0.0.1']),
    help: 'Addresses that may read /metrics, with commas between',
  },
  inboxMaxAgeSeconds: {
    env: 'INBOX_MAX_AGE_SECONDS',
    schema: wholeNumber(1, 86_400).default(600),
    help: 'Follow-ups wait while the inbox in which a reply may be was not read for longer',
  },
  role: {
    env: 'OVERTURE_ROLE',
    schema: z.enum(['web', 'engine', 'all'], { error: 'must be web, engine or all' }).default('all'),
    help: 'What this process does: web answers requests, engine sends and reads mail, all does both',
  },
  healthPort: {
    env: 'HEALTH_PORT',
    schema: wholeNumber(0, 65_535).optional(),
    help: 'Port for /healthz, /readyz and /metrics alone, as an engine has no other; none when absent',
  },
  isOutputChecked: {
    env: 'CHECK_OUTPUT',
    schema: flag.default(false),
    help: 'Checks every answer against the contract (for development)',
  },
} as const satisfies Record<string, { env: string; schema: z.ZodType; help: string }>

export type Config = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }
export type ConfigFlags = { [K in keyof Config]?: string | undefined }

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Setting = {
  name: keyof Config
  env: string
  /** Absent for what must not show in the list of processes. */
  flag: string | undefined
  help: string
  /** What holds when neither flag nor variable is given. */
  fallback: unknown
}

/** For help texts and the flags of the command line. */
export const describeSettings = (): Setting[] =>
  Object.entries(settings).map(([name, { env, schema, help }]) => ({
    name: name as keyof Config,
    env,
    flag: name === 'secret' ? undefined : flagOf(env),
    help,
    fallback: schema.parse(undefined),
  }))

/** OVERTURE_DATA → --data, PUBLIC_URL → --public-url */
const flagOf = (env: string): string =>
  `--${env
    .replace(/^OVERTURE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`

const holdSecrets = ['secret', 'databaseUrl', 'databasePoolUrl', 'redisUrl', 'systemSmtpUrl']

/**
 * The only reader of the environment. Flags win over variables, variables over `fallbacks`; an empty variable counts
 * as absent, and all faults come in one ConfigError.
 */
export function readConfig(
  flags: ConfigFlags = {},
  environment: NodeJS.ProcessEnv = process.env,
  fallbacks: ConfigFlags = {},
): Config {
  const faults: string[] = []
  const textOf = (name: keyof Config): string | undefined =>
    flags[name] ?? (environment[settings[name].env] || fallbacks[name])
  const entries = Object.entries(settings).map(([name, { env, schema }]) => {
    const flagValue = flags[name as keyof Config]
    const text = textOf(name as keyof Config)
    const parsed = schema.safeParse(text)
    if (!parsed.success) {
      const source = flagValue === undefined ? env : flagOf(env)
      faults.push(
        `${source} ${JSON.stringify(holdSecrets.includes(name) ? '…' : text)}: ${parsed.error.issues[0]?.message}`,
      )
    }
    return [name, parsed.data]
  })
  faults.push(...findMailFaults(textOf))
  const config = Object.fromEntries(entries) as Config
  if (faults.length > 0) throw new ConfigError(`Some settings are not usable:\n  ${faults.join('\n  ')}`)
  return config.dataDir && !isAbsolute(config.dataDir)
    ? { ...config, dataDir: resolve(config.dataDir) }
    : config
}

/** With half of them an inviter would be shown the link that the operator believes to be mailed. */
function findMailFaults(textOf: (name: keyof Config) => string | undefined): string[] {
  const isGiven = (name: keyof Config) => textOf(name) !== undefined
  if (!isGiven('systemSmtpUrl') && !isGiven('systemMailFrom')) return []
  const missing = (['systemSmtpUrl', 'systemMailFrom', 'publicUrl'] as const).filter(name => !isGiven(name))
  return missing.map(
    name =>
      `${settings[name].env}: is required; to send mail of its own the server needs SYSTEM_SMTP_URL, SYSTEM_MAIL_FROM and PUBLIC_URL`,
  )
}

/** The names of this machine, as they stand in a URL. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** The address that goes into mails and documents; without a setting the one on this machine. */
export const getPublicUrl = ({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string =>
  publicUrl ?? `http://localhost:${port}`
