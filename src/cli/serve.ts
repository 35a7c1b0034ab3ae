import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { getSetupCode, isSetUp } from '../server/domain/auth/sign-in.ts'
import { openInstallation } from '../server/installation.ts'
import {
  type Config,
  type ConfigFlags,
  describeSettings,
  getPublicUrl,
  readConfig,
  type Setting,
} from '../server/kernel/config.ts'
import { type GlobalOptions, toFlags } from './open.ts'
import { createOutput } from './output.ts'
import { storeServerUrl } from './server-url.ts'
import { openStopSignal } from './stop-signal.ts'

/** Time for open handles to close before the process exits anyway. */
const EXIT_TIMEOUT_MS = 1_000

type ServeOptions = GlobalOptions & { demo?: true }

export function addServeCommand(program: Command): void {
  const serve = program.command('serve').description('Start the server; SIGTERM or Ctrl-C stops it')
  const options = describeSettings().flatMap(setting => {
    const option = setting.flag && !isGlobal(program, setting.flag) && toOption(setting, setting.flag)
    return option ? [[setting.name, option] as const] : []
  })
  for (const [, option] of options) serve.addOption(option)
  serve.option('--demo', 'Run the demo: sample data in a separate data folder')
  const withoutFlag = describeSettings().filter(setting => !setting.flag)
  serve.addHelpText(
    'after',
    `
Flags override environment variables. These settings have no flag, because flags are visible in process lists:
${withoutFlag.map(({ env, help }) => `  ${env}  ${help}`).join('\n')}

Examples:
  $ overture serve --demo
  $ overture serve
  $ overture serve --port 8080 --host 0.0.0.0 --public-url https://outreach.acme.example
  $ DATABASE_URL=postgres://overture@db/overture REDIS_URL=redis://cache overture serve --role web`,
  )
  serve.action(async (_options: object, command: Command) => {
    const values = command.optsWithGlobals<Record<string, string> & ServeOptions>()
    const flags = Object.fromEntries(options.map(([name, option]) => [name, values[option.attributeName()]]))
    await runServer(
      { ...flags, ...toFlags(values), ...(flags.logLevel && { logLevel: flags.logLevel }) },
      values,
    )
    setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref()
  })
}

const isGlobal = (program: Command, flag: string): boolean =>
  program.options.some(option => option.long === flag)

const toOption = ({ env, help, defaultValue }: Setting, flag: string): Option => {
  const isEmpty = defaultValue === undefined || defaultValue === false || String(defaultValue) === ''
  return new Option(`${flag} <value>`, `${help} (env: ${env}${isEmpty ? '' : `, default: ${defaultValue}`})`)
}

async function runServer(flags: ConfigFlags, options: ServeOptions): Promise<void> {
  // The demo keeps the terminal for its own instructions.
  const settings = readConfig(flags, undefined, options.demo ? { logLevel: 'warn' } : {})
  const config = options.demo
    ? (await import('../demo/webhook/receiver.ts')).allowOwnHost(settings)
    : settings
  const output = createOutput(options)
  // Opened before the database, which would keep running if the server were stopped while it starts.
  const stop = openStopSignal(output.info)
  // Imported on demand, because no other command needs the server.
  const { serve } = await import('../server/main.ts')
  await using installation = await openInstallation(config, {
    onProgress: output.info,
    dataSuffix: options.demo ? '-demo' : '',
  })
  if (stop.aborted) return
  const demo = options.demo ? await (await import('../demo/demo.ts')).openDemo(installation) : undefined
  await using running = await serve(config, installation, demo?.mount).catch(error => {
    throw error.code === 'EADDRINUSE' ? toPortInUseError(config, error.port) : error
  })
  await using _demo = await demo?.start(running)
  const { url = null, healthUrl } = running
  if (url) await storeServerUrl(installation.dataDir, toLinkUrl(running.app.config, url))
  const setUpUrl =
    url && !(await isSetUp(running.app.db.auth))
      ? `${url}/setup?code=${getSetupCode(running.app)}`
      : undefined
  const links = { url, ...(healthUrl && { healthUrl }), ...(setUpUrl && { setUpUrl }) }
  output.result({ ...links, ...demo?.info }, () => {
    if (!url) return 'Overture is running.'
    if (setUpUrl) return `Overture is ready. Create your account: ${setUpUrl}`
    return demo?.formatInstructions(url) ?? `Overture is ready: ${url}`
  })
  if (!stop.aborted) await once(stop, 'abort')
}

/** Returns the URL for links that commands print. A server that listens on all addresses is reached at localhost. */
const toLinkUrl = (config: Config, url: string): string =>
  ['0.0.0.0', '::'].includes(config.host) ? getPublicUrl(config) : url

const toPortInUseError = ({ host, healthPort }: Config, port: number): Error => {
  const flag = port === healthPort ? '--health-port' : '--port'
  return new Error(
    `Port ${port} on ${host} is already in use. Stop the other process or choose a port with ${flag}.`,
  )
}
