import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** So many other files for each that waits; with these all of them have begun well before the end. */
const OTHERS = 5

/**
 * The tests in test/chaos wait for dead engines and slow servers most of the time; the others compute. Begun between
 * each other, neither leave the machine idle, and none of the long ones stands alone at the end.
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
