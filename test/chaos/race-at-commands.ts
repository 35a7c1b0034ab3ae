import { setTimeout as sleep } from 'node:timers/promises'
import type { Fragment } from '../../src/server/kernel/db/database.ts'
import { failpoints, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { parseEnvelopeAddress } from '../support/mail/mail-campaign.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import type { Journal } from './journal.ts'
import { getRecipient, openJournaledSmtp } from './journaled-smtp.ts'

type Peers = Awaited<ReturnType<typeof openJournaledSmtp>>[]

/** Races between emails and changes. Each change starts while its email is at a random SMTP command. */
export type CommandRaces = AsyncDisposable & {
  peers: Peers
  /** Draws a command for the email to each address; `begin` is called when the email is at that command. */
  draw: (emails: readonly string[], begin: (email: string) => Promise<unknown>) => void
  /** Waits for the changes that have started. */
  finish: () => Promise<void>
}

export async function openCommandRaces(
  journal: Journal,
  { servers, random, oauth }: { servers: number; random: () => number; oauth?: OAuthServer | undefined },
): Promise<CommandRaces> {
  await using opened = new AsyncDisposableStack()
  const startsAt = new Map<string, 'RCPT' | 'BODY' | 'DOT'>()
  const started: Promise<unknown>[] = []
  let change = async (_email: string): Promise<unknown> => undefined
  const peers: Peers = []
  for (let n = 0; n < servers; n += 1) {
    const peer = await openJournaledSmtp(
      journal,
      (step, line, transfer) => {
        const email = step === 'RCPT' ? parseEnvelopeAddress(line) : transfer && getRecipient(transfer)
        if (email && startsAt.get(email) === step) {
          startsAt.delete(email)
          started.push(change(email))
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
    draw: (emails, begin) => {
      change = begin
      for (const email of emails)
        startsAt.set(email, random() < 0.4 ? 'RCPT' : random() < 0.5 ? 'BODY' : 'DOT')
    },
    finish: async () => {
      await Promise.all(started)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/**
 * Pauses, one time in five, at the failpoints of sending and at those with this prefix, so that the steps of both sides
 * happen in any order. Stops when disposed.
 */
export function pauseAtFailpoints(random: () => number, prefix?: string): Disposable {
  const pausable = failpoints.filter(
    name => /^(gate|smtp\.(allowed|released))/.test(name) || (prefix && name.startsWith(prefix)),
  )
  setFailpoints(name =>
    pausable.includes(name) && random() < 0.2 ? { do: 'pause', ms: random() * 15 } : undefined,
  )
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
