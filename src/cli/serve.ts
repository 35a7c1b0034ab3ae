import { type Command, Option } from 'commander'
import { isSetUp, setUpCode } from '../server/domain/auth/sign-in.ts'
import { openInstallation } from '../server/installation.ts'
import {
  type Config,
  type ConfigFlags,
  describeSettings,
  readConfig,
  type Setting,
} from '../server/kernel/config.ts'
import { type GlobalOptions, toFlags } from './open.ts'
import { outputFor } from './output.ts'
import { stopSignal } from './stop-signal.ts'

const LINGER_MS = 1_000

type ServeOptions = GlobalOptions & { demo?: true }

export function addServeCommand(program: Command): void {
  const serve = program.command('serve').description('start the server; SIGTERM or Ctrl-C ends it')
  const options = describeSettings().flatMap(setting => {
    const option = setting.flag && !isGlobal(program, setting.flag) && toOption(setting, setting.flag)
    return option ? [[setting.name, option] as const] : []
  })
  for (const [, option] of options) serve.addOption(option)
  serve.option('--demo', 'show it: with made-up data, in a data folder of its own')
  const withoutFlag = describeSettings().filter(setting => !setting.flag)
  serve.addHelpText(
    'after',
    `
A flag wins over its variable. Without a flag, so that it doesn't show in the list of processes:
${withoutFlag.map(({ env, help }) => `  ${env}  ${help}`).join('\n')}

Examples:
  $ overture serve --demo
  $ overture serve
  $ overture serve --port 8080 --host 0.0.0.0 --public-url https://outreach.acme.example
  $ DATABASE_URL=postgres://overture@db/overture REDIS_URL=redis://cache overture serve --role web`,
  )
  serve.action(async (_options: object, command: Command) => {
    const given = command.optsWithGlobals<Record<string, string> & ServeOptions>()
    const flags = Object.fromEntries(options.map(([name, option]) => [name, given[option.attributeName()]]))
    await runServer(
      { ...flags, ...toFlags(given), ...(flags.logLevel && { logLevel: flags.logLevel }) },
      given,
    )
    // What did not end in time holds up nobody.
    setTimeout(() => process.exit(), LINGER_MS).unref()
  })
}

const isGlobal = (program: Command, flag: string): boolean =>
  program.options.some(option => option.long === flag)

const toOption = ({ env, help, defaultValue }: Setting, flag: string): Option => {
  const isEmpty = defaultValue === undefined || defaultValue === false || String(defaultValue) === ''
  return new Option(`${flag} <value>`, `${help} (${env}${isEmpty ? '' : `, ${defaultValue} when absent`})`)
}

async function runServer(flags: ConfigFlags, options: ServeOptions): Promise<void> {
  // In the demo the screen is for what it has to say.
  const given = readConfig(flags, undefined, options.demo ? { logLevel: 'warn' } : {})
  const config = options.demo ? (await import('../demo/webhook-catcher.ts')).allowCatcher(given) : given
  const output = outputFor(options)
  // Read only now, because no other command needs what the server needs.
  const { serve } = await import('../server/main.ts')
  await using installation = await openInstallation(config, {
    onProgress: output.say,
    dataSuffix: options.demo ? '-demo' : '',
  })
  const demo = options.demo ? await (await import('../demo/demo.ts')).openDemo(installation) : undefined
  await using running = await serve(config, installation, demo?.mount).catch(error => {
    throw error.code === 'EADDRINUSE' ? portTaken(config) : error
  })
  await using _people = await demo?.begin(running)
  const { url = null, healthUrl } = running
  // Before it is said to be ready: whoever hears that may ask it to end at once.
  const stopped = stopSignal()
  const setUpUrl =
    url && !(await isSetUp(running.app.db.auth)) ? `${url}/setup?code=${setUpCode(running.app)}` : undefined
  const links = { url, ...(healthUrl && { healthUrl }), ...(setUpUrl && { setUpUrl }) }
  output.result({ ...links, ...demo?.facts }, () => {
    if (!url) return 'Overture is at work.'
    if (setUpUrl) return `Overture is ready. Make the first account: ${setUpUrl}`
    return demo?.greet(url) ?? `Overture is ready: ${url}`
  })
  await stopped
  output.say('Stopping…')
}

const portTaken = ({ host, port }: Config): Error =>
  new Error(`Something else listens on port ${port} of ${host}. End it, or choose another with --port.`)
