import type { Command } from 'commander'
import { accountOption } from './arguments.ts'
import { findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { formatTable } from './output.ts'

export function addCampaignCommands(program: Command): void {
  const campaign = program.command('campaign').description('Manage campaigns')
  campaign
    .command('list')
    .description('List campaigns with their IDs, newest first')
    .addOption(accountOption())
    .action(
      withInstallation<{ account?: string }>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const campaigns = await Array.fromAsync(listAll(ctx, 'listCampaigns'))
        output.result(campaigns, () =>
          formatTable(
            campaigns.map(({ id, name, status, isArchived, createdAt }) => ({
              id,
              name,
              status: isArchived ? `${status}, archived` : status,
              created: createdAt,
            })),
            'No campaigns found.',
          ),
        )
      }),
    )
}
