import { Resolver } from 'node:dns'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { isAddressRange } from './address-range.ts'

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
const url = (schemes: string[]) =>
  z.string().refine(value => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)), {
    error: `must be a URL that starts with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`,
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
 * All settings with their environment variables. `bin/overture serve --help` prints this list; a flag of the same name
 * overrides the variable.
 */
const settings = {
  port: {
    env: 'PORT',
    schema: wholeNumber(0, 65_535).default(4400),
    help: 'Port to listen on; 0 picks a free port',
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
    help: 'PgBouncer in transaction mode in front of that PostgreSQL; see docs/operating.md',
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: url(['redis', 'rediss']).optional(),
    help: 'Redis or Valkey to share rate limits between processes',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .optional(),
    help: 'Public URL of this server, used for links in emails; use https in production',
  },
  allowedHosts: {
    env: 'ALLOWED_HOSTS',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim().toLowerCase()))
      .refine(hosts => hosts.every(host => /^\.?[a-z\d_]([a-z\d_.-]*[a-z\d])?$/.test(host)), {
        error: 'must be comma-separated host names without a port, such as crm.acme.example, .acme.example',
      })
      .default([]),
    help: 'Comma-separated host names to accept besides that of PUBLIC_URL; .acme.example includes all subdomains',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    schema: z
      .string()
      .transform(value => value.split(',').map(range => range.trim()))
      .refine(ranges => ranges.every(isAddressRange), {
        error: 'must be comma-separated addresses or ranges, such as 127.0.0.1, 10.1.0.0/16',
      })
      .default([]),
    help: 'Comma-separated addresses and ranges of reverse proxies whose X-Forwarded-For header is trusted',
  },
  oauthIssuer: {
    env: 'OAUTH_ISSUER',
    schema: url(['https']).optional(),
    help: 'Issuer URL of the identity provider for MCP clients; defaults to this server',
  },
  secret: {
    env: 'OVERTURE_SECRET',
    schema: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
    help: 'Key for stored passwords, links in emails and signed cursors; generated in the data folder by default',
  },
  systemSmtpUrl: {
    env: 'SYSTEM_SMTP_URL',
    schema: url(['smtp', 'smtps']).optional(),
    help: 'SMTP server for invitations and password resets, such as smtps://user:password@mail.acme.example',
  },
  systemMailFrom: {
    env: 'SYSTEM_MAIL_FROM',
    schema: z.string().includes('@').optional(),
    help: 'Sender address of invitations and password resets',
  },
  rateLimitPerMinute: {
    env: 'RATE_LIMIT_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000).default(100),
    help: 'API requests per minute and account; 0 disables all rate limits except for sign-in codes',
  },
  writeLimitPerMinute: {
    env: 'WRITE_LIMIT_PER_MINUTE',
    schema: wholeNumber(1, 1_000_000).default(10),
    help: 'Requests per minute and account that may add prospects, and as many that may create drafts',
  },
  maxConnections: {
    env: 'MAX_CONNECTIONS',
    schema: wholeNumber(1, 1_000_000).default(4096),
    help: 'Maximum number of open connections',
  },
  maxConnectionsPerAddress: {
    env: 'MAX_CONNECTIONS_PER_ADDRESS',
    schema: wholeNumber(1, 1_000_000).default(256),
    help: 'Maximum number of open connections per IPv4 address or IPv6 /64 network; trusted proxies are exempt',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    help: 'Log level: fatal, error, warn, info, debug or silent',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    schema: z
      .string()
      .transform(value => value.split(',').map(origin => origin.trim()))
      .default([]),
    help: 'Comma-separated web origins whose scripts may call the API',
  },
  privateHosts: {
    env: 'ALLOW_PRIVATE_HOSTS',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim()))
      .default([]),
    help: 'Comma-separated hosts on private addresses that mailboxes, webhooks, voice providers, single sign-on and the reply agent may use',
  },
  vapiUrl: {
    env: 'VAPI_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .default('https://api.vapi.ai'),
    help: 'API URL of the voice provider Vapi, for other regions',
  },
  retellUrl: {
    env: 'RETELL_URL',
    schema: url(['http', 'https'])
      .transform(value => value.replace(/\/+$/, ''))
      .default('https://api.retellai.com'),
    help: 'API URL of the voice provider Retell, for other regions',
  },
  dnsServers: {
    env: 'DNS_SERVERS',
    schema: z
      .string()
      .transform(value => value.split(',').map(server => server.trim()))
      .refine(isNameServers, { error: 'must be addresses with an optional port, such as 192.0.2.1:53' })
      .default([]),
    help: 'Comma-separated name servers for checks of sending domains; defaults to those of the system',
  },
  metricsHosts: {
    env: 'METRICS_ALLOW',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim()))
      .default(['127.0.0.1', '::1', '::ffff:127.0.0.1']),
    help: 'Comma-separated addresses that may read /metrics',
  },
  inboxMaxAgeSeconds: {
    env: 'INBOX_MAX_AGE_SECONDS',
    schema: wholeNumber(1, 86_400).default(600),
    help: 'Follow-ups wait while the last sync of the inbox is older than this',
  },
  role: {
    env: 'OVERTURE_ROLE',
    schema: z.enum(['web', 'engine', 'all'], { error: 'must be web, engine or all' }).default('all'),
    help: 'Role of this process: web serves requests, engine sends and receives email, all does both',
  },
  healthPort: {
    env: 'HEALTH_PORT',
    schema: wholeNumber(0, 65_535).optional(),
    help: 'Separate port for /healthz, /readyz and /metrics, for an engine without a web server',
  },
  isOutputChecked: {
    env: 'CHECK_OUTPUT',
    schema: flag.default(false),
    help: 'Validate every response against the contract (for development)',
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
  /** Undefined for secrets, which must not show in process lists. */
  flag: string | undefined
  help: string
  /** The default value. */
  fallback: unknown
}

