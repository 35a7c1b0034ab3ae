import type { Command } from 'commander'
import type { Output } from '../contract/index.ts'
import type { Context } from '../server/kernel/context.ts'
import { canonicalDomain } from '../server/protocols/identity/domain.ts'
import { accountOption } from './arguments.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string }
type Domain = Output<'getDomain'>

export function addDomainCommands(program: Command): void {
  const domains = program.command('domain').description('Manage sending domains')
  domains
    .command('check')
    .description('Check the DNS records of a domain and show what to fix')
    .argument('<domain>', 'Domain name, such as acme.example')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
A DKIM key starts signing as soon as a check finds its DNS record.

Example:
  $ overture domain check acme.example --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [name = ''] }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const { id: domainId } = await findOrCreateDomain(ctx, name)
        output.result(await call(ctx, 'checkDomain', { domainId }), describeChecks)
      }),
    )
  domains
    .command('key')
    .description('Create a DKIM key for a domain and print its DNS record')
    .argument('<domain>', 'Domain name, such as acme.example')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Not needed if your mail server already signs its emails. To rotate a key, create another one: the old key signs until the new
record is found.

Example:
  $ overture domain key acme.example --account Acme`,
    )
    .action(
      withInstallation<Options>(async ({ app, output, options, args: [name = ''] }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const { id: domainId } = await findOrCreateDomain(ctx, name)
        output.result(await call(ctx, 'createDkimKey', { domainId }), describeKey)
      }),
    )
}

async function findOrCreateDomain(ctx: Context, name: string): Promise<Domain> {
  const domain = canonicalDomain(name)
  if (!domain) throw new UsageError(`"${name}" is not a valid domain name.`)
  const domains = await Array.fromAsync(listAll(ctx, 'listDomains'))
  return domains.find(each => each.domain === domain) ?? (await call(ctx, 'createDomain', { domain }))
}

const describeChecks = ({ checks }: Domain): string =>
  checks
    .flatMap(({ name, status, message, record }) => [
      `${name.toUpperCase().padEnd(6)}${status.padEnd(8)}${message}`,
      // The record is untrusted: control characters could manipulate the terminal.
      ...(record ? [`${' '.repeat(14)}${record.replace(/\p{Cc}+/gu, ' ')}`] : []),
    ])
    .join('\n')

const describeKey = ({ domain, dkimKeys: [key] }: Domain): string =>
  `Add this TXT record, then run \`overture domain check ${domain}\`:\n${key!.recordName}\n${key!.recordValue}`
