import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Number of other files per chaos file, so that all chaos files start well before the end. */
const OTHERS = 5

/** Files of more than 15 seconds of CPU time, longest first. */
const long = [
  '/event-loop.test.ts',
  '/event-loop-outside-the-api.test.ts',
  '/cli/main.test.ts',
  '/isolation.test.ts',
  '/api/contract.test.ts',
  '/slow-mails.test.ts',
]

/**
 * Interleaves chaos tests, which mostly wait, with the others, which use the CPU. This keeps the machine busy. Long files
 * come first, so that none runs alone at the end.
 */
export class SpreadChaos extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isChaos = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/chaos/')
    const isLong = ({ moduleId }: TestSpecification): boolean => long.some(name => moduleId.endsWith(name))
    const longest = long.flatMap(name => sorted.filter(({ moduleId }) => moduleId.endsWith(name)))
    const others = sorted.filter(file => !isChaos(file) && !isLong(file))
    const spread = sorted.filter(isChaos).flatMap(file => [file, ...others.splice(0, OTHERS)])
    return [...longest, ...spread, ...others]
  }
}
