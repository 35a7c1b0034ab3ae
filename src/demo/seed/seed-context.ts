import { createHash } from 'node:crypto'
import type { AccountKey } from '../data/accounts.ts'

/** Rows of one table, all with the same columns. */
export type Rows = Record<string, unknown>[]

/** IDs and times of one account's seed data: IDs are the same in every demo, times are relative to its first start. */
export type SeedContext = {
  accountId: string
  id: (kind: string, ...names: string[]) => string
  /** Returns a time in UTC (`HH:MM`) on the day `daysAgo` days before the demo's first start. */
  at: (daysAgo: number, time?: string) => Date
}

const DAY_MS = 24 * 3_600_000

export const createSeedContext = (account: AccountKey, seededAt: Date): SeedContext => {
  const midnight = Math.floor(seededAt.getTime() / DAY_MS) * DAY_MS
  return {
    accountId: getAccountId(account),
    id: (...names) => toSeedId(account, ...names),
    at: (daysAgo, time = '08:00') => {
      const [hours = 0, minutes = 0] = time.split(':').map(Number)
      return new Date(midnight - daysAgo * DAY_MS + (hours * 60 + minutes) * 60_000)
    },
  }
}

export const getAccountId = (account: AccountKey): string => toSeedId('account', account)

export const getUserId = (email: string): string => toSeedId('user', email)

/** Returns a UUID in the form of version 7, derived from the names. */
function toSeedId(...names: string[]): string {
  const digits = createHash('sha256').update(names.join('\0')).digest('hex')
  const slice = (from: number, length: number) => digits.slice(from, from + length)
  return `019b0000-${slice(0, 4)}-7${slice(4, 3)}-8${slice(7, 3)}-${slice(10, 12)}`
}

export const addMinutes = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * 60_000)
