import type { World } from './seed.ts'

/** A write that is measured: ours under /v1, and the bare server's case of the same name. Every body is a new one. */
export type WriteCase = { name: string; path: string; connections?: number; nextBody: () => string }

export function writesOf(world: World): WriteCase[] {
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
      path: `/v1/campaigns/${world.emptyCampaignId}/prospects`,
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
    // How long one caller waits; 32 at once wait for the processors.
    { name: 'add-opt-outs:one-caller', connections: 1, ...optOuts },
  ]
}
