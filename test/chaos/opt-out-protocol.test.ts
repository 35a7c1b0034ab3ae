import { expect, it } from 'vitest'
import { explore, type Protocol, protocol } from './opt-out-protocol.ts'
import { report } from './tally-deliveries.ts'

const two = { senders: 2, optOuts: 2 }

it('no order of the steps sends an email after an opt-out that reported none in flight', () => {
  const { states, late, ends } = explore(protocol, two)
  report('opt-out-protocol', { ...two, states, late, ...ends })
  expect(late).toBe(0)
  // Both results of the race must occur, otherwise the test proves nothing.
  expect(ends.sent).toBeGreaterThan(0)
  expect(ends.kept).toBeGreaterThan(0)
})

it.each<[string, Protocol]>([
  ['a sender that looks before it marks', { ...protocol, sender: ['look', 'mark', 'dot', 'end'] }],
  ['a sender that does not mark', { ...protocol, sender: ['look', 'dot', 'end'] }],
  ['a sender that does not look', { ...protocol, sender: ['mark', 'dot', 'end'] }],
  ['an opt-out that looks before it stores', { ...protocol, optOut: ['look', 'wait', 'store', 'answer'] }],
  ['an opt-out that does not look', { ...protocol, optOut: ['store', 'answer'] }],
])('the model detects the error of %s', (_, mutated) => {
  expect(explore(mutated, two).late).toBeGreaterThan(0)
})
