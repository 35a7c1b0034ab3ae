import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { mailClientKinds } from '../contract/mail-clients.ts'
import { readEmailAndName } from '../server/domain/accounts/users.ts'
import type { Context } from '../server/kernel/context.ts'
import { isApplicationKind, type MailClientKind } from '../server/protocols/mail-oauth/provider.ts'
import { accountOption, parseEmail } from './arguments.ts'
import { call } from './context.ts'
import { describeMailbox, type Mailbox, requireWorking, withMailbox } from './mailbox-state.ts'
import { UsageError } from './usage-error.ts'

const POLL_MS = 1_000

export const providerOption = (): Option =>
  new Option(
    '--provider <provider>',
    'Sign in with OAuth; docs/mailboxes.md shows how to register a client',
  ).choices([...mailClientKinds])

export const asOption = (): Option =>
  new Option('--as <email>', 'Overture user who signs in; defaults to the first owner').argParser(parseEmail)

type ConnectOptions = { provider?: MailClientKind; shared?: true; stop?: AbortSignal }

export function addMailboxConnect(mailboxes: Command): void {
  mailboxes
    .command('connect')
    .description('Connect a mailbox to Google or Microsoft, for the first time or again')
    .argument('<mailbox>', 'Address or ID of the mailbox')
    .addOption(providerOption())
    .option('--shared', 'A shared Microsoft mailbox; sign in as a user who may read it and send as it')
    .addOption(asOption())
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Prints the URL at which the owner of the mailbox signs in, and waits up to 30 minutes for the mailbox to be connected.
The provider then opens a page of Overture. If that browser is signed in to Overture as the same user, nothing is left to do;
otherwise paste the URL of that page into the terminal.

Example:
  $ overture mailbox connect ada@acme.example --provider google --as ada@acme.example`,
    )
    .action(
      withMailbox<ConnectOptions>(async (ctx, mailbox, { output, options }) => {
        if (mailbox.kind === 'smtp' && !mailbox.connection && !options.provider)
          throw new UsageError(
            `${mailbox.email} signs in with a password. To connect it to Google or Microsoft instead, use --provider. To correct the password, use Settings → Senders → Sign-in, or \`overture api updateMailbox\`.`,
          )
        const connected = await signIn(ctx, mailbox.id, options)
        output.result(requireWorking(connected), each => `Connected ${each.email}: ${describeMailbox(each)}.`)
      }),
    )
}

/**
 * Waits for the owner of the mailbox to sign in at its provider, and returns the mailbox once it is connected and
 * verified. Throws when the sign-in fails or `stop` aborts.
 */
export async function signIn(
  ctx: Context,
  mailboxId: string,
  { provider, shared: isShared, stop }: ConnectOptions = {},
): Promise<Mailbox> {
  const { connection } = await call(ctx, 'getMailbox', { mailboxId })
  const kind = provider ?? connection?.provider
  if (kind && kind === connection?.provider && isApplicationKind(kind))
    return call(ctx, 'verifyMailbox', { mailboxId })
  const { url, expiresAt } = await call(ctx, 'connectMailbox', { mailboxId, provider, isShared })
  const [email] = await readEmailAndName(ctx.app.db.auth, ctx.userId)
  // A prompt rather than a message: --quiet shows it too.
  process.stderr.write(
    `Sign in at:\n${url}\nWaiting until ${expiresAt}. If the browser is not signed in to Overture as ${email}, paste the URL of the page that opens last:\n`,
  )
  return waitForSignIn(ctx, mailboxId, expiresAt, stop)
}

/** Waits for the web app to complete the sign-in, or completes it with a pasted URL. */
async function waitForSignIn(
  ctx: Context,
  mailboxId: string,
  expiresAt: string,
  stop?: AbortSignal,
): Promise<Mailbox> {
  const { promise: pasted, resolve, reject } = Promise.withResolvers<Mailbox>()
  pasted.catch(() => undefined)
  const lines = createInterface({ input: process.stdin })
  lines.on('line', line => {
    const redirect = parseRedirect(line)
    if (redirect)
      call(ctx, 'completeMailboxConnection', redirect).then(resolve, error => {
        // The URL is old, or a browser completes the sign-in at the same time: the status of the mailbox shows the
        // result.
        if (error.code === 'ValidationError') process.stderr.write(`${error.message}\n`)
        else reject(error)
      })
    else if (line.trim()) process.stderr.write('This is not the URL of the page that opens last.\n')
  })
  try {
    for (;;) {
      stop?.throwIfAborted()
      const mailbox = await call(ctx, 'getMailbox', { mailboxId })
      const { signIn, status } = mailbox
      // A connected mailbox still has to be verified.
      if (!signIn && status !== 'unverified') return mailbox
      if (signIn?.error) throw new Error(signIn.error)
      if (Date.parse(signIn?.expiresAt ?? expiresAt) <= Date.now())
        throw new Error('Nobody signed in within 30 minutes. Connect the mailbox again.')
      const done = await Promise.race([pasted, sleep(POLL_MS)])
      if (done) return done
    }
  } finally {
    lines.close()
  }
}

/** Parses the parameters that the provider added to the redirect URI; undefined for any other text. */
function parseRedirect(line: string) {
  const params = URL.parse(line.trim())?.searchParams
  const [state, code, error] = ['state', 'code', 'error'].map(name => params?.get(name) ?? undefined)
  return state && (code || error) ? { state, ...(code ? { code } : { error }) } : undefined
}
