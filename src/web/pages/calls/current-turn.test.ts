import { expect, it } from 'vitest'
import { findCurrentTurn } from './current-turn.ts'

it('finds the turn that is spoken at a given second of the recording', () => {
  const turns = [{ at: 1 }, { at: 4.5 }, { at: 9 }]
  expect([0, 1, 4.4, 4.5, 60].map(seconds => findCurrentTurn(turns, seconds))).toEqual([-1, 0, 0, 1, 2])
})
