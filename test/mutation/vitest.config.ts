import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import { groups } from './groups.ts'

export default defineConfig({
  test: {
    ...config.test,
    include: groups[process.env.MUTATION_GROUP!]!.tests,
    // A mutant with an empty query never gets an answer. The test must time out before Stryker, which would restart its runner.
    testTimeout: 15_000,
  },
})
