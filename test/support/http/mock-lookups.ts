import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished, vi } from 'vitest'

/** Mocks DNS lookups for the rest of the test: each lookup returns the addresses of the next round. */
export function mockLookups(...rounds: string[][]) {
  const lookup = vi.spyOn(dns, 'lookup')
  for (const round of rounds) {
    const found = round.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    lookup.mockResolvedValueOnce(found as never)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    lookup.mockRestore()
    syncBuiltinESMExports()
  })
  return lookup
}
