import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import { type MailProvider, mailProviders } from '../contract/mail-providers.ts'
import { readConfig } from '../server/kernel/config.ts'
import { addMailboxAdd, adviseOAuth } from './add-mailbox.ts'
import { accountOption, parseEmail } from './arguments.ts'
import { addMailboxConnect } from './connect-mailbox.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { describeMailbox, type Mailbox, requireWorking, withMailbox } from './mailbox-state.ts'
import { type GlobalOptions, toFlags, withInstallation } from './open.ts'
import { createOutput, formatTable } from './output.ts'

type Options = { account?: string }

export function addMailboxCommands(program: Command): void {
  const mailboxes = program.command('mailbox').description('Manage the mailboxes that reps send from')
  addDiscover(mailboxes)
  addMailboxAdd(mailboxes)
  addMailboxConnect(mailboxes)
  addList(mailboxes)
  addVerify(mailboxes)
}

function addDiscover(mailboxes: Command): void {
  mailboxes
    .command('discover')
    .description('Find the mail servers of an email address')
    .argument('<address>', 'Email address', parseEmail)
    .addHelpText(
      'after',
      `
Checks the known providers first, then the domain's MX records, its published configuration and its SRV records.
\`mailbox add\` does the same when --host is missing.

Example:
  $ overture mailbox discover ada@acme.example`,
    )
    .action(
      // Needs the network, but no database.
      async (email: string, _options: object, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>()
        const { discoverMailSettings } = await import('../server/domain/mailboxes/discover-mail-settings.ts')
        const found = await discoverMailSettings({ app: { config: readConfig(toFlags(options)) } }, { email })
        createOutput(options).result(found, describeMailSettings)
      },
    )
}

const sources = {
  provider: 'the provider of this domain',
  configuration: 'the configuration published for the domain or its provider',
  srv: 'the SRV records of the domain',
  guess: 'a guess from common names, because the domain publishes no configuration',
}

function describeMailSettings({
  source,
  provider,
  advice,
  smtp,
  imap,
}: Output<'discoverMailSettings'>): string {
  const { name }: Partial<MailProvider> = provider ? mailProviders[provider] : {}
  return [
    formatTable(
      [
        { server: 'SMTP', ...smtp },
        { server: 'IMAP', ...imap },
      ],
      '',
    ),
    `Source: ${sources[source]}${name ? ` (${name})` : ''}.`,
    ...(advice ? [`${advice.text} ${advice.url}`] : []),
    ...adviseOAuth(provider),
  ].join('\n')
}

function addList(mailboxes: Command): void {
  mailboxes
    .command('list')
    .description('List mailboxes with their state, newest first')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const mailboxes = await Array.fromAsync(listAll(ctx, 'listMailboxes'))
        output.result(mailboxes, () => formatTable(mailboxes.map(toRow), 'No mailboxes found.'))
      }),
    )
}

const toRow = (mailbox: Mailbox) => ({
  id: mailbox.id,
  email: mailbox.email,
  'sign-in': mailbox.connection?.provider ?? (mailbox.kind === 'sandbox' ? 'sandbox' : 'password'),
  'sent in 24 hours': mailbox.usage?.sent,
  limit: mailbox.usage?.limit,
  'last sync': mailbox.lastSyncedAt ?? 'never',
  state: describeMailbox(mailbox),
})

function addVerify(mailboxes: Command): void {
  mailboxes
    .command('verify')
    .description('Sign in to the servers of a mailbox and show its state')
    .argument('<mailbox>', 'Address or ID of the mailbox')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Exits with 1 if the mailbox can't send or receive.

Example:
  $ overture mailbox verify ada@acme.example --account Acme`,
    )
    .action(
      withMailbox(async (ctx, { id: mailboxId }, { output }) => {
        const mailbox = await call(ctx, 'verifyMailbox', { mailboxId })
        output.result(requireWorking(mailbox), each => `${each.email}: ${describeMailbox(each)}.`)
      }),
    )
}
