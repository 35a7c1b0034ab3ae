import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EmailParser } from '../../src/server/protocols/mime/parse.ts'
import { bounceMails } from '../support/mail/bounce-mails.ts'
import { bounceNotices } from '../support/mail/bounce-notices.ts'
import { humanMails } from '../support/mail/human-mails.ts'
import { humanReplies } from '../support/mail/human-replies.ts'
import { createRandom } from '../support/random.ts'

export type MutationFigures = {
  seed: number
  count: number
  /** Indexes of the emails that hung or crashed the parser's worker. */
  failed: number[]
  /** Emails that took more than one second of CPU time, which doesn't depend on other load. */
  overOneSecond: number
  slowestMs: number
}

const corpus = join(import.meta.dirname, '../../../shared/corpus/bounces')

/** Returns our test emails, and the corpus of real emails if present. */
const readOriginals = (): Buffer[] => [
  ...[...bounceMails, ...bounceNotices, ...humanMails, ...humanReplies].map(({ raw }) => raw),
  ...(existsSync(corpus) ? readdirSync(corpus) : [])
    .filter(name => name.endsWith('.eml'))
    .map(name => readFileSync(join(corpus, name))),
]

type Dice = (below: number) => number
type Mutation = (mail: Buffer, dice: Dice, other: Buffer) => Buffer

const findHeaderEnd = (mail: Buffer): number => Math.max(0, mail.toString('latin1').search(/\r?\n\r?\n/))
const withHeader = (mail: Buffer, header: string): Buffer =>
  Buffer.concat([Buffer.from(`${header}\r\n`), mail])
const replace = (mail: Buffer, from: RegExp, to: string): Buffer =>
  Buffer.from(mail.toString('latin1').replace(from, to), 'latin1')

const charsets = ['utf-7', 'utf-16', 'iso-2022-jp', 'gb18030', 'x-none', 'ks_c_5601-1987', '', '"']
const encodings = ['base64', 'quoted-printable', '8bit', 'binary', 'x-uuencode', 'BASE64;']

const mutations: Mutation[] = [
  function flipBytes(mail, dice) {
    const flipped = Buffer.from(mail)
    for (let left = 1 + dice(50); left > 0; left -= 1) flipped[dice(flipped.length)] = dice(256)
    return flipped
  },
  (mail, dice) => mail.subarray(0, dice(mail.length)),
  (mail, dice) => mail.subarray(dice(mail.length)),
  function repeatPiece(mail, dice) {
    const [start, length] = [dice(mail.length), 1 + dice(200)]
    const piece = mail.subarray(start, start + length)
    const times = 1 + dice(Math.min(20_000, 300_000 / length))
    return Buffer.concat([mail.subarray(0, start), ...Array(times).fill(piece), mail.subarray(start)])
  },
  (mail, dice, other) =>
    Buffer.concat([mail.subarray(0, dice(mail.length)), other.subarray(dice(other.length))]),
  (mail, dice) => {
    const header = mail.subarray(0, findHeaderEnd(mail))
    return Buffer.concat([...Array(1 + dice(30)).fill(Buffer.concat([header, Buffer.from('\r\n')])), mail])
  },
  (mail, dice) => withHeader(mail, `X-Long: ${'a b;'.repeat(1 + dice(150_000))}`),
  (mail, dice) =>
    withHeader(
      mail,
      Array(1 + dice(2_000))
        .fill('X-Many: =?utf-8?b?4pi6?= <')
        .join('\r\n '),
    ),
  (mail, dice) => replace(mail, /charset="?[\w-]+"?/gi, `charset=${charsets[dice(charsets.length)]}`),
  (mail, dice) => replace(mail, /(transfer-encoding:)[^\r\n]*/gi, `$1 ${encodings[dice(encodings.length)]}`),
  (mail, dice) => replace(mail, /boundary=[^\r\n;]*/gi, `boundary="${'-'.repeat(dice(80))}"`),
  function nest(mail, dice) {
    const depth = 1 + dice(60)
    const type = (at: number) => `Content-Type: multipart/mixed; boundary=n${at}\r\n\r\n--n${at}\r\n`
    const wrapped = Array.from({ length: depth }, (_, at) => type(at)).join('')
    return Buffer.concat([mail.subarray(0, findHeaderEnd(mail)), Buffer.from(`\r\n${wrapped}`), mail])
  },
  mail => replace(mail, /\r\n/g, '\n'),
  mail => replace(mail, /\r?\n/g, '\r'),
  (mail, dice) => replace(mail, /[aeiou]/g, ['\0', 'é', '\ud83d', '\t', '\n'][dice(5)]!),
]

/** Mutates emails at random and classifies each in the worker, as the server does. The seed makes a run repeatable. */
export async function mutateEmails({
  count,
  seed,
}: {
  count: number
  seed: number
}): Promise<MutationFigures> {
  const random = createRandom(seed)
  const dice: Dice = below => Math.floor(random() * below)
  const mails = readOriginals()
  const choose = () => mails[dice(mails.length)]!
  const result: MutationFigures = { seed, count, failed: [], overOneSecond: 0, slowestMs: 0 }
  await using parser = new EmailParser()
  // Starts the worker, so that the measurements don't include it.
  await parser.classify(mails[0]!)
  for (let number = 0; number < count; number += 1) {
    let mail = choose()
    for (let left = 1 + dice(3); left > 0; left -= 1)
      mail = mutations[dice(mutations.length)]!(mail.length > 0 ? mail : choose(), dice, choose())
    const before = process.cpuUsage()
    const { email } = await parser.classify(mail)
    const { user, system } = process.cpuUsage(before)
    const tookMs = (user + system) / 1_000
    if (email.cuts.includes('time')) result.failed.push(number)
    if (tookMs > 1_000) result.overOneSecond += 1
    result.slowestMs = Math.max(result.slowestMs, tookMs)
  }
  return result
}
