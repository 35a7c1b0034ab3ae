import { expect, it } from 'vitest'
import { appendInFlightNote, formatInFlight } from './in-flight.ts'

it.each([
  [0, undefined, ''],
  [1, undefined, '1 message was already being sent'],
  [1_200, ' to the old address', '1,200 messages to the old address were already being sent'],
])('formats %i messages in flight', (count, qualifier, text) => {
  expect(formatInFlight(count, qualifier)).toBe(text)
})

it('appends messages in flight as a sentence', () => {
  expect(appendInFlightNote('Saved.', 0)).toBe('Saved.')
  expect(appendInFlightNote('Saved.', 1)).toBe('Saved. 1 message was already being sent.')
})
