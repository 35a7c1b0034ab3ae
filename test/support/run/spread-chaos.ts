import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Number of other files per chaos file, so that all chaos files start well before the end. */
const OTHERS = 5

/**
 * Interleaves chaos tests, which mostly wait, with the others, which use the CPU. This keeps the machine busy, and no long
 * test runs alone at the end.
 */
export class SpreadChaos extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isChaos = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/chaos/')
    const others = sorted.filter(file => !isChaos(file))
    const spread = sorted.filter(isChaos).flatMap(file => [file, ...others.splice(0, OTHERS)])
    return [...spread, ...others]
  }
}
