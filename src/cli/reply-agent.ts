import { type Command, Option } from 'commander'
import type { Output } from '../contract/index.ts'
import { answeredIntents, replyAgentProviders } from '../contract/reply-agent.ts'
import { accountOption, readCount, readPassword, readPrice } from './arguments.ts'
import { call, chooseAccount, contextIn } from './context.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './usage-error.ts'

type Options = { account?: string }
type Agent = Output<'setReplyAgent'>
type Settings = Options & {
  provider: (typeof replyAgentProviders)[number]
  model: string
  baseUrl?: string
  keyStdin?: true
  enabled: boolean
  inputPrice?: number
  outputPrice?: number
  dailyReplies?: number
  autopilot?: (typeof answeredIntents)[number][]
  delayMinutes?: number
  dailyCap?: number
}

export function addReplyAgentCommands(program: Command): void {
  const agent = program.command('reply-agent').description('the model that reads replies and drafts answers')
  agent
    .command('show')
    .description('show its settings; never the key')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        output.result(await call(ctx, 'getReplyAgent', {}), ({ replyAgent }) =>
          replyAgent ? describe(replyAgent) : 'There is none: rules read replies, and nothing is drafted.',
        )
      }),
    )
  addSet(agent)
  agent
    .command('verify')
    .description('have the model read a reply that is made up, which costs some hundred tokens')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const { problem, ...verified } = await call(ctx, 'verifyReplyAgent', {})
        if (problem) throw new Error(problem)
        output.result(verified, ({ model }) => `${model} answers as it should.`)
      }),
    )
  agent
    .command('delete')
    .description('remove it with its key; drafts stay, and rules read from now on')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        output.result(await call(ctx, 'deleteReplyAgent', {}), () => 'Removed the reply agent.')
      }),
    )
}

function addSet(agent: Command): void {
  agent
    .command('set')
    .description('let a model read replies; what is left away takes its default')
    .addOption(
      new Option('--provider <name>', 'openai_compatible speaks the chat completions of OpenAI')
        .choices([...replyAgentProviders])
        .makeOptionMandatory(),
    )
    .requiredOption('--model <name>', 'as the provider names it')
    .option('--base-url <url>', 'where its API begins; needed for openai_compatible')
    .option('--key-stdin', 'the API key: typed when asked, or read from a pipe; left away it stays')
    .option('--no-enabled', 'keep the settings, and let rules read')
    .option('--input-price <usd>', 'for a million tokens of input, to tell costs', readPrice)
    .option('--output-price <usd>', 'the same of output', readPrice)
    .option('--daily-replies <n>', 'the most that the model is asked about in 24 hours', readCount)
    .addOption(
      new Option('--autopilot <intent...>', 'drafts that answer these leave without a person').choices([
        ...answeredIntents,
      ]),
    )
    .option('--delay-minutes <n>', 'how long such a draft waits before', readCount)
    .option('--daily-cap <n>', 'how many leave in 24 hours', readCount)
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
Examples:
  $ overture reply-agent set --provider anthropic --model claude-sonnet-4-5 --key-stdin < key.txt
  $ overture reply-agent set --provider openai --model gpt-5-mini --autopilot question --delay-minutes 60`,
    )
    .action(
      withInstallation<Settings>(async ({ app, output, options }) => {
        const { account, keyStdin, enabled, autopilot, delayMinutes, dailyCap, ...rest } = options
        if (!autopilot && (delayMinutes ?? dailyCap) !== undefined)
          throw new UsageError('--delay-minutes and --daily-cap belong to --autopilot.')
        const { provider, model, baseUrl, inputPrice, outputPrice, dailyReplies } = rest
        const apiKey = keyStdin ? (await readPassword('API key')).trim() : undefined
        const ctx = await contextIn(app, await chooseAccount(app, account))
        const set = await call(ctx, 'setReplyAgent', {
          ...{ provider, model, baseUrl, apiKey, isEnabled: enabled, inputPrice, outputPrice, dailyReplies },
          ...(autopilot && { autopilot: { intents: autopilot, delayMinutes, dailyCap } }),
        })
        output.result(set, describe)
      }),
    )
}

function describe({ provider, model, autopilot, ...agent }: Agent): string {
  const { intents, delayMinutes, dailyCap } = autopilot
  return [
    `${model} (${provider}${agent.baseUrl ? `, ${agent.baseUrl}` : ''})`,
    agent.isEnabled ? `reads up to ${agent.dailyReplies} replies in 24 hours` : 'is switched off',
    agent.hasApiKey ? 'a key is kept' : 'no key is kept',
    intents.length > 0
      ? `autopilot answers ${intents.join(', ')} after ${delayMinutes} minutes, up to ${dailyCap} in 24 hours`
      : 'every draft waits for a person',
    agent.verifiedAt ? `verified at ${agent.verifiedAt}` : 'not verified: `overture reply-agent verify`',
  ].join('\n')
}
