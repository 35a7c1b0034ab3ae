import { type Command, Option } from 'commander'
import { mailboxKinds, tlsModes } from '../contract/mailboxes.ts'
import type { Context } from '../server/kernel/context.ts'
import { accountOption, readCount, readEmail, readName, readPassword, readPort } from './arguments.ts'
import { call, chooseAccount, contextIn, listAll } from './context.ts'
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
    .description('mailboxes that reps send from')
    .command('add')
    .description('add a mailbox to a rep; a rep that does not exist yet is made')
    .addOption(accountOption())
    .requiredOption('--rep <name>', 'name of the rep in whose name it sends', readName)
    .requiredOption('--email <address>', 'address it sends from', readEmail)
    .option('--sender-name <name>', 'name beside the address; the name of the rep when absent', readName)
    .addOption(
      new Option('--kind <kind>', 'smtp sends; sandbox keeps every mail in the server and sends nothing')
        .choices([...mailboxKinds])
        .default('smtp'),
    )
    .option('--host <name>', 'SMTP server')
    .option('--port <number>', 'its port', readPort)
    .addOption(
      new Option('--tls <mode>', 'implicit for port 465, starttls for 587')
        .choices([...tlsModes])
        .default('starttls'),
    )
    .option('--user <name>', 'name to sign in with')
    .option('--password-stdin', 'the password: typed when asked, or read from a pipe')
    .option('--daily-cap <n>', 'the most that leaves for campaigns in any 24 hours', readCount)
    .option('--min-gap-seconds <n>', 'the least time between two mails of campaigns', readCount)
    .option('--no-verify', 'add it without signing in to the server first')
    .addHelpText(
      'after',
      `
The mailbox is added only when signing in to its server works, unless --no-verify is given.

Examples:
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --host smtp.acme.example --port 587 \\
      --user ada --password-stdin --daily-cap 50 --min-gap-seconds 90 < password.txt
  $ overture mailbox add --rep "Ada Byron" --email ada@acme.example --kind sandbox`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const server = await readServer(options)
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const rep = (await findRep(ctx, options.rep)) ?? (await call(ctx, 'createRep', { name: options.rep }))
        const { kind, email, senderName, dailyCap, minGapSeconds } = options
        const added = await call(ctx, 'createMailbox', {
          ...{ repId: rep.id, kind, email, senderName, dailyCap, minGapSeconds },
          ...server,
        })
        const mailbox = kind === 'smtp' && options.verify ? await verify(ctx, added.id) : added
        output.result(mailbox, ({ id, status }) => `Added ${email} to ${rep.name} (${id}, ${status}).`)
      }),
    )
}

async function readServer({ kind, host, port, tls, user, passwordStdin }: Options) {
  if (kind !== 'smtp') {
    if (host || port || user || passwordStdin) throw new UsageError('A sandbox mailbox takes no server.')
    return {}
  }
  if (!host || !port) throw new UsageError('A mailbox of the kind smtp needs --host and --port.')
  return { smtp: { host, port, tls, user, password: passwordStdin ? await readPassword() : undefined } }
}

/** By its whole name; a name that several reps have is refused. */
async function findRep(ctx: Context, name: string) {
  const reps = await Array.fromAsync(listAll(ctx, 'listReps'))
  const [rep, another] = reps.filter(rep => rep.name === name)
  if (another) throw new UsageError(`Several reps are called ${name}.`)
  return rep
}

/** A mailbox that can't sign in is taken away again, so that the command can simply be repeated. */
async function verify(ctx: Context, mailboxId: string) {
  const mailbox = await call(ctx, 'verifyMailbox', { mailboxId })
  if (mailbox.status === 'active') return mailbox
  await call(ctx, 'deleteMailbox', { mailboxId })
  throw new Error(`The mailbox was not added: ${mailbox.statusReason ?? 'its server did not let us in'}`)
}
