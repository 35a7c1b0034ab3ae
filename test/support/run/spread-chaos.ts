import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The number of other files per chaos file, so that all chaos files start well before the end. */
const OTHERS_PER_CHAOS_FILE = 5

/** Files that take more than 40 seconds; files that mostly wait alternate with files that use the CPU. */
const longFiles = [
  '/reply-during-follow-up.test.ts',
  '/browser/jobs.test.ts',
  '/event-loop.test.ts',
  '/mailbox-sync.test.ts',
  '/event-loop-outside-the-api.test.ts',
  '/kills-during-calls.test.ts',
  '/browser/job-triage.test.ts',
  '/plans.test.ts',
  '/failing-voice-providers.test.ts',
  '/cli/main.test.ts',
  '/journeys/kill.test.ts',
  '/journeys/demo.test.ts',
  '/kills-during-sends.test.ts',
  '/browser/pages.test.ts',
  '/rolling-restart.test.ts',
  '/slow-mails.test.ts',
  '/database-network.test.ts',
  '/guides/readme.test.ts',
  '/frozen-engines.test.ts',
  '/send/gate.test.ts',
]

/**
 * A sequencer that interleaves chaos tests, which mostly wait, with other tests, which use the CPU, to keep the machine
 * busy. Long files come first, so that no long file runs alone at the end.
 */
export class SpreadChaos extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      longFiles.some(name => moduleId.endsWith(name))
    const isChaos = (file: TestSpecification): boolean =>
      file.moduleId.includes('/test/chaos/') && !isLong(file)
    const longest = longFiles.flatMap(name => sorted.filter(({ moduleId }) => moduleId.endsWith(name)))
    const others = sorted.filter(file => !isChaos(file) && !isLong(file))
    const spread = sorted.filter(isChaos).flatMap(file => [file, ...others.splice(0, OTHERS_PER_CHAOS_FILE)])
    return [...longest, ...spread, ...others]
  }
}
