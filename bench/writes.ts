import type { SeededIds } from './seed.ts'

/** A measured write; the baseline server has one of the same name. */
export type WriteCase = { name: string; path: string; connections?: number; nextBody: () => string }

export function listWriteCases(ids: SeededIds): WriteCase[] {
  let serial = 0
  const next = () => (serial += 1)
  const optOuts = {
    path: '/v1/dnc/communication-opt-outs',
    nextBody: () =>
      JSON.stringify({
        identifiers: Array.from({ length: 500 }, () => ({ identifier: `new${next()}@opt-out.example` })),
      }),
  }
  return [
    {
      name: 'add-prospects',
      path: `/v1/campaigns/${ids.emptyCampaignId}/prospects`,
      nextBody: () =>
        JSON.stringify({
          data: Array.from({ length: 20 }, () => {
            const i = next()
            return {
              firstName: `Ada${i}`,
              lastName: 'Byron',
              email: `ada${i}@bench${i % 500}.example`,
              company: `Bench ${i % 500}`,
            }
          }),
        }),
    },
    { name: 'add-opt-outs', ...optOuts },
    // Measures the latency of a single caller, because 32 concurrent callers have to wait for the CPU.
    { name: 'add-opt-outs:one-caller', connections: 1, ...optOuts },
  ]
}
