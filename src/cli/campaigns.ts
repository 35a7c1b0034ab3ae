import type { Command } from 'commander'
import { accountOption } from './arguments.ts'
import { chooseAccount, contextIn, listAll } from './context.ts'
import { withInstallation } from './open.ts'
import { table } from './output.ts'

export function addCampaignCommands(program: Command): void {
  const campaign = program.command('campaign').description('campaigns of an account')
  campaign
    .command('list')
    .description('list campaigns with their ids, newest first')
    .addOption(accountOption())
    .action(
      withInstallation<{ account?: string }>(async ({ app, output, options }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const campaigns = await Array.fromAsync(listAll(ctx, 'listCampaigns'))
        output.result(campaigns, () =>
          table(
            campaigns.map(({ id, name, status, isArchived, createdAt }) => ({
              id,
              name,
              status: isArchived ? `${status}, archived` : status,
              'made at': createdAt,
            })),
            'There are no campaigns.',
          ),
        )
      }),
    )
}
