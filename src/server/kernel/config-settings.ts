import { Resolver } from 'node:dns'
import { z } from 'zod'
import { isAddressRange } from './address-range.ts'
import { parseMailServers } from './mail-servers.ts'

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
const isUrl = (text: string, schemes: string[]): boolean =>
  schemes.includes(URL.parse(text)?.protocol.slice(0, -1) ?? '')
const url = (schemes: string[]) =>
  z.string().refine(value => isUrl(value, schemes), {
    error: `must be a URL that starts with ${schemes.map(scheme => `${scheme}://`).join(' or ')}`,
  })
const baseUrl = url(['http', 'https']).transform(value => value.replace(/\/+$/, ''))
const flag = z
  .enum(['1', '0', 'true', 'false'], { error: 'must be 1, 0, true or false' })
  .transform(value => value === '1' || value === 'true')

/** A comma-separated list of IP addresses and CIDR ranges. */
const addressRanges = z
  .string()
  .transform(value => value.split(',').map(range => range.trim()))
  .refine(ranges => ranges.every(isAddressRange), {
    error: 'must be a comma-separated list of IP addresses or CIDR ranges, such as 127.0.0.1, 10.1.0.0/16',
  })

/** Returns whether the text is exactly what a browser sends in the Origin header. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.host !== '' && text === `${url.protocol}//${url.host}`
}

const mailServers = z.string().refine(value => parseMailServers(value) !== undefined, {
  error: 'must be two URLs, such as smtps://smtp.acme.example:465,imaps://imap.acme.example:993',
})

function isNameServerList(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}

/**
 * All settings, each with its environment variable and description. `bin/overture serve --help` and docs/operating.md
 * show this table. A command-line flag overrides its environment variable.
 */
