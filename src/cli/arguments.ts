import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InvalidArgumentError, Option } from 'commander'
import { text } from '../contract/page.ts'
import { roles } from '../contract/permissions.ts'
import { canonicalEmail } from '../server/protocols/identity/email.ts'
import { isTimezone } from '../server/protocols/identity/timezone.ts'
import { StopError } from './stop-signal.ts'

// Argument parsers throw InvalidArgumentError, which ends the command before anything is opened.

export function parseEmail(value: string): string {
  const email = canonicalEmail(value)
  if (!email) throw new InvalidArgumentError('Must be a valid email address.')
  return email
}

export function parseName(value: string): string {
  const name = text(200).safeParse(value)
  if (!name.success)
    throw new InvalidArgumentError('Must be one line of 1 to 200 characters without control characters.')
  return name.data
}

export function parseTimezone(value: string): string {
  if (!isTimezone(value)) throw new InvalidArgumentError('Must be an IANA time zone, such as Europe/Lisbon.')
  return value
}

export function parseCountry(value: string): string {
  if (!/^[A-Za-z]{2}$/.test(value))
    throw new InvalidArgumentError('Must be a two-letter country code, such as GB.')
  return value.toUpperCase()
}

export function parsePort(value: string): number {
  const port = Number(value)
  if (!/^\d{1,5}$/.test(value) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Must be a port number from 1 to 65535.')
  return port
}

export function parseCount(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new InvalidArgumentError('Must be a whole number from 1 to 99999.')
  return Number(value)
}

export const isId = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

export function parseId(value: string): string {
  if (!isId(value))
    throw new InvalidArgumentError('Must be an ID, such as 01980000-0000-7000-8000-000000000001.')
  return value.toLowerCase()
}

export function parsePrice(value: string): number {
  if (!/^\d{1,5}(?:\.\d{1,6})?$/.test(value))
    throw new InvalidArgumentError('Must be an amount in US dollars, such as 2.50.')
  return Number(value)
}

/** Parses an ISO 8601 date (its start in UTC) or date-time. */
export function parseInstant(value: string): string {
  try {
    return Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value).toString()
  } catch {
    throw new InvalidArgumentError('Must be a date (2026-11-20) or a time (2026-11-20T08:00:00Z).')
  }
}

const hoursPerUnit: Record<string, number> = { h: 1, d: 24, w: 7 * 24 }

/** Parses a duration (`90d`, `12h`, `4w`), a date (valid through its end in UTC) or a date-time. */
export function parseExpiry(value: string): Date {
  const expiresAt = toExpiry(value)
  if (!expiresAt)
    throw new InvalidArgumentError('Must be a duration, such as 90d, or a date, such as 2027-03-31.')
  if (expiresAt.getTime() <= Date.now()) throw new InvalidArgumentError('Must be in the future.')
  return expiresAt
}

function toExpiry(value: string): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(value) ?? []
  try {
    const instant = count
      ? Temporal.Instant.fromEpochMilliseconds(Date.now()).add({ hours: Number(count) * hoursPerUnit[unit]! })
      : Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T23:59:59.999Z` : value)
    return new Date(instant.epochMilliseconds)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Parses a repeatable `Column=field`; a column without a field is ignored by the import. */
export function parseColumnMapping(
  value: string,
  previous: Record<string, string | null> = {},
): Record<string, string | null> {
  const separator = value.lastIndexOf('=')
  if (separator < 1)
    throw new InvalidArgumentError('Must be a column and a field, such as "Work Email=email".')
  return { ...previous, [value.slice(0, separator).trim()]: value.slice(separator + 1).trim() || null }
}

export const accountOption = (): Option =>
  new Option('--account <name-or-id>', 'Account to use; optional when there is only one').argParser(parseName)

export const columnMappingOption = (): Option =>
  new Option('--map <column=field>', 'Import a column as this field; repeatable').argParser(
    parseColumnMapping,
  )

/** Parses a repeatable `Column=key` of a custom field. */
export function parseCustomColumn(
  value: string,
  previous: Record<string, string> = {},
): Record<string, string> {
  const [[column, key] = []] = Object.entries(parseColumnMapping(value))
  if (!key) throw new InvalidArgumentError('Must be a column and the key of a field, such as "Plan=plan".')
  return { ...previous, [column!]: key }
}

export const roleOption = (): Option =>
  new Option('--role <role>', 'Role of the member').choices([...roles]).makeOptionMandatory()

/**
 * Reads a secret from a hidden prompt or a pipe: arguments show in process lists and the shell's history. Throws a
 * StopError on Ctrl-C, and the reason of `signal` when the signal aborts.
 */
export async function readSecret(label = 'Password', signal?: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    ...{ input: stdin, output: hidden, terminal: stdin.isTTY ?? false },
    ...(signal && { signal }),
  })
  // The prompt is written only once the terminal no longer shows what is typed.
  if (stdin.isTTY) stderr.write(`${label}: `)
  let isInterrupted = false
  // A terminal in raw mode sends Ctrl-C as a key, not as a signal to the process.
  lines.on('SIGINT', () => {
    isInterrupted = true
    lines.close()
  })
  try {
    for await (const line of lines) return line
    if (isInterrupted) throw new StopError('SIGINT')
    signal?.throwIfAborted()
    return ''
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
