import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { makeCaller } from '../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../test/support/http/server.ts'
import { runCli } from '../../test/support/processes/command-line.ts'
import { environment } from '../../test/support/processes/environment.ts'
import { type OperationName, operations } from '../contract/index.ts'
import { addOperations } from './api.ts'
import { getFields, parseFields } from './api-fields.ts'

let server: TestServer
let dir: string
let token: string
beforeAll(async () => {
  server = await openTestServer()
  const owner = await makeCaller(server.app)
  ;({ token } = await server.createCredentials(owner))
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-api-'))
  return () => rm(dir, { recursive: true, force: true })
})

const run = (args: string[], settings: Record<string, string> = {}, input?: string) =>
  runCli(['api', ...args], { XDG_CONFIG_HOME: dir, ...settings }, input)
const call = (...args: string[]) => run(args, { OVERTURE_URL: server.url, OVERTURE_TOKEN: token })
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await call(...args)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

it('has a command for every operation, with an option for each of its fields', () => {
  const api = new Command()
  addOperations(api)
  for (const [name, { input }] of Object.entries(operations)) {
    const command = api.commands.find(one => one.name() === name)!
    const options = command.options.map(option => option.attributeName())
    expect(options, name).toEqual(expect.arrayContaining(Object.keys(input.shape)))
  }
})

it.each<[OperationName, Record<string, unknown>, Record<string, unknown>]>([
  ['listCampaigns', { limit: '5', status: ['active', 'paused'] }, { limit: 5, status: ['active', 'paused'] }],
  ['listLinkedinMessages', { unread: true }, { unread: true }],
  ['listLinkedinMessages', { unread: 'false' }, { unread: false }],
  [
    'updateCampaign',
    { newProspectsPerDay: '20', description: 'null' },
    { newProspectsPerDay: 20, description: null },
  ],
  ['createCampaign', { settings: '{"isEvergreen":true}' }, { settings: { isEvergreen: true } }],
  ['createRep', { name: '12' }, { name: '12' }],
  ['createRep', { name: '@@ada' }, { name: '@ada' }],
])('parses the options of %s: %j becomes %j', async (name, options, input) => {
  expect(await parseFields(getFields(operations[name]), options)).toEqual(input)
})

it.each([
  ['listCampaigns', { limit: 'ten' }, '--limit: must be a number.'],
  ['listLinkedinMessages', { unread: 'perhaps' }, '--unread: must be true or false.'],
  ['createCampaign', { settings: '{isEvergreen' }, '--settings: must be JSON.'],
] as const)('rejects a value of the wrong type for %s', async (name, options, message) => {
  await expect(parseFields(getFields(operations[name]), options)).rejects.toThrow(message)
})

it('creates objects, reads fields from files, and prints JSON, tables or IDs', async () => {
  const { stdout } = await call('createRep', '--name', 'Ada Byron', '--output', 'id')
  const repId = stdout.trim()
  const steps = join(dir, 'steps.json')
  await writeFile(steps, JSON.stringify([{ subject: 'Hello', body: 'Hi {{ firstName }}' }]))
  const campaign = await json('createCampaign', '--name', 'Spring', '--repIds', repId, '--steps', `@${steps}`)
  expect(campaign).toMatchObject({
    name: 'Spring',
    repIds: [repId],
    steps: [{ variants: [{ subject: 'Hello' }] }],
  })
  const people = JSON.stringify([{ firstName: 'Grace', email: 'grace@navy.example' }])
  // The field has the name of a global option of the other commands.
  expect(await json('addProspectsToCampaign', '--campaignId', campaign.id, '--data', people)).toMatchObject({
    added: 1,
  })
  expect((await call('listReps', '--output', 'table')).stdout).toMatch(
    new RegExp(`^id +.*name.*\n${repId} +.*Ada Byron`),
  )
})

it('prints all pages as JSON lines', async () => {
  for (const name of ['One', 'Two', 'Three']) await json('createCampaign', '--name', `Pages ${name}`)
  const page = await call('listCampaigns', '--limit', '2')
  expect(page.stderr).toMatch(/^More results are available: use --cursor \S+ or --all\.$/m)
  const { stdout } = await call('listCampaigns', '--limit', '2', '--all')
  const names = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).name)
  expect(names.filter(name => name.startsWith('Pages'))).toEqual(['Pages Three', 'Pages Two', 'Pages One'])
})

it('says how to read more events only if there are more', async () => {
  const after = (await json('listEvents', '--after', 'latest')).next
  for (const name of ['One', 'Two']) await json('createCampaign', '--name', `Events ${name}`)
  // Events appear once all older transactions of the database server have ended, including those of other tests.
  await vi.waitFor(async () => {
    expect((await json('listEvents', '--after', after)).data).toHaveLength(2)
  }, 180_000)
  const first = await call('listEvents', '--after', after, '--limit', '1')
  const { next } = JSON.parse(first.stdout)
  expect(first.stderr).toBe(`More results are available: use --after ${next}.\n`)
  const last = await call('listEvents', '--after', next, '--limit', '1')
  expect([JSON.parse(last.stdout).data.length, last.stderr]).toEqual([1, ''])
}, 200_000)

it("prints the server's error and exits with 1, or with 2 when the input is invalid", async () => {
  expect(await call('getRep', '--repId', '01980000-0000-7000-8000-000000000001')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^overture: There is no such rep/),
  })
  expect(await call('createRep', '--name', '')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^overture: name: /),
  })
  expect(await call('createRap')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^overture: unknown command 'createRap'/),
  })
  expect(await call('createRep', 'Ada')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^overture: /),
  })
})

it('saves the server URL and token for later calls, in a file that only the user can read', async () => {
  const login = await run(['login', '--url', server.url], {}, `${token}\n`)
  expect(login).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Connected to ${server.url} as `),
  })
  expect((await stat(join(dir, 'overture/profile.json'))).mode & 0o777).toBe(0o600)
  expect((await run(['getMe'])).code).toBe(0)
  const elsewhere = await run(['getMe', '--url', 'http://127.0.0.1:9'])
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('The API token is missing') })
  expect((await run(['logout'])).code).toBe(0)
  expect((await run(['getMe'])).stderr).toContain('Run `overture api login`')
})

it('does not save a token that the server rejects', async () => {
  const login = await run(['login', '--url', server.url], {}, 'ovt_wrong\n')
  expect(login.code).toBe(1)
  expect((await run(['getMe'])).code).toBe(2)
})

// On other systems, `script` takes different options.
it.runIf(process.platform === 'linux')(
  'Ctrl-C at the hidden prompt for the token ends the command',
  async () => {
    const main = join(import.meta.dirname, 'main.ts')
    const command = `exec "${process.execPath}" "${main}" api login --url ${server.url}`
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: environment({ XDG_CONFIG_HOME: dir }),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let printed = ''
    terminal.stdout.on('data', chunk => {
      printed += chunk
      if (String(chunk).includes('API token: ')) terminal.stdin.write('\x03')
    })
    const [code] = await once(terminal, 'close')
    expect({ code, printed }).toEqual({ code: 130, printed: 'API token: \r\noverture: Interrupted.\r\n' })
  },
)
