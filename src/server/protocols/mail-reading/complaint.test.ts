import { expect, test } from 'vitest'
import { defaultLimits } from '../mime/parse.ts'
import { readEmail } from '../mime/read-email.ts'
import { classifyEmail } from './classify.ts'

const original = [
  'From: ada@acme.example',
  'To: bob@bone.example',
  'Message-ID: <0f3.step@acme.example>',
  '',
  'Hi',
]
const declared = 'multipart/report; report-type=feedback-report'
const opening = 'This is an email abuse report for an email message received from IP 192.0.2.7'

type Part = [type: string, lines: string[]]
const returned: Part = ['message/rfc822', original]
const notice: Part = ['text/plain', [opening]]

const classify = async (
  type: string,
  parts: Part[],
  header: string[] = ['From: fbl@provider.example', 'Subject: Report'],
) =>
  classifyEmail(
    await readEmail(
      Buffer.from(
        [
          ...header,
          'To: abuse@acme.example',
          `Content-Type: ${type}; boundary=b`,
          '',
          ...parts.flatMap(([partType, lines]) => ['--b', `Content-Type: ${partType}`, '', ...lines]),
          '--b--',
        ].join('\r\n'),
      ),
      defaultLimits,
    ),
  )

const complaint = {
  kind: 'complaint',
  recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
  originalMessageIds: ['<0f3.step@acme.example>'],
}

test.each<[string, string, Part[]]>([
  ['has one field', declared, [notice, ['message/feedback-report', ['Feedback-Type: abuse']], returned]],
  ['has an empty report part', declared, [notice, ['message/feedback-report', ['']], returned]],
  ['has no report part', declared, [notice, returned]],
  ['has nothing but the returned email', declared, [returned]],
  [
    'has its fields in a text part',
    declared,
    [notice, ['text/plain', ['Feedback-Type: abuse', 'Version: 1']], returned],
  ],
  ['returns only the header', declared, [notice, ['text/rfc822-headers', original]]],
  ['is not multipart/report but begins like a report', 'multipart/mixed', [notice, returned]],
  [
    'begins like a provider’s report',
    'multipart/mixed',
    [['text/plain', ['This is an AOL.com Email Abuse Report']], returned],
  ],
  [
    'has its types in uppercase',
    'Multipart/Report; Report-Type="Feedback-Report"',
    [notice, ['Message/Feedback-Report', ['FEEDBACK-TYPE: ABUSE']], returned],
  ],
])('a feedback report that %s is a complaint about the returned email', async (_what, type, parts) => {
  expect(await classify(type, parts)).toMatchObject(complaint)
})

test('a feedback report without a boundary is parsed from its text', async () => {
  const fields = ['Feedback-Type: abuse', 'User-Agent: FBL/1.0', 'Original-Rcpt-To: bob@bone.example']
  const header = [
    'From: fbl@provider.example',
    `Content-Type: ${declared}`,
    '',
    opening,
    '',
    ...fields,
    '',
    ...original,
  ]
  expect(classifyEmail(await readEmail(Buffer.from(header.join('\r\n')), defaultLimits))).toMatchObject(
    complaint,
  )
})

test.each([
  ['From: staff@hotmail.com', 'Subject: complaint about message from 192.0.2.7'],
  ['From: complaints@email-abuse.amazonses.com', 'Subject: A demo for you'],
  ['From: fbl@provider.example', 'Subject: complaint about message from 2001:db8::7'],
  ['From: scomp@aol.net', 'Subject: Client TOS Notification'],
])('a forwarded email is a complaint: %s, %s', async (...header) => {
  expect(await classify('multipart/mixed', [returned], header)).toMatchObject(complaint)
})

test.each([
  ['Feedback-Type: not-spam', opening],
  ['Feedback-Type: auth-failure', opening],
  [
    'X: y',
    'This is a spf/dkim authentication-failure report for an email message received from IP 192.0.2.7',
  ],
])('a feedback report that says "%s" under "%s" is not a complaint', async (field, opening) => {
  const { kind } = await classify(declared, [['text/plain', [opening]], ['text/plain', [field]], returned])
  expect(kind).toBe('report')
})

const bob = 'From: Bob Bone <bob@bone.example>'

test.each<[string, string[], Part[]]>([
  [
    'complains',
    [bob, 'Subject: Complaint about message from Monday'],
    [['text/plain', ['Stop that, see below.']], returned],
  ],
  [
    'forwards a report below their own text',
    [bob, 'Subject: Fwd: Report'],
    [['text/plain', ['Look, we got this:', '', opening]], returned],
  ],
  [
    'replies in a thread',
    [bob, 'Subject: Re: Demo', 'In-Reply-To: <0f3.step@acme.example>'],
    [notice, returned],
  ],
  ['quotes a report and returns nothing', [bob, 'Subject: Report'], [notice]],
])('an email from a person who %s is not a complaint', async (_who, header, parts) => {
  expect((await classify('multipart/mixed', parts, header)).kind).toBe('reply')
})