/** Returns the settings for help texts and the flags of the command line. */
export const describeSettings = (): Setting[] =>
  Object.entries(settings).map(([name, { env, schema, help }]) => ({
    name: name as keyof Config,
    env,
    flag: name === 'secret' ? undefined : toFlag(env),
    help,
    fallback: schema.parse(undefined),
  }))

/** OVERTURE_DATA → --data, PUBLIC_URL → --public-url */
const toFlag = (env: string): string =>
  `--${env
    .replace(/^OVERTURE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`

const secretSettings = ['secret', 'databaseUrl', 'databasePoolUrl', 'redisUrl', 'systemSmtpUrl']

/**
 * Reads the configuration; nothing else reads the environment. Flags override variables, and variables override
 * `fallbacks`; an empty variable counts as absent. Throws one ConfigError with all problems.
 */
export function readConfig(
  flags: ConfigFlags = {},
  environment: NodeJS.ProcessEnv = process.env,
  fallbacks: ConfigFlags = {},
): Config {
  const problems: string[] = []
  const getText = (name: keyof Config): string | undefined =>
    flags[name] ?? (environment[settings[name].env] || fallbacks[name])
  const entries = Object.entries(settings).map(([name, { env, schema }]) => {
    const flagValue = flags[name as keyof Config]
    const text = getText(name as keyof Config)
    const parsed = schema.safeParse(text)
    if (!parsed.success) {
      const source = flagValue === undefined ? env : toFlag(env)
      problems.push(
        `${source} ${JSON.stringify(secretSettings.includes(name) ? '…' : text)}: ${parsed.error.issues[0]?.message}`,
      )
    }
    return [name, parsed.data]
  })
  problems.push(...findMailFaults(getText))
  const config = Object.fromEntries(entries) as Config
  if (problems.length > 0) throw new ConfigError(`Some settings are not usable:\n  ${problems.join('\n  ')}`)
  return config.dataDir && !isAbsolute(config.dataDir)
    ? { ...config, dataDir: resolve(config.dataDir) }
    : config
}

/** With half of them an inviter would be shown the link that the operator believes to be mailed. */
function findMailFaults(getText: (name: keyof Config) => string | undefined): string[] {
  const isGiven = (name: keyof Config) => getText(name) !== undefined
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
