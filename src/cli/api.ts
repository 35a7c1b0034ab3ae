import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Client, openClient } from '../client.ts'
import { type OperationName, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { readClientSettings } from '../server/kernel/config.ts'
import { addFieldOptions, getFields, parseFields } from './api-fields.ts'
import { type Format, formats, getNext, printLines, printResponse } from './api-output.ts'
import { parseId, readSecret } from './arguments.ts'
import { readProfile, removeProfile, saveProfile } from './profile.ts'
import { UsageError } from './usage-error.ts'

type Connection = { url: string; token: string; account?: string | undefined }

/** Added to the server's own time limit. */
const NETWORK_TIME_MS = 10_000

/**
 * Adds the commands of `overture api`, which call any operation of a running server. They form a separate program,
 * because fields such as `data` would clash with the global options of the other commands.
 */
export function addOperations(api: Command): void {
  api
    .description("Call any operation of a running server, with the operation's fields as options.")
    .usage('<operation> [options]')
    .helpOption('-h, --help', 'Show help for the operation')
    .helpCommand('help [operation]', 'Show the fields of an operation')
    .addHelpText(
      'after',
      `
Lists of strings are repeatable; objects are JSON. @file reads a value from a file, @- from standard input; \`null\` clears a
field. The server and its token come from --url and --token, OVERTURE_URL and OVERTURE_TOKEN, or \`overture api login\`.

Examples:
  $ overture api login --url http://localhost:4400
  $ REP=$(overture api createRep --name "Ada Byron" --output id)
  $ overture api setCampaignSteps --campaignId 01980000-0000-7000-8000-000000000001 --steps @steps.json
  $ overture api listPersons --all > people.jsonl`,
    )
  addLogin(api)
  addLogout(api)
  for (const name of Object.keys(operations) as OperationName[]) addOperation(api, name)
}

function addLogin(api: Command): void {
  api
    .command('login')
    .helpGroup('Connection')
    .description('Save the URL of a server and an API token, which is read from a prompt or a pipe')
    .requiredOption('--url <url>', 'URL of the server, such as http://localhost:4400', parseUrl)
    .action(async ({ url }: { url: string }) => {
      const token = (await readSecret('API token')).trim()
      const { user } = await openApi({ url, token })(
        'getMe',
        {},
        { signal: AbortSignal.timeout(NETWORK_TIME_MS) },
      )
      const path = await saveProfile({ url, token })
      process.stdout.write(`Connected to ${url} as ${user.email}. The token is stored in ${path}.\n`)
    })
}

function addLogout(api: Command): void {
  api
    .command('logout')
    .helpGroup('Connection')
    .description('Delete the saved URL and API token; the token itself remains valid')
    .action(removeProfile)
}

function addOperation(api: Command, name: OperationName): void {
  const operation: Operation = operations[name]
  const { summary, description, tag, timeoutMs = 30_000 } = operation
  const fields = getFields(operation)
  const command = api
    .command(name)
    .helpGroup(tag)
    .summary(summary)
    .description([`${summary}.`, description].filter(Boolean).join(' '))
  addFieldOptions(command, fields)
  const isField = (option: string) => fields.some(field => field.name === option)
  for (const option of callOptions) if (!isField(option.attributeName())) command.addOption(option)
  const isPaged = isField('cursor')
  if (isPaged) command.option('--all', 'Read all pages and print each object as one line of JSON')
  const formatNextOptions = (next: string) => (isPaged ? `--cursor ${next} or --all` : `--after ${next}`)
  command.action(async (given: Record<string, unknown>) => {
    const options = Object.fromEntries(
      Object.entries(given).filter(([option]) => !isField(option)),
    ) as CallOptions
    const input = await parseFields(fields, given)
    const call = openApi(await findConnection(options))
    const { all, output = process.stdout.isTTY ? 'table' : 'json' } = options
    for (let cursor: string | undefined; ; ) {
      const signal = AbortSignal.timeout(timeoutMs + NETWORK_TIME_MS)
      const response = await call(name, { ...input, ...(cursor && { cursor }) } as never, { signal })
      if (!all) return printResponse(response, output, formatNextOptions)
      printLines(response)
      cursor = getNext(response)
      if (!cursor) return
    }
  })
}

type CallOptions = Partial<Connection> & { output?: Format; all?: true }

/** Options of every operation; omitted if the operation has a field of the same name. */
const callOptions = [
  new Option('--url <url>', 'URL of the server').argParser(parseUrl),
  new Option('--token <token>', 'API token'),
  new Option('--account <id>', 'Account to use; optional when the user has only one').argParser(parseId),
  new Option(
    '--output <format>',
    'Output format; id prints only IDs. Defaults to table in a terminal, otherwise to json',
  ).choices(formats),
]

/** Finds the server and the token. A saved token is sent only to the server it was saved for. */
async function findConnection(given: Partial<Connection>): Promise<Connection> {
  const settings = readClientSettings()
  const saved = await readProfile()
  const url = given.url ?? (settings.url ? parseUrl(settings.url) : saved?.url)
  const token = given.token ?? settings.token ?? (url === saved?.url ? saved?.token : undefined)
  if (!url || !token)
    throw new UsageError(
      `The ${url ? 'API token' : 'URL of the server'} is missing. Run \`overture api login\`, or set OVERTURE_URL and OVERTURE_TOKEN.`,
    )
  return { url, token, account: given.account }
}

function parseUrl(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Must be a URL, such as http://localhost:4400.')
  return url.href.replace(/\/$/, '')
}

const openApi = ({ url, token, account }: Connection): Client =>
  openClient(url, () => ({
    authorization: `Bearer ${token}`,
    ...(account && { 'x-account-id': account }),
  }))
