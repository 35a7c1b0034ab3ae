import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BounceClass, Classified } from '../../src/server/protocols/mail-reading/classify.ts'
import { EmailParser } from '../../src/server/protocols/mime/parse.ts'

const folder = join(import.meta.dirname, '../../../shared/corpus/bounces')
const hasCorpus = existsSync(folder)
if (!hasCorpus) console.warn(`SKIPPED: tests against real bounces need them in ${folder}`)

type Label = { reason: string; hard: boolean }
type Result = { file: string; raw: Buffer; labels: Label[]; classified: Classified }

const temporaryReasons =
  'mailboxfull expired networkerror systemerror systemfull toomanyconn speeding exceedlimit mesgtoobig'
const policyReasons =
  'rejected blocked policyviolation spamdetected authfailure requireptr badreputation securityerror norelaying notcompliantrfc'

function getClass({ reason, hard }: Label): BounceClass {
  if (hard) return 'hard'
  if (temporaryReasons.split(' ').includes(reason)) return 'soft'
  return policyReasons.split(' ').includes(reason) ? 'policy' : 'unknown'
}

const getKind = ([label]: Label[]): string =>
  ({ feedback: 'complaint', vacation: 'auto_reply', delivered: 'report' })[label!.reason] ?? 'bounce'

/** Pairs the labeled class of each recipient with the classified class. Both lists are in the email's order. */
const getClassPairs = ({ labels, classified }: Result): [BounceClass, BounceClass | undefined][] =>
  labels.map((label, at) => [getClass(label), classified.recipients[at]?.class])

/** Returns the recipients named in the raw email's fields, independently of the code under test. */
const findNamedRecipients = (raw: Buffer): Set<string> =>
  new Set(
    [
      ...raw
        .toString('latin1')
        .matchAll(/^(?:(?:final|original)-recipient:|x-failed-recipients:).*?([^\s<>;,]+@[^\s<>;,]+)/gim),
    ].map(([, address = '']) => address.toLowerCase()),
  )

const getShare = (all: readonly boolean[]): number => all.filter(Boolean).length / all.length

describe.skipIf(!hasCorpus)('in emails from real servers,', () => {
  const results: Result[] = []
  beforeAll(async () => {
    const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<string, Label[]>
    await using parser = new EmailParser()
    for (const file of readdirSync(folder).filter(name => name.endsWith('.eml'))) {
      const raw = readFileSync(join(folder, file))
      results.push({ file, raw, labels: labels[file]!, classified: (await parser.classify(raw)).classified })
    }
  })
  const selectKind = (kind: string) => results.filter(({ labels }) => getKind(labels) === kind)

  test('at least 99% of the bounces are recognized', () => {
    expect(
      getShare(selectKind('bounce').map(({ classified }) => classified.kind === 'bounce')),
    ).toBeGreaterThan(0.99)
  })

  test('all complaints, vacation replies and success reports are recognized', () => {
    const others = ['complaint', 'auto_reply', 'report'].flatMap(selectKind)
    expect(others.filter(({ labels, classified }) => classified.kind !== getKind(labels))).toEqual([])
  })

  test('at least 98% of the bounces that name their recipients in fields are matched to those recipients', () => {
    const named = selectKind('bounce').filter(({ raw }) => findNamedRecipients(raw).size > 0)
    const hasAllRecipients = ({ raw, labels, classified: { recipients } }: Result) =>
      recipients.length === labels.length &&
      recipients.every(({ address }) => findNamedRecipients(raw).has(address))
    expect(getShare(named.map(hasAllRecipients))).toBeGreaterThan(0.98)
  })

  test('at least 97% of the labeled hard, soft and policy bounces are classified correctly', () => {
    const pairs = selectKind('bounce').flatMap(getClassPairs)
    const labeled = pairs.filter(([label]) => label !== 'unknown')
    expect(getShare(labeled.map(([label, found]) => label === found))).toBeGreaterThan(0.97)
  })

  test('fewer than 1% of the bounces not labeled hard are classified as hard', () => {
    const otherPairs = selectKind('bounce')
      .flatMap(getClassPairs)
      .filter(([label]) => label !== 'hard')
    expect(getShare(otherPairs.map(([, found]) => found === 'hard'))).toBeLessThan(0.01)
  })
})
