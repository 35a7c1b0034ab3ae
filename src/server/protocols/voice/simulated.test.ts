import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { CallEvent } from './provider.ts'
import { simulatedProvider } from './simulated.ts'

const placedAt = new Date('2026-11-23T10:00:00.000Z')
const { signal } = new AbortController()

const makeCall = (seed: number) => ({
  callId: createHash('sha256').update(`call ${seed}`).digest('hex'),
  from: '+442079460018',
  to: '+442079460019',
  assistantName: 'Front desk',
  personName: 'Ada Byron',
  placedAt,
})

const reportAfter = async (seed: number, seconds: number) =>
  (await simulatedProvider.findCall(makeCall(seed), new Date(placedAt.getTime() + seconds * 1000), signal))!

const getEnd = async (seed: number) => {
  const end = (await reportAfter(seed, 30)).events.at(-1) as CallEvent
  if (end.type !== 'end-of-call') throw new Error('the call has not ended')
  return end
}

it('reports the same events for a call whenever it is polled', async () => {
  for (let seed = 0; seed < 20; seed += 1) {
    expect(await reportAfter(seed, 30)).toEqual(await reportAfter(seed, 30))
    const [early, late] = [await reportAfter(seed, 1.5), await reportAfter(seed, 30)]
    expect(late.events.slice(0, early.events.length)).toEqual(early.events)
    expect(early.providerCallId).toBe(
      (await simulatedProvider.placeCall(makeCall(seed), placedAt, signal)).providerCallId,
    )
  }
})

it('ends every call within ten seconds', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    expect((await reportAfter(seed, 0)).events).toHaveLength(1)
    expect((await reportAfter(seed, 10)).events.at(-1)).toMatchObject({ type: 'end-of-call' })
  }
})

it('distributes outcomes like those of cold calls', async () => {
  const outcomes: Record<string, number> = {}
  for (let seed = 0; seed < 1000; seed += 1) {
    const { outcome } = await getEnd(seed)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  expect(Object.keys(outcomes).sort()).toEqual(['answered', 'busy', 'failed', 'no_answer', 'voicemail'])
  expect(outcomes.answered).toBeGreaterThan(450)
  expect(outcomes.voicemail).toBeGreaterThan(200)
})

it('reports consistent times, duration and transcript', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const { outcome, startedAt, endedAt, durationSeconds, transcript, summary } = await getEnd(seed)
    if (outcome !== 'answered' && outcome !== 'voicemail') {
      expect({ startedAt, durationSeconds, transcript }).toEqual({ durationSeconds: 0 })
      continue
    }
    expect(endedAt.getTime() - startedAt!.getTime()).toBe(durationSeconds! * 1000)
    expect(durationSeconds).toBeGreaterThan(10)
    expect(durationSeconds).toBeLessThan(120)
    const times = transcript!.map(line => line.at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeLessThan(durationSeconds!)
    expect(summary).toMatch(/\.$/)
  }
})

it('discloses the AI in its first message', async () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const { transcript } = await getEnd(seed)
    const first = transcript?.find(line => line.role === 'assistant')
    if (first) expect(first.text).toContain('AI assistant')
  }
})
