import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { z } from 'zod'
import { settings } from './config-settings.ts'

export type Config = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }
export type ConfigFlags = { [K in keyof Config]?: string | undefined }

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Setting = {
  name: keyof Config
  env: string
  /** Undefined for settings that can't be passed as a flag, because arguments are visible in the process list. */
  flag: string | undefined
  help: string
  defaultValue: unknown
}

/** Lists the settings for help texts and command-line flags. */
export const describeSettings = (): Setting[] =>
  Object.entries(settings).map(([name, { env, schema, help }]) => ({
    name: name as keyof Config,
    env,
    flag: settingsWithoutFlag.includes(name) ? undefined : toFlag(env),
    help,
    defaultValue: schema.parse(undefined),
  }))

/** Converts OVERTURE_DATA to --data, and PUBLIC_URL to --public-url. */
const toFlag = (env: string): string =>
  `--${env
    .replace(/^OVERTURE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`

const secretSettings = [
  'secret',
  'databaseUrl',
  'databasePoolUrl',
  'redisUrl',
  'systemSmtpUrl',
  'googleClientSecret',
  'microsoftClientSecret',
]
const settingsWithoutFlag = ['secret', 'googleClientSecret', 'microsoftClientSecret']

/**
 * Reads the server configuration from flags, environment variables and `defaults`, in this order of precedence.
 * Ignores empty variables. Throws one ConfigError that lists all problems.
 */
export function readConfig(
  flags: ConfigFlags = {},
  environment: NodeJS.ProcessEnv = process.env,
  defaults: ConfigFlags = {},
): Config {
  const problems: string[] = []
  const getRawValue = (name: keyof Config): string | undefined =>
    flags[name] ?? (environment[settings[name].env] || defaults[name])
  const entries = Object.entries(settings).map(([name, { env, schema }]) => {
    const flagValue = flags[name as keyof Config]
    const text = getRawValue(name as keyof Config)
    const parsed = schema.safeParse(text)
    if (!parsed.success) {
      const source = flagValue === undefined ? env : toFlag(env)
      problems.push(
        `${source} ${JSON.stringify(secretSettings.includes(name) ? '…' : text)}: ${parsed.error.issues[0]?.message}`,
      )
    }
    return [name, parsed.data]
  })
  problems.push(...findSystemMailProblems(getRawValue), ...findClientProblems(getRawValue))
  const config = Object.fromEntries(entries) as Config
  if (problems.length > 0) throw new ConfigError(`Invalid configuration:\n  ${problems.join('\n  ')}`)
  return config.dataDir && !isAbsolute(config.dataDir)
    ? { ...config, dataDir: resolve(config.dataDir) }
    : config
}

/**
 * Returns a problem for each missing setting when system mail is only partly configured. Without this check, links that
 * the operator expects to be emailed would be shown to the inviter instead.
 */
function findSystemMailProblems(getRawValue: (name: keyof Config) => string | undefined): string[] {
  const isSet = (name: keyof Config) => getRawValue(name) !== undefined
  if (!isSet('systemSmtpUrl') && !isSet('systemMailFrom')) return []
  const missing = (['systemSmtpUrl', 'systemMailFrom', 'publicUrl'] as const).filter(name => !isSet(name))
  return missing.map(
    name =>
      `${settings[name].env}: is required; system mail needs SYSTEM_SMTP_URL, SYSTEM_MAIL_FROM and PUBLIC_URL`,
  )
}

/** Returns a problem for each OAuth client that has an ID but no secret, or a secret but no ID. */
const findClientProblems = (getRawValue: (name: keyof Config) => string | undefined): string[] =>
  (['google', 'microsoft'] as const).flatMap(provider => {
    const names = [`${provider}ClientId`, `${provider}ClientSecret`] as const
    const missing = names.filter(name => getRawValue(name) === undefined)
    const [id, secret] = names.map(name => settings[name].env)
    return missing.length === 1
      ? `${settings[missing[0]!].env}: is required; ${id} and ${secret} belong together`
      : []
  })

/** Returns the settings of the `overture api` commands, which need no installation. */
export const readClientSettings = (env = process.env) => ({
  url: env.OVERTURE_URL,
  token: env.OVERTURE_TOKEN,
  configHome: env.XDG_CONFIG_HOME || join(homedir(), '.config'),
})

/** Loopback hosts as written in a URL. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Returns the base URL for links; falls back to localhost when PUBLIC_URL is not set. */
export const getPublicUrl = ({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string =>
  publicUrl ?? `http://localhost:${port}`
