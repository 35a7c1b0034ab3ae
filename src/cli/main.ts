import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage, inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { ApiError } from '../client.ts'
import { projectRoot } from '../server/installation.ts'
import { ConfigError, readConfig } from '../server/kernel/config.ts'
import { addAccountCommands } from './accounts.ts'
import { addAssistantCommands } from './assistants.ts'
import { addCampaignCommands } from './campaigns.ts'
import { addDomainCommands } from './domains.ts'
import { addExportCommands } from './export.ts'
import { addImportCommands } from './import.ts'
import { addKeyCommands } from './keys.ts'
import { addMailCommands } from './mail.ts'
import { addMailboxCommands } from './mailboxes.ts'
import { addMemberCommands } from './members.ts'
import { addMigrateCommand } from './migrate.ts'
import { addGlobalOptions, type GlobalOptions, toFlags } from './open.ts'
import { addReplyAgentCommands } from './reply-agent.ts'
import { addServeCommand } from './serve.ts'
import { addTokenCommands } from './tokens.ts'
import { UsageError } from './usage-error.ts'
import { addUserCommands } from './users.ts'
import { addWebhookCommands } from './webhooks.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }

function addCommands(program: Command): void {
  program
    .description('Self-hosted sales outreach: campaigns, inbox, calls and Do Not Contact behind one API.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for the command')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp({ showGlobalOptions: true })
  addGlobalOptions(program)
  // In the order a new installation needs them.
  addServeCommand(program)
  addMigrateCommand(program)
  addUserCommands(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addMemberCommands(program)
  addTokenCommands(program)
  addMailboxCommands(program)
  addDomainCommands(program)
  addAssistantCommands(program)
  addCampaignCommands(program)
  addReplyAgentCommands(program)
  addImportCommands(program)
  addExportCommands(program)
  addMailCommands(program)
  addWebhookCommands(program)
  program.command('api').description('Call any operation of a running server; its fields are options')
  program.addHelpText(
    'after',
    `
Getting started:
  $ overture user create --email ada@acme.example --name "Ada Byron"
  $ overture account create --name Acme --owner ada@acme.example
  $ export OVERTURE_TOKEN=$(overture token create --user ada@acme.example --name laptop)
  $ overture serve &
  $ overture api listCampaigns --url http://localhost:4400

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 an import left out invalid rows. Results are printed to standard
output, everything else to standard error. Commands work while the server runs, and start the embedded database themselves when it does not.`,
  )
}

const isApi = process.argv[2] === 'api'
const program = new Command(isApi ? 'overture api' : 'overture')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'overture: ')) })
  .exitOverride()
// Loaded when needed: the other commands start faster without a command for each operation.
if (isApi) (await import('./api.ts')).addOperations(program)
else addCommands(program)

let isPipeClosed = false
// A reader that closes the pipe early, such as head, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  isPipeClosed = true
})

try {
  await program.parseAsync(process.argv.slice(isApi ? 3 : 2), { from: 'user' })
} catch (error) {
  process.exitCode = report(error)
}

/** Prints one sentence, with the stack trace at log level debug. Returns the exit code. */
function report(error: unknown): number {
  // Commander has already printed it; requested help is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (isPipeClosed && (error as NodeJS.ErrnoException).code === 'EPIPE') return 0
  const text = error instanceof Error ? describe(error) : String(error)
  process.stderr.write(`overture: ${text}\n`)
  const isInvalid = error instanceof ApiError && error.code === 'ValidationError'
  return isInvalid || error instanceof ConfigError || error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
}

function describe(error: NodeJS.ErrnoException): string {
  if (isDebugLevel()) return inspect(error)
  // The system's message for a file, without the name of the failed call.
  return error.path && error.errno
    ? `${error.path}: ${getSystemErrorMessage(error.errno)}`
    : error.message || error.name
}

function isDebugLevel(): boolean {
  try {
    return readConfig(toFlags(program.opts<GlobalOptions>())).logLevel === 'debug'
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}
