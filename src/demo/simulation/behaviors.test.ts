import { expect, it } from 'vitest'
import { trialCampaign } from '../data/campaigns.ts'
import { findCompanies } from '../seed/prospects.ts'
import { behaviors, chooseReaction, type Reaction } from './behaviors.ts'

const people = findCompanies([trialCampaign]).flatMap(({ domain, people }) =>
  people.flatMap(([, , slug]) => (trialCampaign.paused?.[slug] ? [] : [`${slug}@${domain}`])),
)
const otherAddresses = Array.from({ length: 200 }, (_, n) => `p${n}@company${n}.example`)
const getReactions = (to: string): Reaction[] =>
  ['', '<1@a.example>'].map(references => chooseReaction({ to, references }))

it('each simulated recipient has one behavior: an address never both bounces and replies', () => {
  for (const to of [...people, ...otherAddresses]) {
    const reactions = new Set(getReactions(to))
    reactions.delete('none')
    expect(reactions.size, to).toBeLessThanOrEqual(1)
    if (reactions.has('bounce')) expect(getReactions(to)).toEqual(['bounce', 'bounce'])
  }
})

it('the recipients of the trial campaign show every reaction, some only after the second email', () => {
  expect(people).toHaveLength(behaviors.length)
  const first = people.map(to => getReactions(to)[0])
  const expected = new Set(behaviors.filter(behavior => behavior !== 'late_reply'))
  expect(new Set(first)).toEqual(expected)
  expect(people.map(getReactions)).toContainEqual(['none', 'reply'])
})
