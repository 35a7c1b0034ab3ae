import { expect, it } from 'vitest'
import { type Fate, tallyOf } from './check.ts'
import { Journal } from './journal.ts'

/** A world in which all went well, but for what `spoil` does to it. */
function tallyAfter(spoil: (journal: Journal, fates: Fate[]) => void) {
  using journal = new Journal()
  const fates: Fate[] = []
  for (const name of ['ada', 'ben', 'cy']) {
    fates.push({ email: `${name}@x.example`, delivery: 'sent' })
    journal.dot({ to: `${name}@x.example`, messageId: `<${name}@x>`, isAccepted: true, wire: '' })
  }
  spoil(journal, fates)
  return tallyOf(fates, journal)
}

const dot = { to: 'ada@x.example', messageId: '<ada@x>', isAccepted: true, wire: '' }
const optOut = (journal: Journal, inFlight: number) =>
  journal.acknowledge('addOptOuts', 'ada@x.example', { inFlight })

it('finds nothing where all went well', () => {
  expect(tallyAfter(() => {})).toMatchObject({
    prospects: 3,
    sent: 3,
    doubled: 0,
    lost: 0,
    silent: 0,
    late: 0,
  })
})

it('finds a mail that arrived twice, as without the look at the epoch', () => {
  expect(tallyAfter(journal => journal.dot(dot))).toMatchObject({ doubled: 1, lost: 0, late: 0 })
})

it('takes no mail that its server refused for one that arrived', () => {
  expect(tallyAfter(journal => journal.dot({ ...dot, isAccepted: false }))).toMatchObject({ doubled: 0 })
})

it('finds a mail that is called sent and never arrived', () => {
  const fate = { email: 'dee@x.example', delivery: 'sent' }
  expect(tallyAfter((_, fates) => fates.push(fate))).toMatchObject({ lost: 1, sent: 4 })
})

it('finds a mail of which nothing is said in the end', () => {
  for (const delivery of [null, 'queued', 'sending'])
    expect(tallyAfter((_, fates) => fates.push({ email: 'dee@x.example', delivery }))).toMatchObject({
      lost: 1,
    })
})

it.each(['failed', 'suppressed'])('finds a mail that arrived and is called %s', delivery => {
  const tally = tallyAfter((_, fates) => {
    fates[0]!.delivery = delivery
  })
  expect(tally).toMatchObject({ silent: 1, [delivery]: 1, sent: 2 })
})

it('counts what nobody can know apart, whether it arrived or not', () => {
  const tally = tallyAfter((_, fates) => {
    fates[0]!.delivery = 'unconfirmed'
    fates.push({ email: 'dee@x.example', delivery: 'unconfirmed' })
  })
  expect(tally).toMatchObject({ unknown: 2, unknownDelivered: 1, lost: 0, silent: 0 })
})

it('finds a mail that left after an opt-out was acknowledged, as without the look at the list', () => {
  expect(
    tallyAfter(journal => {
      optOut(journal, 0)
      journal.dot(dot)
    }),
  ).toMatchObject({ late: 1 })
})

it('blames no mail that left before, or that the answer told of', () => {
  expect(tallyAfter(journal => optOut(journal, 0))).toMatchObject({ late: 0 })
  expect(
    tallyAfter(journal => {
      optOut(journal, 1)
      journal.dot(dot)
    }),
  ).toMatchObject({ late: 0 })
})
