import { AVERAGE_GAP, type CapsAhead, MAX_SENDS_PER_MAILBOX, type SendQuota } from '../mailboxes/quota.ts'

const DAY_MS = 24 * 3_600_000

type Attempts = { at: number; count: number }

export type MailboxFacts = {
  id: string
  email: string
  capsAhead: CapsAhead
  minGapSeconds: number
  gapEndsAt: number | null
  /** Emails from the last 24 hours, and queued ones with the current time; oldest first. */
  attempts: Attempts[]
}

/** The quota of a mailbox in simulated time, by the rules that `lockQuota` applies to stored attempts. */
export class SimulatedMailbox {
  readonly id: string
  readonly email: string
  readonly #caps: number[]
  /** Index of the cap that applies. */
  #rampDay = 0
  #dayEndsAt: number
  #hasSentToday: boolean
  readonly #gapMs: number
  readonly #perGap: number
  #attempts: Attempts[]
  #used: number
  #gapEndsAt: number

  /** With a gap, sends `perGap` emails at once and then waits for as many gaps, so that it simulates fewer sends. */
  constructor({ id, email, capsAhead, minGapSeconds, gapEndsAt, attempts }: MailboxFacts, perGap: number) {
    this.id = id
    this.email = email
    this.#caps = capsAhead.caps
    this.#dayEndsAt = capsAhead.dayEndsAt ?? Number.POSITIVE_INFINITY
    this.#hasSentToday = capsAhead.hasSentToday
    this.#gapMs = minGapSeconds * 1_000 * AVERAGE_GAP
    this.#perGap = perGap
    this.#attempts = [...attempts]
    this.#used = attempts.reduce((sum, { count }) => sum + count, 0)
    this.#gapEndsAt = gapEndsAt ?? Number.NEGATIVE_INFINITY
  }

  /** Returns the quota at a time. Times must not decrease from call to call. */
  getQuota(now: number): SendQuota & { remaining: number } {
    this.#forget(now)
    const cap = this.#getCap(now)
    const remaining = cap - this.#used
    return {
      remaining: this.#gapMs > 0 ? Math.min(this.#perGap, remaining) : remaining,
      capResetsAt: remaining > 0 ? null : new Date(this.#findReset(cap)),
      gapEndsAt: this.#gapEndsAt > now ? new Date(this.#gapEndsAt) : null,
    }
  }

  /** Returns the number of steps that the engine claims for the mailbox in one batch. */
  get claimSize(): number {
    if (this.#gapMs > 0) return this.#perGap
    return this.#caps.length > 0 ? MAX_SENDS_PER_MAILBOX : Number.POSITIVE_INFINITY
  }

  isWarmingUp(now: number): boolean {
    return this.#getCap(now) < (this.#caps.at(-1) ?? 0)
  }

  send(now: number, count: number): void {
    if (this.#gapMs > 0) this.#gapEndsAt = now + count * this.#gapMs
    if (this.#caps.length === 0) return
    this.#advance(now)
    this.#hasSentToday = true
    const last = this.#attempts.at(-1)
    if (last?.at === now) last.count += count
    else this.#attempts.push({ at: now, count })
    this.#used += count
  }

  #getCap(now: number): number {
    this.#advance(now)
    return this.#caps[this.#rampDay] ?? Number.POSITIVE_INFINITY
  }

  /** Advances the warm-up after each day on which the mailbox sent. */
  #advance(now: number): void {
    for (; this.#dayEndsAt <= now; this.#dayEndsAt += DAY_MS) {
      if (this.#hasSentToday && this.#rampDay < this.#caps.length - 1) this.#rampDay++
      this.#hasSentToday = false
    }
  }

  #forget(now: number): void {
    const first = this.#attempts.findIndex(({ at }) => at > now - DAY_MS)
    for (const { count } of this.#attempts.splice(0, first === -1 ? this.#attempts.length : first))
      this.#used -= count
  }

  /** Returns the time at which enough emails are a day old, or at which the warm-up raises the cap. */
  #findReset(cap: number): number {
    const capRisesAt = this.#rampDay < this.#caps.length - 1 ? this.#dayEndsAt : Number.POSITIVE_INFINITY
    let used = this.#used
    for (const { at, count } of this.#attempts) {
      used -= count
      if (used < cap) return Math.min(capRisesAt, at + DAY_MS)
    }
    return capRisesAt
  }
}
