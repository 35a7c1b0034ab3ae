import type { Output } from '../contract/index.ts'
import type { Context } from '../server/kernel/context.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { type CommandInput, withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

export type Mailbox = Output<'getMailbox'>

/** Returns why a mailbox can't send or receive; undefined when it can. */
export function findMailboxFailure(mailbox: Mailbox): string | undefined {
  const { status, statusReason, syncStatus, syncStatusReason, signIn } = mailbox
  if (status === 'failing') return `it can’t send: ${statusReason}`
  if (syncStatus === 'failing') return `it can’t receive: ${syncStatusReason}`
  return signIn?.error && `the last sign-in failed: ${signIn.error}`
}

/** Describes whether a mailbox sends and receives, in a few words. */
export function describeMailbox(mailbox: Mailbox): string {
  const { kind, status, imap, pausedAt, pauseReason } = mailbox
  const failure = findMailboxFailure(mailbox)
  if (failure) return failure
  if (pausedAt) return `paused: ${pauseReason}`
  if (status === 'unverified') return mailbox.connection ? 'not connected' : 'unverified'
  if (kind === 'sandbox') return 'sandbox'
  return imap ? 'sends and receives' : 'sends only: replies are not read'
}

/** Throws when the mailbox can't send or receive. */
export function requireWorking(mailbox: Mailbox): Mailbox {
  const failure = findMailboxFailure(mailbox)
  if (failure) throw new Error(`${mailbox.email}: ${failure}`)
  return mailbox
}

type Action<O> = (ctx: Context, mailbox: Mailbox, input: CommandInput<O>) => Promise<void>

/** Returns the action of a command whose first argument is the address or ID of a mailbox. */
export const withMailbox = <O extends object>(run: Action<O & { account?: string; as?: string }>) =>
  withInstallation<O & { account?: string; as?: string }>(async input => {
    const {
      app,
      options: { account, as },
      args: [addressOrId = ''],
    } = input
    const ctx = await openContext(app, await findAccount(app, account), as)
    const wanted = addressOrId.toLowerCase()
    for await (const mailbox of listAll(ctx, 'listMailboxes'))
      if (mailbox.id === wanted || mailbox.email.toLowerCase() === wanted)
        return run(ctx, await call(ctx, 'getMailbox', { mailboxId: mailbox.id }), input)
    throw new UsageError(
      `No mailbox found for "${addressOrId}". List mailboxes with \`overture mailbox list\`.`,
    )
  })
