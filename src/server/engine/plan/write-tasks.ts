import { randomUUIDv7 } from 'node:crypto'
import { queueLinkedinSends } from '../../domain/linkedin/sends.ts'
import { finishSteps, markStepsInFlight } from '../../domain/prospects/advance-prospects.ts'
import { chooseVariant } from '../../domain/rendering/choose-variant.ts'
import { createMissingFinder, toMissingReason } from '../../domain/rendering/missing-variables.ts'
import { renderTask } from '../../domain/rendering/render-step.ts'
import type { DueStep, StepFacts } from '../../domain/rendering/step-facts.ts'
import { insertTasks, type NewTask, type TaskChannel } from '../../domain/tasks/write-tasks.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { MissingVariable } from '../../protocols/templates/template.ts'

export type DueTask = StepFacts & {
  step: DueStep
  taskRep: NonNullable<StepFacts['taskRep']>
  /** True for a step that is recorded as skipped. */
  isSkipped: boolean
}

/** Creates the tasks of these steps for their reps. Returns the reason for each prospect that gets none. */
export async function writeTasks(
  { tx, now, ended }: { tx: Sql; now: Date; ended: Set<string> },
  due: readonly DueTask[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  const written: [DueTask, NewTask][] = []
  const findMissingFor = await createMissingFinder(tx, due)
  for (const facts of due) {
    const missing = await findMissingFor(facts)
    const task = missing.length > 0 ? toMissingReason(missing) : writeTask(facts)
    if (typeof task === 'string') reasons.set(facts.prospectId, task)
    else written.push([facts, task])
  }
  if (written.length === 0) return reasons
  const taskIds = await insertTasks(
    tx,
    written.map(([, task]) => task),
    now,
  )
  await markStepsInFlight(
    tx,
    written.map(([{ prospectId, taskRep }]) => ({
      ...{ prospectId, repId: taskRep.id, mailboxId: taskRep.mailboxId },
    })),
    now,
  )
  await queueLinkedinSends(tx, taskIds, now)
  const skipped = written.filter(([facts]) => facts.isSkipped).map(([facts]) => facts)
  const ids = skipped.map(({ prospectId }) => prospectId)
  if (ids.length > 0 && (await finishSteps(tx, ids, now)))
    for (const { campaignId } of skipped) ended.add(campaignId)
  return reasons
}

/** Returns the task, or the reason there is none. */
function writeTask({ step, isSkipped, taskRep, ...facts }: DueTask): NewTask | string {
  const variant = step.variants.length > 0 ? chooseVariant(facts.prospectId, step.variants) : undefined
  try {
    return {
      id: randomUUIDv7(),
      repId: taskRep.id,
      campaignId: facts.campaignId,
      prospectId: facts.prospectId,
      personId: facts.personId,
      stepId: step.id,
      variantId: variant?.id ?? null,
      channel: step.channel as TaskChannel,
      text: variant ? renderTask({ ...variant, id: step.id }, facts) : null,
      status: isSkipped ? 'skipped' : 'open',
      statusReason: isSkipped ? 'not_accepted' : null,
    }
  } catch (error) {
    if (error instanceof MissingVariable) return toMissingReason([error.variable])
    if (error instanceof AppError) return `template: ${error.message}`
    throw error
  }
}
