import { type Command, Option } from 'commander'
import type { Output } from '../contract/index.ts'
import { tlsModes } from '../contract/mailbox-inputs.ts'
import { mailboxKinds } from '../contract/mailboxes.ts'
import type { Context } from '../server/kernel/context.ts'
import type { MailClientKind } from '../server/protocols/mail-oauth/provider.ts'
import { accountOption, parseCount, parseEmail, parseName, parsePort, readSecret } from './arguments.ts'
import { asOption, providerOption, signIn } from './connect-mailbox.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { describeMailbox, findMailboxFailure, type Mailbox } from './mailbox-state.ts'
import { type CommandInput, withInstallation } from './open.ts'
import type { Output as CommandOutput } from './output.ts'
import { UsageError } from './usage-error.ts'

type Tls = (typeof tlsModes)[number]
type Options = {
  account?: string
  as?: string
  rep: string
  email: string
  senderName?: string
  kind: (typeof mailboxKinds)[number]
  provider?: MailClientKind
  shared?: true
  host?: string
  port?: number
  tls?: Tls
  user?: string
  imapHost?: string
  imapPort?: number
  imapTls?: Tls
  imapUser?: string
  passwordStdin?: true
  dailyCap?: number
  minGapSeconds?: number
  verify: boolean
}

const tlsOption = (flag: string, description: string): Option =>
  new Option(flag, description).choices([...tlsModes])

export function addMailboxAdd(mailboxes: Command): void {
  mailboxes
    .command('add')
    .description('Add a mailbox to a rep; creates the rep if necessary')
    .addOption(accountOption())
    .requiredOption('--rep <name>', 'Name of the rep who sends from the mailbox', parseName)
    .requiredOption('--email <address>', 'Email address of the mailbox', parseEmail)
    .option('--sender-name <name>', 'Sender name (default: name of the rep)', parseName)
    .addOption(
      new Option('--kind <kind>', 'smtp sends email; sandbox stores it on the server instead')
        .choices([...mailboxKinds])
        .default('smtp'),
    )
    .addOption(providerOption())
    .option(
      '--shared',
      'With --provider microsoft: a shared mailbox; sign in as a user who may read it and send as it',
    )
    .addOption(asOption())
    .option('--host <name>', 'Host name of the SMTP server (default: discovered from the address)')
    .option('--port <number>', 'Port of the SMTP server', parsePort)
    .addOption(
      tlsOption('--tls <mode>', 'TLS mode: implicit for port 465, starttls (the default) for port 587'),
    )
    .option('--user <name>', 'User name for the SMTP server; defaults to the address if there is a password')
    .option('--imap-host <name>', 'Host name of the IMAP server, to read replies')
    .option('--imap-port <number>', 'Port of the IMAP server (default: 993)', parsePort)
    .addOption(tlsOption('--imap-tls <mode>', 'TLS mode of the IMAP server (default: implicit)'))
    .option('--imap-user <name>', 'User name for the IMAP server; defaults to the one for the SMTP server')
    .option('--password-stdin', 'Prompt for the password of both servers, or read it from a pipe')
    .option('--daily-cap <n>', 'Maximum number of emails in 24 hours; replies are never delayed', parseCount)
    .option(
      '--min-gap-seconds <n>',
      'Minimum seconds between two emails; replies are never delayed',
      parseCount,
    )
    .option('--no-verify', 'Add the mailbox without signing in')
    .addHelpText(
      'after',
      `
Unless --no-verify is set, the mailbox is added only if Overture can sign in to its servers. With --provider google or
microsoft, the owner of the mailbox signs in at the printed URL; see \`overture mailbox connect --help\`.

Examples:
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --password-stdin < password.txt
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --provider google --daily-cap 50
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --host smtp.acme.example --port 587 \\
      --user ada --imap-host imap.acme.example --password-stdin --min-gap-seconds 90 < password.txt
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --kind sandbox`,
    )
    .action(withInstallation<Options>(addMailbox, { endsOnStop: true }))
}

async function addMailbox({ app, output, options, stop }: CommandInput<Options>): Promise<void> {
  checkOptions(options)
  const ctx = await openContext(app, await findAccount(app, options.account), options.as)
  const servers = await readServers(ctx, options, output, stop)
  stop.throwIfAborted()
  const rep = (await findRep(ctx, options.rep)) ?? (await call(ctx, 'createRep', { name: options.rep }))
  const { kind, email, senderName, dailyCap, minGapSeconds, provider, shared: isShared } = options
  const added = await call(ctx, 'createMailbox', {
    ...{ repId: rep.id, kind, email, senderName, dailyCap, minGapSeconds, provider, isShared },
    ...servers,
  })
  const mailbox = kind === 'smtp' && options.verify ? await verify(ctx, added, stop) : added
  output.result(mailbox, each => `Added ${email} to ${rep.name} (${each.id}, ${describeMailbox(each)}).`)
}

