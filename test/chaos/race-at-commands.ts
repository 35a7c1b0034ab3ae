import { setTimeout as sleep } from 'node:timers/promises'
import type { Fragment } from '../../src/server/kernel/db/database.ts'
import { type Failpoint, failpoints, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { parseEnvelopeAddress } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import type { Journal } from './journal.ts'
import { getRecipient, openJournaledSmtp } from './journaled-smtp.ts'

type Peers = Awaited<ReturnType<typeof openJournaledSmtp>>[]

/** The commands at which a change may start: before the gate decides whether the email may be sent, and after it. */
export type RacedCommand = 'RCPT' | 'DOT'

/**
 * Makes emails wait until a change is acknowledged, so that a race certainly ends in one of two ways. An email that
 * waits after RCPT must be withheld. One that waits after its final dot is in flight, and the change must report it.
 */
export class HeldEmails {
  readonly #held = new Map<string, Promise<unknown>>()
  #isDotHeld = false
  #count = 0

  /** Whether emails wait for the acknowledgement of a change. */
  get isHolding(): boolean {
    return this.#count > 0
  }

  /**
   * Holds emails at the server that received this command. They wait until the returned function is called. At the
   * final dot, only the first call holds an email: a change waits several seconds for emails in flight.
   */
  hold(command: RacedCommand, port: number): (() => void) | undefined {
    if (command === 'DOT' && this.#isDotHeld) return undefined
    this.#isDotHeld ||= command === 'DOT'
    const key = `${command === 'RCPT' ? 'smtp.flushed' : 'smtp.answered'} 127.0.0.1:${port}`
    const released = Promise.withResolvers<void>()
    this.#held.set(key, Promise.all([this.#held.get(key), released.promise]))
    this.#count += 1
    void released.promise.then(() => {
      this.#count -= 1
    })
    return released.resolve
  }

  find(name: Failpoint, key: string): Promise<unknown> | undefined {
    return this.#held.get(`${name} ${key}`)
  }
}

/** A change that races with an email to this address. Calls `acknowledge` when the response to the change arrives. */
type RacingChange = (email: string, acknowledge: () => void) => Promise<unknown>

/** Races between emails and changes. Each change starts while its email is at a random SMTP command. */
export type CommandRaces = AsyncDisposable & {
  peers: Peers
  /** The emails that wait for the acknowledgement of their change. */
  held: HeldEmails
  /** Draws a command for the email to each address; `begin` is called when the email is at that command. */
  draw: (emails: readonly string[], begin: RacingChange) => void
  /** Waits for the changes that have started. */
  finish: () => Promise<void>
}

export async function openCommandRaces(
  journal: Journal,
  { servers, random, oauth }: { servers: number; random: () => number; oauth?: OAuthServer | undefined },
): Promise<CommandRaces> {
  await using opened = new AsyncDisposableStack()
  const startsAt = new Map<string, RacedCommand>()
  const started: Promise<unknown>[] = []
  const held = new HeldEmails()
  let change: RacingChange = async () => undefined
  const peers: Peers = []
  for (let n = 0; n < servers; n += 1) {
    const peer: Peers[number] = await openJournaledSmtp(
      journal,
      (step, line, transfer) => {
        const email = step === 'RCPT' ? parseEnvelopeAddress(line) : transfer && getRecipient(transfer)
        if (email && startsAt.get(email) === step) {
          startsAt.delete(email)
          const release = random() < 0.5 ? held.hold(step, peer.port) : undefined
          started.push(change(email, () => release?.()).finally(() => release?.()))
        }
        return undefined
      },
      oauth,
    )
    peers.push(opened.use(peer))
  }
  const all = opened.move()
  return {
    peers,
    held,
    draw: (emails, begin) => {
      change = begin
      for (const email of emails) startsAt.set(email, random() < 0.6 ? 'RCPT' : 'DOT')
    },
    finish: async () => {
      await Promise.all(started)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/**
 * Pauses, one time in five, at the failpoints of sending and at those with this prefix, so that the steps of both sides
 * happen in any order, and makes held emails wait. Stops when disposed.
 */
export function pauseAtFailpoints(random: () => number, held: HeldEmails, prefix?: string): Disposable {
  const pausable = failpoints.filter(
    name => /^(gate|smtp\.(allowed|released))/.test(name) || (prefix && name.startsWith(prefix)),
  )
  setFailpoints((name, key) => {
    const until = held.find(name, key)
    if (until) return { do: 'wait', until }
    return pausable.includes(name) && random() < 0.2 ? { do: 'pause', ms: random() * 15 } : undefined
  })
  return { [Symbol.dispose]: () => setFailpoints(undefined) }
}

/** Waits until these sends have ended, or are back in the queue or reverted. */
export async function waitForSends({ owner }: TestApp, sends: Fragment): Promise<void> {
  for (;;) {
    const busy =
      await owner`select from email_sends where ${sends} and state in ('claimed', 'dot_pending') limit 1`
    if (busy.count === 0) return
    await sleep(20)
  }
}
