import { type Command, Option } from 'commander'
import { tlsModes } from '../contract/mailbox-inputs.ts'
import { mailboxKinds } from '../contract/mailboxes.ts'
import type { Context } from '../server/kernel/context.ts'
import { accountOption, parseCount, parseEmail, parseName, parsePort, readSecret } from './arguments.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = {
  account?: string
  rep: string
  email: string
  senderName?: string
  kind: (typeof mailboxKinds)[number]
  host?: string
  port?: number
  tls: (typeof tlsModes)[number]
  user?: string
  passwordStdin?: true
  dailyCap?: number
  minGapSeconds?: number
  verify: boolean
}

export function addMailboxCommands(program: Command): void {
  program
    .command('mailbox')
    .description('Manage the mailboxes that reps send from')
    .command('add')
    .description('Add a mailbox to a rep; creates the rep if necessary')
    .addOption(accountOption())
    .requiredOption('--rep <name>', 'Name of the rep who sends from it', parseName)
    .requiredOption('--email <address>', 'Email address of the mailbox', parseEmail)
    .option('--sender-name <name>', 'Sender name (default: name of the rep)', parseName)
    .addOption(
      new Option('--kind <kind>', 'smtp sends email; sandbox stores it on the server instead')
        .choices([...mailboxKinds])
        .default('smtp'),
    )
    .option('--host <name>', 'Host name of the SMTP server')
    .option('--port <number>', 'Port of the SMTP server', parsePort)
    .addOption(
      new Option('--tls <mode>', 'TLS mode: implicit for port 465, starttls for port 587')
        .choices([...tlsModes])
        .default('starttls'),
    )
    .option('--user <name>', 'User name for the SMTP server')
    .option('--password-stdin', 'Prompt for the password, or read it from a pipe')
    .option('--daily-cap <n>', 'Maximum number of campaign emails in 24 hours', parseCount)
    .option('--min-gap-seconds <n>', 'Minimum seconds between two campaign emails', parseCount)
    .option('--no-verify', 'Add the mailbox without testing its sign-in')
    .addHelpText(
      'after',
      `
Without --no-verify, the mailbox is added only if signing in to its server works.

Examples:
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --host smtp.acme.example --port 587 \\
      --user ada --password-stdin --daily-cap 50 --min-gap-seconds 90 < password.txt
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --kind sandbox`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const smtpSettings = await readSmtpSettings(options)
        const ctx = await openContext(app, await findAccount(app, options.account))
        const rep = (await findRep(ctx, options.rep)) ?? (await call(ctx, 'createRep', { name: options.rep }))
        const { kind, email, senderName, dailyCap, minGapSeconds } = options
        const added = await call(ctx, 'createMailbox', {
          ...{ repId: rep.id, kind, email, senderName, dailyCap, minGapSeconds },
          ...smtpSettings,
        })
        const mailbox = kind === 'smtp' && options.verify ? await verify(ctx, added.id) : added
        output.result(mailbox, ({ id, status }) => `Added ${email} to ${rep.name} (${id}, ${status}).`)
      }),
    )
}

async function readSmtpSettings({ kind, host, port, tls, user, passwordStdin }: Options) {
  if (kind !== 'smtp') {
    if (host || port || user || passwordStdin)
      throw new UsageError(
        'A sandbox mailbox has no server: remove --host, --port, --user and --password-stdin.',
      )
    return {}
  }
  if (!host || !port) throw new UsageError('An smtp mailbox needs --host and --port.')
  return { smtp: { host, port, tls, user, password: passwordStdin ? await readSecret() : undefined } }
}

/** Finds a rep by full name. Throws UsageError when several reps share the name. */
async function findRep(ctx: Context, name: string) {
  const reps = await Array.fromAsync(listAll(ctx, 'listReps'))
  const [rep, another] = reps.filter(rep => rep.name === name)
  if (another) throw new UsageError(`Several reps are named "${name}".`)
  return rep
}

/** Deletes a mailbox that can't sign in, so that the command can be repeated. */
async function verify(ctx: Context, mailboxId: string) {
  const mailbox = await call(ctx, 'verifyMailbox', { mailboxId })
  if (mailbox.status === 'active') return mailbox
  await call(ctx, 'deleteMailbox', { mailboxId })
  throw new Error(`The mailbox was not added: ${mailbox.statusReason ?? 'its server refused the sign-in'}`)
}