/** Throws UsageError for options that contradict each other. */
function checkOptions({
  kind,
  provider,
  shared,
  host,
  port,
  tls,
  user,
  imapHost,
  imapPort,
  imapTls,
  imapUser,
  passwordStdin,
}: Options) {
  const hasImapDetails = [imapPort, imapTls, imapUser].some(Boolean)
  const hasServer = hasImapDetails || [host, port, tls, user, imapHost, passwordStdin].some(Boolean)
  if (kind === 'sandbox' && (hasServer || provider))
    throw new UsageError(
      'A sandbox mailbox has no server: remove --provider, --password-stdin and the server options.',
    )
  if (provider && hasServer)
    throw new UsageError(
      '--provider signs in without a password, at known servers: remove --password-stdin and the server options.',
    )
  if (shared && provider !== 'microsoft') throw new UsageError('--shared needs --provider microsoft.')
  if (!host !== !port) throw new UsageError('Use --host and --port together, or neither.')
  if (!host && (tls || imapHost || hasImapDetails))
    throw new UsageError(
      '--tls and the --imap options need --host and --port; without them, the servers are discovered from the address.',
    )
  if (hasImapDetails && !imapHost)
    throw new UsageError('--imap-port, --imap-tls and --imap-user need --imap-host.')
  if (imapHost && !passwordStdin) throw new UsageError('--imap-host needs --password-stdin.')
}

/** Returns the servers from the options, or those discovered from the address. */
async function readServers(ctx: Context, options: Options, output: CommandOutput, stop: AbortSignal) {
  const { kind, provider, host, port, tls = 'starttls', user, passwordStdin } = options
  const { imapHost, imapPort = 993, imapTls = 'implicit', imapUser } = options
  if (kind !== 'smtp' || provider) return {}
  const found = host ? undefined : await discover(ctx, options, output)
  const password = passwordStdin ? await readSecret('Password', stop) : undefined
  if (found) {
    const { smtp, imap } = found
    return { smtp: { ...smtp, ...(user && { user }), password }, imap: { ...imap, password: password! } }
  }
  const login = user ?? options.email
  return {
    smtp: { host: host!, port: port!, tls, user: password ? login : user, password },
    ...(imapHost && {
      imap: {
        ...{ host: imapHost, port: imapPort, tls: imapTls },
        ...{ user: imapUser ?? login, password: password! },
      },
    }),
  }
}

/** Discovers the servers from the address. Throws UsageError instead of sending the password to a guessed host. */
async function discover(
  ctx: Context,
  { email, passwordStdin }: Options,
  output: CommandOutput,
): Promise<Output<'discoverMailSettings'>> {
  const found = await call(ctx, 'discoverMailSettings', { email })
  const { source, smtp, imap, advice } = found
  if (source === 'guess')
    throw new UsageError(
      `No servers were found for ${email}. Specify them with --host and --port; common names are ${smtp.host} and ${imap.host}.`,
    )
  if (advice) output.info(`${advice.text} ${advice.url}`)
  for (const text of adviseOAuth(found.provider)) output.info(text)
  if (!passwordStdin) throw new UsageError(`${smtp.host} needs a password: use --password-stdin.`)
  output.info(`Using ${smtp.host}:${smtp.port} and ${imap.host}:${imap.port}.`)
  return found
}

export const adviseOAuth = (provider: string | undefined): string[] =>
  provider === 'google' || provider === 'microsoft'
    ? [`To sign in with OAuth instead of a password, use \`overture mailbox add --provider ${provider}\`.`]
    : []

/** Finds a rep by full name. Throws UsageError when several reps share the name. */
async function findRep(ctx: Context, name: string) {
  const reps = await Array.fromAsync(listAll(ctx, 'listReps'))
  const [rep, another] = reps.filter(rep => rep.name === name)
  if (another) throw new UsageError(`Several reps are named "${name}".`)
  return rep
}

/**
 * Verifies a new mailbox. Deletes the mailbox if it can't sign in or the command is interrupted, so that the command
 * can be repeated.
 */
async function verify(
  ctx: Context,
  { id: mailboxId, connection }: Mailbox,
  stop: AbortSignal,
): Promise<Mailbox> {
  try {
    const mailbox = connection
      ? await signIn(ctx, mailboxId, { stop })
      : await call(ctx, 'verifyMailbox', { mailboxId })
    stop.throwIfAborted()
    const failure = findMailboxFailure(mailbox)
    if (!failure) return mailbox
    throw new Error(failure)
  } catch (error) {
    await call(ctx, 'deleteMailbox', { mailboxId })
    if (stop.aborted) throw stop.reason
    throw new Error(`The mailbox was not added: ${(error as Error).message}`, { cause: error })
  }
}