export const settings = {
  port: {
    env: 'PORT',
    schema: wholeNumber(0, 65_535).default(4400),
    help: 'Port to listen on; 0 picks a free port',
  },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1'), help: 'Address to listen on' },
  dataDir: {
    env: 'OVERTURE_DATA',
    schema: z.string().optional(),
    help: 'Folder for the database, secrets and sandbox mail',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    schema: url(['postgres', 'postgresql']).optional(),
    help: 'URL of a PostgreSQL server (15.14 or newer) to use instead of the embedded one',
  },
  databasePoolUrl: {
    env: 'DATABASE_POOL_URL',
    schema: url(['postgres', 'postgresql']).optional(),
    help: 'URL of a PgBouncer instance in transaction mode in front of that server, configured as docs/operating.md describes',
  },
  redisUrl: {
    env: 'REDIS_URL',
    schema: url(['redis', 'rediss']).optional(),
    help: 'URL of a Redis or Valkey server that shares rate limits between processes',
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
        error:
          'must be a comma-separated list of host names without ports, such as crm.acme.example, .acme.example',
      })
      .default([]),
    help: 'Comma-separated host names to accept in addition to the one in PUBLIC_URL; .acme.example includes its subdomains',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    schema: addressRanges.default([]),
    help: 'Comma-separated IP addresses or CIDR ranges of reverse proxies whose X-Forwarded-For header is trusted',
  },
  oauthIssuer: {
    env: 'OAUTH_ISSUER',
    schema: url(['https']).optional(),
    help: 'Issuer URL of the identity provider that signs OAuth access tokens; defaults to this server',
  },
  secret: {
    env: 'OVERTURE_SECRET',
    schema: z.string().min(32, { error: 'must be at least 32 characters long' }).optional(),
    help: 'Key that encrypts stored secrets and signs links and cursors; by default, generated and stored in the data folder',
  },
  systemSmtpUrl: {
    env: 'SYSTEM_SMTP_URL',
    schema: url(['smtp', 'smtps']).optional(),
    help: 'SMTP server for invitations, password resets and notifications, such as smtps://user:password@mail.acme.example',
  },
  systemMailFrom: {
    env: 'SYSTEM_MAIL_FROM',
    schema: z.string().includes('@').optional(),
    help: 'Sender address for invitations, password resets and notifications',
  },
  rateLimitPerMinute: {
    env: 'RATE_LIMIT_PER_MINUTE',
    schema: wholeNumber(0, 1_000_000).default(100),
    help: 'API requests per minute per account; 0 turns off all rate limits except the one for sign-in codes',
  },
  writeLimitPerMinute: {
    env: 'WRITE_LIMIT_PER_MINUTE',
    schema: wholeNumber(1, 1_000_000).default(10),
    help: 'Limit per minute per account for requests that add prospects, and separately for those that create drafts',
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
    help: 'Minimum level of log messages',
  },
  corsOrigins: {
    env: 'CORS_ORIGINS',
    schema: z
      .string()
      .transform(value => value.split(',').map(origin => origin.trim()))
      .refine(origins => origins.every(isOrigin), {
        error: 'must be a comma-separated list of origins without a path, such as https://crm.acme.example',
      })
      .default([]),
    help: 'Comma-separated origins allowed to call the API from a browser (CORS)',
  },
  privateHosts: {
    env: 'ALLOW_PRIVATE_HOSTS',
    schema: z
      .string()
      .transform(value => value.split(',').map(host => host.trim()))
      .default([]),
    help: 'Comma-separated hosts on private addresses that mailboxes, webhooks, voice providers, single sign-on and the reply agent may connect to',
  },
  vapiUrl: {
    env: 'VAPI_URL',
    schema: baseUrl.default('https://api.vapi.ai'),
    help: 'Base URL of the Vapi API; change it to use another region',
  },
  retellUrl: {
    env: 'RETELL_URL',
    schema: baseUrl.default('https://api.retellai.com'),
    help: 'Base URL of the Retell API; change it to use another region',
  },
  googleOauthUrl: {
    env: 'GOOGLE_OAUTH_URL',
    schema: baseUrl.default('https://oauth2.googleapis.com'),
    help: 'Base URL of the server that issues Google tokens for mailboxes',
  },
  googleMailServers: {
    env: 'GOOGLE_MAIL_SERVERS',
    schema: mailServers.default('smtps://smtp.gmail.com:465,imaps://imap.gmail.com:993'),
    help: 'URLs of the SMTP and IMAP servers of mailboxes connected to Google; smtp:// and imap:// use STARTTLS',
  },
  googleClientId: {
    env: 'GOOGLE_CLIENT_ID',
    schema: z.string().optional(),
    help: 'Google client ID for connecting mailboxes; accounts can store their own',
  },
  googleClientSecret: {
    env: 'GOOGLE_CLIENT_SECRET',
    schema: z.string().optional(),
    help: 'Client secret that belongs to GOOGLE_CLIENT_ID',
  },
  microsoftLoginUrl: {
    env: 'MICROSOFT_LOGIN_URL',
    schema: baseUrl.default('https://login.microsoftonline.com'),
    help: 'Base URL of the server that issues Microsoft tokens for mailboxes; change it for a national cloud',
  },
  microsoftMailServers: {
    env: 'MICROSOFT_MAIL_SERVERS',
    schema: mailServers.default('smtp://smtp.office365.com:587,imaps://outlook.office365.com:993'),
    help: 'URLs of the SMTP and IMAP servers of mailboxes connected to Microsoft; change them for a national cloud',
  },
  microsoftClientId: {
    env: 'MICROSOFT_CLIENT_ID',
    schema: z.string().optional(),
    help: 'Microsoft client ID for connecting mailboxes; accounts can store their own',
  },
  microsoftClientSecret: {
    env: 'MICROSOFT_CLIENT_SECRET',
    schema: z.string().optional(),
    help: 'Client secret that belongs to MICROSOFT_CLIENT_ID',
  },
  microsoftTenant: {
    env: 'MICROSOFT_TENANT',
    schema: z
      .string()
      .regex(/^[a-z\d.-]+$/i, { error: 'must be a tenant ID, organizations, consumers or common' })
      .default('organizations'),
    help: 'Microsoft tenant whose users may connect mailboxes: a tenant ID, organizations, consumers or common',
  },
  dnsServers: {
    env: 'DNS_SERVERS',
    schema: z
      .string()
      .transform(value => value.split(',').map(server => server.trim()))
      .refine(isNameServerList, {
        error: 'must be a comma-separated list of IP addresses with optional ports, such as 192.0.2.1:53',
      })
      .default([]),
    help: 'Comma-separated DNS servers for checking domains of senders and recipients; defaults to the system resolver',
  },
  mailSettingsUrl: {
    env: 'MAIL_SETTINGS_URL',
    schema: z
      .string()
      .refine(value => value === 'none' || isUrl(value, ['http', 'https']), {
        error: 'must be none or a URL that starts with http:// or https://',
      })
      .transform(value => (value === 'none' ? '' : value.replace(/\/+$/, '')))
      .default('https://autoconfig.thunderbird.net/v1.1'),
    help: 'URL of a database of mail servers by domain, queried when a mailbox is connected; set it to none to turn this off',
  },
  metricsAddresses: {
    env: 'METRICS_ALLOW',
    schema: addressRanges.default(['127.0.0.1', '::1']),
    help: 'Comma-separated IP addresses or CIDR ranges that may read /metrics',
  },
  inboxMaxAgeSeconds: {
    env: 'INBOX_MAX_AGE_SECONDS',
    schema: wholeNumber(1, 86_400).default(600),
    help: 'Pause follow-ups when the inbox that may hold a reply was last synced more than this many seconds ago',
  },
  role: {
    env: 'OVERTURE_ROLE',
    schema: z.enum(['web', 'engine', 'all'], { error: 'must be web, engine or all' }).default('all'),
    help: 'Role of this process: web serves requests, engine sends and receives mail, all does both',
  },
  healthPort: {
    env: 'HEALTH_PORT',
    schema: wholeNumber(0, 65_535).optional(),
    help: 'Separate port for /healthz, /readyz and /metrics; an engine process serves them nowhere else',
  },
  isOutputChecked: {
    env: 'CHECK_OUTPUT',
    schema: flag.default(false),
    help: 'Validate every response against the API contract (for development)',
  },
} as const satisfies Record<string, { env: string; schema: z.ZodType; help: string }>
