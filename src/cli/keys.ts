import type { Command } from 'commander'
import { rotateSigningKeys } from '../server/adapters/oauth/signing-keys.ts'
import { withInstallation } from './open.ts'

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('the keys that sign access tokens of connected applications')
  keys
    .command('rotate')
    .description('take a new key; nothing that was signed before stops being valid')
    .action(
      withInstallation<Record<string, never>>(async ({ app, output }) => {
        const added = await rotateSigningKeys(app)
        output.result(added, () => `The key ${added.id} signs from ${added.signsFrom.toISOString()} on.`)
      }),
    )
}
