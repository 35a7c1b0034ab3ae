import { type Command, Option } from 'commander'
import type { Output } from '../contract/index.ts'
import { answeredIntents, replyAgentProviders } from '../contract/reply-agent.ts'
import { accountOption, parseCount, parsePrice, readSecret } from './arguments.ts'
import { call, findAccount, openContext } from './context.ts'
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
  const agent = program
    .command('reply-agent')
    .description('Manage the model that classifies replies and drafts answers')
  agent
    .command('show')
    .description('Show the settings, without the API key')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        output.result(await call(ctx, 'getReplyAgent', {}), ({ replyAgent }) =>
          replyAgent
            ? describe(replyAgent)
            : 'No reply agent is set up: rules classify replies, and no answers are drafted.',
        )
      }),
    )
  addSet(agent)
  agent
    .command('verify')
    .description('Test the model with a sample reply, which costs a few hundred tokens')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const { problem, ...verified } = await call(ctx, 'verifyReplyAgent', {})
        if (problem) throw new Error(problem)
        output.result(verified, ({ model }) => `${model} works.`)
      }),
    )
  agent
    .command('delete')
    .description('Delete the reply agent and its key; existing drafts are kept')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        output.result(await call(ctx, 'deleteReplyAgent', {}), () => 'Deleted the reply agent.')
      }),
    )
}

function addSet(agent: Command): void {
  agent
    .command('set')
    .description('Set up the reply agent; omitted settings get their defaults')
    .addOption(
      new Option('--provider <name>', 'Provider; openai_compatible is any OpenAI-style chat completions API')
        .choices([...replyAgentProviders])
        .makeOptionMandatory(),
    )
    .requiredOption('--model <name>', 'Model name at the provider')
    .option('--base-url <url>', 'Base URL of the API; required for openai_compatible')
    .option(
      '--key-stdin',
      'Prompt for the API key, or read it from a pipe; without it, the stored key is kept',
    )
    .option('--no-enabled', 'Turn the reply agent off and keep its settings')
    .option('--input-price <usd>', 'Price per million input tokens, for cost reports', parsePrice)
    .option('--output-price <usd>', 'Price per million output tokens', parsePrice)
    .option('--daily-replies <n>', 'Maximum number of replies to classify in 24 hours', parseCount)
    .addOption(
      new Option(
        '--autopilot <intent...>',
        'Send drafts for replies with these intents automatically',
      ).choices([...answeredIntents]),
    )
    .option('--delay-minutes <n>', 'Minutes to wait before sending such a draft', parseCount)
    .option('--daily-cap <n>', 'Maximum number of automatic answers in 24 hours', parseCount)
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
          throw new UsageError('--delay-minutes and --daily-cap require --autopilot.')
        const { provider, model, baseUrl, inputPrice, outputPrice, dailyReplies } = rest
        const apiKey = keyStdin ? (await readSecret('API key')).trim() : undefined
        const ctx = await openContext(app, await findAccount(app, account))
        const saved = await call(ctx, 'setReplyAgent', {
          ...{ provider, model, baseUrl, apiKey, isEnabled: enabled, inputPrice, outputPrice, dailyReplies },
          ...(autopilot && { autopilot: { intents: autopilot, delayMinutes, dailyCap } }),
        })
        output.result(saved, describe)
      }),
    )
}

function describe({ provider, model, autopilot, ...agent }: Agent): string {
  const { intents, delayMinutes, dailyCap } = autopilot
  return [
    `${model} (${provider}${agent.baseUrl ? `, ${agent.baseUrl}` : ''})`,
    agent.isEnabled ? `classifies up to ${agent.dailyReplies} replies in 24 hours` : 'turned off',
    agent.hasApiKey ? 'API key stored' : 'no API key',
    intents.length > 0
      ? `autopilot answers ${intents.join(', ')} after ${delayMinutes} minutes, up to ${dailyCap} in 24 hours`
      : 'every draft requires approval',
    agent.verifiedAt ? `verified at ${agent.verifiedAt}` : 'not verified; run `overture reply-agent verify`',
  ].join('\n')
}
