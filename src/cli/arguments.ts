import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InvalidArgumentError, Option } from 'commander'
import { text } from '../contract/page.ts'
import { roles } from '../contract/permissions.ts'
import { canonicalEmail } from '../server/protocols/identity/email.ts'
import { isTimezone } from '../server/protocols/identity/timezone.ts'

// Readers of arguments: what they refuse is a wrong use of the command, told before anything is opened.

export function readEmail(text: string): string {
  const email = canonicalEmail(text)
  if (!email) throw new InvalidArgumentError('It must be a valid email address.')
  return email
}

export function readName(given: string): string {
  const name = text(200).safeParse(given)
  if (!name.success)
    throw new InvalidArgumentError('A name is one line of 1 to 200 characters, without control characters.')
  return name.data
}

export function readTimezone(text: string): string {
  if (!isTimezone(text))
    throw new InvalidArgumentError('It must be an IANA time zone, such as Europe/Lisbon.')
  return text
}

export function readCountry(text: string): string {
  if (!/^[A-Za-z]{2}$/.test(text)) throw new InvalidArgumentError('Give two letters, as in GB.')
  return text.toUpperCase()
}

export function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError('A port is a number from 1 to 65535.')
  }
  return port
}

export function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 99999.')
  return Number(text)
}

export const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

export function readId(text: string): string {
  if (!isId(text)) throw new InvalidArgumentError('It is no id, as in 01980000-0000-7000-8000-000000000001.')
  return text.toLowerCase()
}

export function readPrice(text: string): number {
  if (!/^\d{1,5}(?:\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('Give US dollars, as in 2.50.')
  return Number(text)
}

/** A day, from its beginning in UTC, or an instant; as ISO 8601 writes it. */
export function readInstant(text: string): string {
  try {
    return Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text).toString()
  } catch {
    throw new InvalidArgumentError('Give a day as in 2026-11-20, or a time as in 2026-11-20T08:00:00Z.')
  }
}

const hoursIn: Record<string, number> = { h: 1, d: 24, w: 7 * 24 }

/** `90d`, `12h`, `4w`; a day, which is then the last one (UTC); or an instant. */
export function readExpiry(text: string): Date {
  const at = expiryOf(text)
  if (!at) throw new InvalidArgumentError('Give a number of days as in 90d, or a date as in 2027-03-31.')
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('That is in the past.')
  return at
}

function expiryOf(text: string): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  try {
    const instant = count
      ? Temporal.Instant.fromEpochMilliseconds(Date.now()).add({ hours: Number(count) * hoursIn[unit]! })
      : Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T23:59:59.999Z` : text)
    return new Date(instant.epochMilliseconds)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** `Header=field`, as often as wanted; without a field the column is left out. */
export function readMapping(
  text: string,
  earlier: Record<string, string | null> = {},
): Record<string, string | null> {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new InvalidArgumentError('Give the column and the field, as in "Work Email=email".')
  return { ...earlier, [text.slice(0, at).trim()]: text.slice(at + 1).trim() || null }
}

export const accountOption = (): Option =>
  new Option('--account <name-or-id>', 'account to work on; not needed when there is only one').argParser(
    readName,
  )

export const roleOption = (): Option =>
  new Option('--role <role>', 'what they may do').choices([...roles]).makeOptionMandatory()

/** A password is typed unseen or piped in: arguments show in the list of processes and the shell's history. */
export async function readPassword(name = 'Password'): Promise<string> {
  const { stdin, stderr } = process
  if (stdin.isTTY) stderr.write(`${name}: `)
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: unseen, terminal: stdin.isTTY ?? false })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
