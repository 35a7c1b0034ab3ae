import { expect, it } from 'vitest'
import { Journal } from './journal.ts'
import { type Fate, tallyFates } from './tally-deliveries.ts'

/** Tallies a run in which every email was sent, after `spoil` has changed it. */
function tallyAfter(spoil: (journal: Journal, fates: Fate[]) => void) {
  using journal = new Journal()
  const fates: Fate[] = []
  for (const name of ['ada', 'ben', 'cy']) {
    fates.push({ email: `${name}@x.example`, delivery: 'sent' })
    journal.dot({ to: `${name}@x.example`, messageId: `<${name}@x>`, isAccepted: true, wire: '' })
  }
  spoil(journal, fates)
  return tallyFates(fates, journal)
}

const dot = { to: 'ada@x.example', messageId: '<ada@x>', isAccepted: true, wire: '' }
const optOut = (journal: Journal, inFlight: number) =>
  journal.acknowledge('addOptOuts', 'ada@x.example', { inFlight })

it('reports no error for a correct run', () => {
  expect(tallyAfter(() => {})).toMatchObject({
    prospects: 3,
    sent: 3,
    doubled: 0,
    lost: 0,
    silent: 0,
    late: 0,
  })
})

it('reports as doubled an email that arrived twice', () => {
  expect(tallyAfter(journal => journal.dot(dot))).toMatchObject({ doubled: 1, lost: 0, late: 0 })
})

it('does not count a refused email as a delivery', () => {
  expect(tallyAfter(journal => journal.dot({ ...dot, isAccepted: false }))).toMatchObject({ doubled: 0 })
})

it('reports as lost an email that is marked as sent but never arrived', () => {
  const fate = { email: 'dee@x.example', delivery: 'sent' }
  expect(tallyAfter((_, fates) => fates.push(fate))).toMatchObject({ lost: 1, sent: 4 })
})

it('reports as lost an email without a final status', () => {
  for (const delivery of [null, 'queued', 'sending'])
    expect(tallyAfter((_, fates) => fates.push({ email: 'dee@x.example', delivery }))).toMatchObject({
      lost: 1,
    })
})

it.each(['failed', 'suppressed'])('reports as silent an email that arrived but is marked as %s', delivery => {
  const tally = tallyAfter((_, fates) => {
    fates[0]!.delivery = delivery
  })
  expect(tally).toMatchObject({ silent: 1, [delivery]: 1, sent: 2 })
})

it('counts unconfirmed emails separately, whether they arrived or not', () => {
  const tally = tallyAfter((_, fates) => {
    fates[0]!.delivery = 'unconfirmed'
    fates.push({ email: 'dee@x.example', delivery: 'unconfirmed' })
  })
  expect(tally).toMatchObject({ unknown: 2, unknownDelivered: 1, lost: 0, silent: 0 })
})

it('reports as late an email sent after an acknowledged opt-out', () => {
  expect(
    tallyAfter(journal => {
      optOut(journal, 0)
      journal.dot(dot)
    }),
  ).toMatchObject({ late: 1 })
})

it('does not report as late an email sent before the opt-out or reported as in flight', () => {
  expect(tallyAfter(journal => optOut(journal, 0))).toMatchObject({ late: 0 })
  expect(
    tallyAfter(journal => {
      optOut(journal, 1)
      journal.dot(dot)
    }),
  ).toMatchObject({ late: 0 })
})
