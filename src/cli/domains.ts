import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import type { Context } from '../server/kernel/context.ts'
import { canonicalDomain } from '../server/protocols/identity/domain.ts'
import { accountOption } from './arguments.ts'
import { call, chooseAccount, contextIn, listAll } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string }
type Domain = Output<'getDomain'>

export function addDomainCommands(program: Command): void {
  const domains = program.command('domain').description('domains that mail is sent from')
  domains
    .command('check')
    .description('look at the DNS of a domain and say what to mend')
    .argument('<domain>', 'such as acme.example')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
A signing key that waits for its record begins to sign when the record is seen.

Example:
  $ overture domain check acme.example --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [name = ''] }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const { id: domainId } = await findOrAdd(ctx, name)
        output.result(await call(ctx, 'checkDomain', { domainId }), describeChecks)
      }),
    )
  domains
    .command('key')
    .description('make a key that signs the mails of a domain (DKIM), and show its record')
    .argument('<domain>', 'such as acme.example')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Mail servers that sign by themselves need none. To change a key make another one: the former signs until then.

Example:
  $ overture domain key acme.example --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [name = ''] }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const { id: domainId } = await findOrAdd(ctx, name)
        output.result(await call(ctx, 'createDkimKey', { domainId }), describeKey)
      }),
    )
}

async function findOrAdd(ctx: Context, name: string): Promise<Domain> {
  const domain = canonicalDomain(name)
  if (!domain) throw new UsageError(`${name} is no domain.`)
  const known = await Array.fromAsync(listAll(ctx, 'listDomains'))
  return known.find(each => each.domain === domain) ?? (await call(ctx, 'createDomain', { domain }))
}

const describeChecks = ({ checks }: Domain): string =>
  checks
    .flatMap(({ name, status, message, record }) => [
      `${name.toUpperCase().padEnd(6)}${status.padEnd(8)}${message}`,
      // Somebody else wrote it: it must not move the cursor of a terminal.
      ...(record ? [`${' '.repeat(14)}${record.replace(/\p{Cc}+/gu, ' ')}`] : []),
    ])
    .join('\n')

const describeKey = ({ domain, dkimKeys: [key] }: Domain): string =>
  `Add this TXT record, then run \`overture domain check ${domain}\`:\n${key!.recordName}\n${key!.recordValue}`
