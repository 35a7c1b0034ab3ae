import { createHash } from 'node:crypto'
import type { AccountKey } from './accounts.ts'

/** Rows of one table; all of them name the same columns. */
export type Rows = Record<string, unknown>[]

/** Tells the past of one account: its ids are the same in every demo, its times hang on the day it was made. */
export type Teller = {
  accountId: string
  id: (kind: string, ...names: string[]) => string
  /** So many days before the day on which the demo was made, at that time in UTC. */
  at: (daysAgo: number, time?: string) => Date
}

const DAY_MS = 24 * 3_600_000

export const openTeller = (account: AccountKey, madeAt: Date): Teller => {
  const midnight = Math.floor(madeAt.getTime() / DAY_MS) * DAY_MS
  return {
    accountId: accountIdOf(account),
    id: (...names) => demoId(account, ...names),
    at: (daysAgo, time = '08:00') => {
      const [hours = 0, minutes = 0] = time.split(':').map(Number)
      return new Date(midnight - daysAgo * DAY_MS + (hours * 60 + minutes) * 60_000)
    },
  }
}

export const accountIdOf = (account: AccountKey): string => demoId('account', account)

export const userIdOf = (email: string): string => demoId('user', email)

/** A uuid of version 7 in form, made of the names alone. */
function demoId(...names: string[]): string {
  const digits = createHash('sha256').update(names.join('\0')).digest('hex')
  const part = (from: number, length: number) => digits.slice(from, from + length)
  return `019b0000-${part(0, 4)}-7${part(4, 3)}-8${part(7, 3)}-${part(10, 12)}`
}

export const minutesAfter = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * 60_000)
