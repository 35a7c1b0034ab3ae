import { expect, test } from 'vitest'
import { defaultLimits } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import { parseOtherReport } from './other-report.ts'

const read = async (type: string, partType: string, ...lines: string[]) => {
  const mail = [
    `Content-Type: ${type}; boundary=b`,
    '',
    '--b',
    '',
    'Read.',
    '--b',
    `Content-Type: ${partType}`,
  ]
  return parseOtherReport(
    await readEmail(Buffer.from([...mail, '', ...lines, '--b--', ''].join('\r\n')), defaultLimits),
  )
}

const receipt = 'multipart/report; report-type=disposition-notification'
const fields = ['Final-Recipient: rfc822; Bob@bone.example', 'Disposition: manual-action; displayed']

test.each(['message/disposition-notification', 'message/global-disposition-notification'])(
  'a read receipt of the type %s names its reader',
  async partType => {
    expect(await read(receipt, partType, ...fields)).toEqual({
      kind: 'report',
      recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
      reason: 'a read receipt (RFC 8098)',
    })
  },
)

test('a read receipt names each reader once, and nobody from the email that was read', async () => {
  const ann = [
    '',
    'Reporting-UA: a program',
    '',
    'Final-Recipient: rfc822; ann@bone.example',
    'Final-Recipient: rfc822; bob@bone.example',
  ]
  const result = await read(receipt, 'message/disposition-notification', ...fields, ...ann)
  expect(result?.recipients.map(({ address }) => address)).toEqual(['bob@bone.example', 'ann@bone.example'])
  expect((await read(receipt, 'message/rfc822', ...fields))?.recipients).toEqual([])
  const longer = 'message/disposition-notification-x'
  expect((await read(receipt, longer, ...fields))?.recipients).toEqual([])
})

test.each([
  ['MULTIPART/Report; Report-Type="Disposition-Notification"', 'a read receipt (RFC 8098)'],
  ['multipart/report; report-type=feedback-report', 'a feedback report other than a complaint (RFC 5965)'],
  ['multipart/report; report-type=tlsrpt', 'an automatic report (RFC 6522)'],
])('%s is %s', async (type, reason) => {
  expect(await read(type, 'application/json')).toEqual({ kind: 'report', recipients: [], reason })
})

test.each([
  'multipart/mixed; report-type=disposition-notification',
  'multipart/reporting',
  'multipart/mixed; name="multipart/report"',
])('%s is not a report, regardless of its parts', async type => {
  expect(await read(type, 'message/disposition-notification', ...fields)).toBeUndefined()
})

test('an email without a content type is not a report', async () => {
  expect(parseOtherReport(await readEmail(Buffer.from('Subject: Read\r\n\r\nYes.\r\n'), defaultLimits))).toBe(
    undefined,
  )
})
