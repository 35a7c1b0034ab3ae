import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorMessage, inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { ApiError } from '../contract/api-error.ts'
import { ConfigError, readConfig } from '../server/kernel/config.ts'
import { addGlobalOptions, type GlobalOptions, toFlags } from './open.ts'
import { StopError } from './stop-signal.ts'
import { UsageError } from './usage-error.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

/** The commands in the order a new installation needs them. Loaded on demand: together they load most of the server. */
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommand,
  user: async () => (await import('./users.ts')).addUserCommands,
  account: async () => (await import('./accounts.ts')).addAccountCommands,
  keys: async () => (await import('./keys.ts')).addKeyCommands,
  member: async () => (await import('./members.ts')).addMemberCommands,
  token: async () => (await import('./tokens.ts')).addTokenCommands,
  mailbox: async () => (await import('./mailboxes.ts')).addMailboxCommands,
  domain: async () => (await import('./domains.ts')).addDomainCommands,
  assistant: async () => (await import('./assistants.ts')).addAssistantCommands,
  campaign: async () => (await import('./campaigns.ts')).addCampaignCommands,
  'reply-agent': async () => (await import('./reply-agent.ts')).addReplyAgentCommands,
  import: async () => (await import('./import.ts')).addImportCommands,
  export: async () => (await import('./export.ts')).addExportCommands,
  mail: async () => (await import('./mail.ts')).addMailCommands,
  webhook: async () => (await import('./webhooks.ts')).addWebhookCommands,
}

/** Adds only the commands whose names occur among the arguments, or all commands if none does, for example for help. */
async function addCommands(program: Command, args: string[]): Promise<void> {
  program
    .description('Self-hosted sales outreach: campaigns, inbox, calls and Do Not Contact behind one API.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for the command')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp({ showGlobalOptions: true })
  addGlobalOptions(program)
  const names = Object.keys(commands).filter(name => args.includes(name))
  const wanted = names.length > 0 ? names : Object.keys(commands)
  for (const name of wanted) (await commands[name]!())(program)
  program
    .command('api')
    .description("Call any operation of a running server, with the operation's fields as options")
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
output, everything else to standard error. Commands work while the server runs, and otherwise start the embedded database
themselves.`,
  )
}

const isApi = process.argv[2] === 'api'
const program = new Command(isApi ? 'overture api' : 'overture')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'overture: ')) })
  .exitOverride()
// Loaded when needed: the other commands start faster without a command for each operation.
if (isApi) (await import('./api.ts')).addOperations(program)
else await addCommands(program, process.argv.slice(2))

let outputError: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, such as head, is not an error. Other errors are reported but not thrown,
  // because the server must keep running when the disk of its log is full.
  if (error.code !== 'EPIPE') process.exitCode = report(error)
  outputError = error
})
// There is no stream left to report this error to.
process.stderr.on('error', () => {})

try {
  await program.parseAsync(process.argv.slice(isApi ? 3 : 2), { from: 'user' })
} catch (thrown) {
  let error: unknown = thrown
  // The command failed first; closing what it used failed as well.
  while (error instanceof SuppressedError) error = error.suppressed
  process.exitCode = report(error)
  // The interrupted command may still be waiting, for example for input.
  if (error instanceof StopError) process.exit()
}

/** Prints one sentence, with the stack trace at log level debug. Returns the exit code. */
function report(error: unknown): number {
  // Commander has already printed it; requested help is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  // Already handled: the command fails with the error of its output.
  if (outputError && (error as NodeJS.ErrnoException).code === outputError.code)
    return outputError.code === 'EPIPE' ? 0 : EXIT_FAILED
  const text = error instanceof Error ? describe(error) : String(error)
  process.stderr.write(`overture: ${text}\n`)
  if (error instanceof StopError) return error.exitCode
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
