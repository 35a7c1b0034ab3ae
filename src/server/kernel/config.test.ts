import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ConfigError, describeSettings, readConfig } from './config.ts'

it('has a default for every required setting', () => {
  expect(readConfig({}, {})).toMatchObject({
    port: 4400,
    host: '127.0.0.1',
    rateLimitPerMinute: 100,
    logLevel: 'info',
    role: 'all',
    corsOrigins: [],
  })
})

it('prefers a flag to a variable and ignores an empty variable', () => {
  const environment = { PORT: '8080', HOST: '', OVERTURE_ROLE: 'web', OVERTURE_DATA: 'here' }
  expect(readConfig({ port: '9090' }, environment)).toMatchObject({
    port: 9090,
    host: '127.0.0.1',
    role: 'web',
    dataDir: join(process.cwd(), 'here'),
  })
})

it('uses a default only when neither flag nor variable is set', () => {
  const defaults = { logLevel: 'warn' }
  expect(readConfig({}, {}, defaults).logLevel).toBe('warn')
  expect(readConfig({}, { LOG_LEVEL: 'info' }, defaults).logLevel).toBe('info')
  expect(readConfig({ logLevel: 'debug' }, {}, defaults).logLevel).toBe('debug')
})

it('reports all problems together, each under the name of its flag or variable, without secrets', () => {
  const read = () =>
    readConfig(
      { logLevel: 'loud', databaseUrl: 'mysql://me:hunter2@db/x' },
      { PORT: '70000', OVERTURE_SECRET: 'hunter2', REDIS_URL: 'http://:hunter2@cache' },
    )
  expect(read).toThrow(ConfigError)
  for (const name of [
    '--log-level "loud"',
    '--database-url',
    'PORT "70000"',
    'OVERTURE_SECRET',
    'REDIS_URL',
  ]) {
    expect(read).toThrow(name)
  }
  expect(read).not.toThrow('hunter2')
})

it.each([
  [['SYSTEM_SMTP_URL', 'SYSTEM_MAIL_FROM']],
  [['SYSTEM_SMTP_URL', 'PUBLIC_URL']],
  [['SYSTEM_SMTP_URL']],
  [['SYSTEM_MAIL_FROM', 'PUBLIC_URL']],
  [['SYSTEM_MAIL_FROM']],
])('rejects partial system mail settings and names the missing ones: only %j is set', given => {
  const all: Record<string, string> = {
    SYSTEM_SMTP_URL: 'smtps://user:hunter2@mail.acme.example',
    SYSTEM_MAIL_FROM: 'overture@acme.example',
    PUBLIC_URL: 'https://outreach.acme.example',
  }
  expect(readConfig({}, all)).toMatchObject({ systemMailFrom: 'overture@acme.example' })
  const read = () => readConfig({}, Object.fromEntries(given.map(name => [name, all[name]!])))
  expect(read).toThrow(ConfigError)
  for (const name of Object.keys(all)) {
    if (given.includes(name)) expect(read).not.toThrow(`\n  ${name}: is required`)
    else expect(read).toThrow(`\n  ${name}: is required`)
  }
  expect(() => readConfig({ port: 'x' }, { SYSTEM_MAIL_FROM: 'no address' })).toThrow(
    /--port "x".*SYSTEM_MAIL_FROM "no address".*SYSTEM_SMTP_URL: is required.*PUBLIC_URL: is required/s,
  )
})

it('accepts PUBLIC_URL without system mail', () => {
  expect(readConfig({}, { PUBLIC_URL: 'https://outreach.acme.example' }).systemSmtpUrl).toBeUndefined()
})

it('accepts only IP addresses and CIDR ranges as trusted proxies', () => {
  const read = (text: string) => readConfig({}, { TRUSTED_PROXIES: text }).trustedProxies
  expect(read('')).toEqual([])
  const all = ['127.0.0.1', '10.1.0.0/16', '::1', 'fd00::/8', '192.0.2.1/32']
  expect(read(all.join(', '))).toEqual(all)
  for (const wrong of [
    'loopback',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '1.2.3.4/',
    '0.0.0.0/0',
    '::/0',
    '1.2.3.4, ',
  ]) {
    expect(() => read(wrong), wrong).toThrow(
      /TRUSTED_PROXIES .* must be a comma-separated list of IP addresses/,
    )
  }
})

it.each([
  ['METRICS_ALLOW', 'prometheus', 'IP addresses or CIDR ranges'],
  ['METRICS_ALLOW', '10.0.0.0/33', 'IP addresses or CIDR ranges'],
  ['CORS_ORIGINS', 'https://crm.acme.example/', 'origins without a path'],
  ['CORS_ORIGINS', 'https://crm.acme.example, crm.acme.example', 'origins without a path'],
  ['CORS_ORIGINS', '*', 'origins without a path'],
  ['MAIL_SETTINGS_URL', 'off', 'none or a URL'],
  ['GOOGLE_CLIENT_ID', '1234', 'GOOGLE_CLIENT_SECRET: is required'],
  ['MICROSOFT_CLIENT_SECRET', '1234', 'MICROSOFT_CLIENT_ID: is required'],
])('rejects a setting that would have no effect: %s=%s', (name, text, problem) => {
  expect(() => readConfig({}, { [name]: text })).toThrow(problem)
})

it('accepts metrics ranges, origins of pages and extensions, a complete client, and `none` for mail settings', () => {
  const config = readConfig(
    {},
    {
      METRICS_ALLOW: '127.0.0.1, 10.0.0.0/8',
      CORS_ORIGINS: 'https://crm.acme.example:8443, chrome-extension://abcdef',
      MAIL_SETTINGS_URL: 'none',
      GOOGLE_CLIENT_ID: '1234',
      GOOGLE_CLIENT_SECRET: 'hunter2',
    },
  )
  expect(config).toMatchObject({
    metricsAddresses: ['127.0.0.1', '10.0.0.0/8'],
    corsOrigins: ['https://crm.acme.example:8443', 'chrome-extension://abcdef'],
    mailSettingsUrl: '',
    googleClientId: '1234',
  })
})

it('has a flag for every setting except secrets, which would show in the process list', () => {
  const settings = describeSettings()
  const flags = settings.flatMap(({ flag }) => flag ?? [])
  expect(flags).toEqual(expect.arrayContaining(['--port', '--host', '--data', '--role']))
  expect(new Set(flags).size).toBe(flags.length)
  expect(settings.filter(({ flag }) => !flag).map(({ name }) => name)).toEqual([
    'secret',
    'googleClientSecret',
    'microsoftClientSecret',
  ])
})

it.each([
  'smtps://smtp.acme.example:465',
  'smtps://smtp.acme.example:465,https://imap.acme.example:993',
  'smtps://smtp.acme.example,imaps://imap.acme.example',
])('rejects mail servers that are not one SMTP and one IMAP server with their ports: %s', urls => {
  expect(() => readConfig({}, { GOOGLE_MAIL_SERVERS: urls })).toThrow(/GOOGLE_MAIL_SERVERS.*two URLs/)
})
