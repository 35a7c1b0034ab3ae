import {
  countNewcomers,
  lockNewcomers,
  type Newcomers,
  newcomersLeft,
} from '../../domain/campaigns/new-prospect-limit.ts'
import { lockRoom, type Room, startGap } from '../../domain/mailboxes/quota.ts'
import type { StepFacts } from '../../domain/rendering/step-facts.ts'
import type { Sql } from '../../kernel/db/database.ts'

/** What caps and gaps leave for mails that are planned together. */
export type Limits = {
  roomOf: (facts: StepFacts) => Room | undefined
  newcomersOf: (facts: StepFacts) => Newcomers | undefined
  /** Takes a place for it; false when others of the batch took the last one. */
  take: (facts: StepFacts) => boolean
}

/**
 * Locked until the transaction is over, so that nobody else takes the same places; the campaigns last, as everywhere.
 */
export async function lockLimits(tx: Sql, all: readonly StepFacts[], now: Date): Promise<Limits> {
  const rooms = new Map<string, Awaited<ReturnType<typeof lockRoom>>>()
  for (const id of inOrder(all.flatMap(each => pacedMailboxOf(each) ?? [])))
    rooms.set(id, await lockRoom(tx, id, now))
  const newcomers = new Map<string, Newcomers>()
  const campaignIds = all.flatMap(facts => (facts.newcomers ? facts.campaignId : []))
  for (const id of inOrder(campaignIds)) newcomers.set(id, await lockNewcomers(tx, id))

  const roomOf = (facts: StepFacts) => rooms.get(pacedMailboxOf(facts) ?? '')
  const newcomersOf = (facts: StepFacts) => facts.newcomers && newcomers.get(facts.campaignId)
  const taken = new Map<object, number>()
  const take = (facts: StepFacts) => {
    const room = roomOf(facts)
    const begun = newcomersOf(facts)
    const limits: [object, number][] = []
    if (room) limits.push([room, room.places ?? Number.POSITIVE_INFINITY])
    if (begun) limits.push([begun, newcomersLeft(begun, facts.clock, now)])
    if (limits.some(([limit, places]) => (taken.get(limit) ?? 0) >= places)) return false
    for (const [limit] of limits) taken.set(limit, (taken.get(limit) ?? 0) + 1)
    return true
  }
  return { roomOf, newcomersOf, take }
}

/** What was written has its place from now on. */
export async function countTaken(tx: Sql, written: readonly StepFacts[], now: Date): Promise<void> {
  const begun = Map.groupBy(
    written.filter(({ newcomers }) => newcomers),
    ({ campaignId }) => campaignId,
  )
  for (const [campaignId, mails] of begun)
    await countNewcomers(tx, campaignId, mails.length, mails[0]!.clock, now)
  const paced = Map.groupBy(written, pacedMailboxOf)
  for (const mailboxId of inOrder([...paced.keys()].filter(id => id !== undefined)))
    await startGap(tx, { mailboxId, prospectId: paced.get(mailboxId)!.at(-1)!.prospectId }, now)
}

/** Where its mail takes a place; a task takes none. */
const pacedMailboxOf = ({ step, rep }: StepFacts): string | undefined =>
  step?.channel === 'email' && rep?.isPaced ? rep.mailboxId : undefined

const inOrder = (ids: string[]): string[] => [...new Set(ids)].sort()
