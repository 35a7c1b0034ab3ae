import { expect, it } from 'vitest'
import { Journal } from './journal.ts'
import { type RecordedDelivery, tallyRecordedDeliveries } from './tally-deliveries.ts'

/** Tallies a run in which every email was sent, after `spoil` has changed it. */
function tallyAfter(spoil: (journal: Journal, recorded: RecordedDelivery[]) => void) {
  using journal = new Journal()
  const recorded: RecordedDelivery[] = []
  for (const name of ['ada', 'ben', 'cy']) {
    recorded.push({ email: `${name}@x.example`, delivery: 'sent' })
    journal.dot({ to: `${name}@x.example`, messageId: `<${name}@x>`, isAccepted: true, wire: '' })
  }
  spoil(journal, recorded)
  return tallyRecordedDeliveries(recorded, journal)
}

const dot = { to: 'ada@x.example', messageId: '<ada@x>', isAccepted: true, wire: '' }
const optOut = (journal: Journal, inFlight: number) =>
  journal.acknowledge('addOptOuts', 'ada@x.example', { inFlight })

it('reports no error for a correct run', () => {
  expect(tallyAfter(() => {})).toMatchObject({
    prospects: 3,
    sent: 3,
    duplicated: 0,
    lost: 0,
    misreported: 0,
    late: 0,
  })
})

it('reports an email as duplicated if it arrived twice', () => {
  expect(tallyAfter(journal => journal.dot(dot))).toMatchObject({ duplicated: 1, lost: 0, late: 0 })
})

it('does not count a refused email as a delivery', () => {
  expect(tallyAfter(journal => journal.dot({ ...dot, isAccepted: false }))).toMatchObject({ duplicated: 0 })
})

it('reports an email as lost if it is marked as sent but never arrived', () => {
  const delivery = { email: 'dee@x.example', delivery: 'sent' }
  expect(tallyAfter((_, recorded) => recorded.push(delivery))).toMatchObject({ lost: 1, sent: 4 })
})

it('reports an email as lost if it has no final status', () => {
  for (const delivery of [null, 'queued', 'sending'])
    expect(tallyAfter((_, recorded) => recorded.push({ email: 'dee@x.example', delivery }))).toMatchObject({
      lost: 1,
    })
})

it.each(['failed', 'suppressed'])(
  'reports an email as misreported if it arrived but is marked as %s',
  delivery => {
    const tally = tallyAfter((_, recorded) => {
      recorded[0]!.delivery = delivery
    })
    expect(tally).toMatchObject({ misreported: 1, [delivery]: 1, sent: 2 })
  },
)

it('counts unconfirmed emails separately, whether they arrived or not', () => {
  const tally = tallyAfter((_, recorded) => {
    recorded[0]!.delivery = 'unconfirmed'
    recorded.push({ email: 'dee@x.example', delivery: 'unconfirmed' })
  })
  expect(tally).toMatchObject({ unconfirmed: 2, unconfirmedDelivered: 1, lost: 0, misreported: 0 })
})

it('reports an email as late if it was sent after an acknowledged opt-out', () => {
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
