import { expect, it } from 'vitest'
import { trialCampaign } from './campaigns.ts'
import { companiesOf } from './cast.ts'
import { demeanors, type Reaction, reactionTo } from './demeanors.ts'

const people = companiesOf([trialCampaign]).flatMap(({ domain, people }) =>
  people.flatMap(([, , slug]) => (trialCampaign.paused?.[slug] ? [] : [`${slug}@${domain}`])),
)
const strangers = Array.from({ length: 200 }, (_, n) => `p${n}@company${n}.example`)
const toMails = (to: string): Reaction[] =>
  ['', '<1@a.example>'].map(references => reactionTo({ to, references }))

it('one address has one fate: nobody both bounces and answers, or is away and complains', () => {
  for (const to of [...people, ...strangers]) {
    const reactions = new Set(toMails(to))
    reactions.delete('silence')
    expect(reactions.size, to).toBeLessThanOrEqual(1)
    if (reactions.has('bounce')) expect(toMails(to)).toEqual(['bounce', 'bounce'])
  }
})

it('the people of the campaign that sends do all that people do, some of them only after a second mail', () => {
  expect(people).toHaveLength(demeanors.length)
  const first = people.map(to => toMails(to)[0])
  const expected = new Set(demeanors.filter(demeanor => demeanor !== 'late'))
  expect(new Set(first)).toEqual(expected)
  expect(people.map(toMails)).toContainEqual(['silence', 'reply'])
})
