import type { Command } from 'commander'
import { rotateSigningKeys } from '../server/adapters/oauth/signing-keys.ts'
import { withInstallation } from './open.ts'

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('Manage the keys that sign access tokens of connected apps')
  keys
    .command('rotate')
    .description('Add a new signing key; tokens signed with older keys stay valid')
    .action(
      withInstallation<Record<string, never>>(async ({ app, output }) => {
        const added = await rotateSigningKeys(app)
        output.result(
          added,
          () => `Added key ${added.id}; it starts signing at ${added.signsFrom.toISOString()}.`,
        )
      }),
    )
}
