import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import { groups } from './groups.ts'

export default defineConfig({
  test: {
    ...config.test,
    include: groups[process.env.MUTATION_GROUP!]!.tests,
    // A query whose text a mutant replaced with an empty string never returns. The test must time out before Stryker
    // does, because Stryker would start a new runner.
    testTimeout: 15_000,
  },
})
