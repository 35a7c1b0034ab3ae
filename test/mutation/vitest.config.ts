import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import { groups } from './groups.ts'

export default defineConfig({
  test: { ...config.test, include: groups[process.env.MUTATION_GROUP!]!.tests },
})
