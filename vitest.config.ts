import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SpreadChaos } from './test/support/run/spread-chaos.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/support/run/global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Tests check results, not speed: these limits only end tests that hang on a slow machine.
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    pool: 'forks',
    // Files run one after another in a few processes, each of which loads the server's modules once.
    isolate: false,
    sequence: { sequencer: SpreadChaos },
    // Many tests wait for other processes most of the time.
    maxWorkers: availableParallelism() + 2,
  },
})
