import type { Context } from '../../../kernel/context.ts'
import type { Row } from '../lean-row.ts'
import { presentResult } from '../tool-result.ts'
import { describeCampaign, describeLaunch, describeSkipped, describeStep, previewSteps } from './campaigns.ts'
import { describeLatest, explainCompany } from './people.ts'
import { type Addition, openReader } from './reader.ts'
import { explainSending, listNextSends, nameSender } from './sending.ts'
import { describeStats, nameDenominators } from './statistics.ts'
import { describeWaiting } from './waiting.ts'
import { describeNext, listIdentifiers } from './work.ts'

const additions: Record<string, Addition> = {
  whoami: describeWaiting,
  get_person: describeLatest,
  get_campaign_stats: describeStats,
  get_report: nameDenominators,
  list_problems: explainSending,
  pause_all_sending: listNextSends,
  resume_all_sending: listNextSends,
  create_campaign: describeCampaign,
  duplicate_campaign: describeCampaign,
  set_campaign_steps: describeCampaign,
  update_campaign: describeCampaign,
  update_campaign_step: describeStep,
  forecast_campaign: describeLaunch,
  launch_campaign: describeSkipped,
  preview_campaign: previewSteps,
  pause_prospects: explainCompany,
  resume_prospects: explainCompany,
  stop_prospects: explainCompany,
  complete_task: describeNext,
  skip_task: describeNext,
  accept_invitation: describeNext,
  add_opt_outs: listIdentifiers,
  compose_email: nameSender,
  create_email_draft: nameSender,
  update_email_draft: nameSender,
}

/**
 * Adds data to a tool's result that would otherwise take further calls. The tool's change is kept even if this
 * fails.
 */
export async function enrichResult(
  ctx: Context,
  tool: string,
  input: Row,
  result: Row,
  presented: Row,
): Promise<Row> {
  const add = additions[tool]
  if (!add) return presented
  try {
    const { replaces = [], ...added } = await add(openReader(ctx), result, input, ctx)
    const kept = Object.entries(presented).filter(([name]) => !(replaces as string[]).includes(name))
    return { ...Object.fromEntries(kept), ...presentResult(added, 'concise') }
  } catch (error) {
    ctx.app.log.warn({ requestId: ctx.requestId, tool, err: error }, 'mcp: a result is incomplete')
    return presented
  }
}
