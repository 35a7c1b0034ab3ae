import { describe, expect, it, test } from 'vitest'
import {
  isTokenRejected,
  type NodemailerError,
  parseQueueId,
  parseReply,
  type SmtpPhase,
  toFailedResult,
} from './result.ts'

function refusal(response: string, code = 'EENVELOPE'): NodemailerError {
  return Object.assign(new Error(response), { code, response })
}

const atMailFrom = (response: string): NodemailerError =>
  Object.assign(refusal(response), { command: 'MAIL FROM' })
/** Prefix of Microsoft 365's replies when its mail store rejects a message that was received completely. */
const storeDriver = 'STOREDRV.Submission.Exception:'

describe('a reply', () => {
  test.each([
    ['250 2.0.0 Ok: queued as 4XyZ', { code: 250, enhancedCode: '2.0.0', text: 'Ok: queued as 4XyZ' }],
    ['250 OK', { code: 250, text: 'OK' }],
    ['250', { code: 250, text: '' }],
    [
      '550-5.7.26 Unauthenticated\n550-5.7.26 email\n550 5.7.26 rejected',
      { code: 550, enhancedCode: '5.7.26', text: 'Unauthenticated email rejected' },
    ],
    ['550 5.1.1', { code: 550, enhancedCode: '5.1.1', text: '' }],
    ['550 5.1.1x no', { code: 550, text: '5.1.1x no' }],
    ['554 \u001b[31mred\u0007\ttext', { code: 554, text: '[31mred text' }],
    ['hello', undefined],
    ['2foo', undefined],
    ['2500 ok', undefined],
    ['650 ok', undefined],
  ])('%j is parsed only if it begins with a valid code', (response, reply) => {
    expect(parseReply(response)).toEqual(reply)
  })

  test('is truncated when it is too long', () => {
    expect(parseReply(`550 ${'x'.repeat(10_000)}`)?.text.length).toBe(500)
  })

  test.each([
    ['250 2.0.0 Ok: queued as 4XyZ12', '4XyZ12'],
    ['250 OK id=1tE0aB-0000000Abc-1Q2w', '1tE0aB-0000000Abc-1Q2w'],
    ['250 Message Queued (5D3C-77.1)', '5D3C-77.1'],
    ['250 2.0.0 OK  1732179000 a1e0cc1a2514c-86c6 - gsmtp', '1732179000 a1e0cc1a2514c-86c6'],
    ['250 ok', undefined],
  ])('%j contains the ID of the message in the server’s log, or none: %j', (response, queueId) => {
    expect(parseQueueId(response)).toBe(queueId)
  })
})

describe('a failed message is', () => {
  test.each<[string, SmtpPhase, NodemailerError]>([
    ['rejected', 'envelope', refusal('550 5.1.1 no such user')],
    ['rejected', 'envelope', refusal('553 bad sender')],
    ['rejected', 'envelope', refusal('552 5.2.2 the recipient is over quota')],
    ['rejected', 'end', refusal('554 5.6.0 bad content', 'EMESSAGE')],
    ['rejected', 'envelope', Object.assign(new Error('Invalid recipient'), { code: 'EENVELOPE' })],
    ['rejected', 'envelope', Object.assign(new Error('Message size larger'), { code: 'EMESSAGE' })],
    ['deferred', 'envelope', refusal('450 4.2.0 greylisted')],
    ['deferred', 'envelope', refusal('451 4.7.1 Greylisting in action, please come back later')],
    ['deferred', 'envelope', refusal('450 4.7.1 <a@b.example>: Greylisted, try again in 300 seconds')],
    ['deferred', 'end', refusal('451 4.7.1 Try again later', 'EMESSAGE')],
    [
      'deferred',
      'end',
      refusal('451 4.7.0 Temporary server error. Please try again later. PRX4', 'EMESSAGE'),
    ],
    ['deferred', 'envelope', refusal('452 4.2.2 the recipient is over quota')],
    ['deferred', 'end', refusal('451 4.3.0 queue file write error', 'EMESSAGE')],
    ['mailbox_failed', 'auth', refusal('535 5.7.8 Username and Password not accepted', 'EAUTH')],
    ['mailbox_failed', 'auth', Object.assign(new Error('no AUTH'), { code: 'EAUTH' })],
    ['mailbox_failed', 'connect', refusal('554 5.7.1 your network is blocked', 'EPROTOCOL')],
    ['mailbox_failed', 'tls', refusal('502 5.5.1 no STARTTLS', 'ETLS')],
    ['mailbox_failed', 'envelope', refusal('530 authentication needed')],
    ['mailbox_failed', 'envelope', refusal('550 5.4.5 Daily user sending limit exceeded')],
    ['mailbox_failed', 'envelope', refusal('550 5.1.90 daily limit for message recipients')],
    ['mailbox_failed', 'envelope', refusal('554 5.7.1 relay access denied')],
    ['mailbox_failed', 'envelope', refusal('450 4.7.1 Client host rejected: cannot find your hostname')],
    ['mailbox_failed', 'envelope', refusal('451 4.7.650 temporarily rate limited, try again later')],
    ['mailbox_failed', 'end', refusal('550-5.7.26 unauthenticated\n550 5.7.26 email', 'EMESSAGE')],
    ['mailbox_failed', 'end', refusal('550 5.7.515 Access denied', 'EMESSAGE')],
    ['mailbox_failed', 'end', refusal('421 4.7.28 rate'.replace('421', '450'), 'EMESSAGE')],
    ['mailbox_failed', 'envelope', atMailFrom('553 Sender is not allowed to relay emails')],
    ['mailbox_failed', 'envelope', atMailFrom('550 not local sender over smtp')],
    ['mailbox_failed', 'envelope', atMailFrom('550 5.1.1 no such user')],
    ['mailbox_failed', 'envelope', atMailFrom('501 Sender verify failed')],
    ['deferred', 'envelope', atMailFrom('451 Sender verify failed')],
    ['rejected', 'envelope', atMailFrom('552 message exceeds the size limit')],
    ['rejected', 'envelope', atMailFrom('523 5.3.4 message too big for system')],
    ['rejected', 'envelope', atMailFrom('550 5.6.7 SMTPUTF8 is not supported')],
    ['mailbox_failed', 'end', refusal('554 5.2.252 SendAsDenied; not allowed to send as', 'EMESSAGE')],
    [
      'mailbox_failed',
      'end',
      refusal(`554 5.2.0 ${storeDriver}SendAsDeniedException.MapiException`, 'EMESSAGE'),
    ],
    [
      'mailbox_failed',
      'end',
      refusal(`554 5.2.0 ${storeDriver}SubmissionQuotaExceededException`, 'EMESSAGE'),
    ],
    ['rejected', 'end', refusal(`554 5.2.0 ${storeDriver}CorruptDataException`, 'EMESSAGE')],
    ['server_failed', 'connect', refusal('450 later', 'EPROTOCOL')],
    [
      'server_failed',
      'connect',
      Object.assign(new Error('x'), { code: 'ESOCKET', originalCode: 'ECONNREFUSED' }),
    ],
    ['server_failed', 'auth', refusal('454 4.7.0 Temporary authentication failure', 'EAUTH')],
    ['server_failed', 'envelope', refusal('421 4.7.0 too many connections')],
    ['mailbox_failed', 'envelope', refusal('421 4.7.28 unusual rate of mail')],
    ['server_failed', 'envelope', Object.assign(new Error('x'), { code: 'ECONNECTION' })],
    ['server_failed', 'body', Object.assign(new Error('x'), { code: 'ETIMEDOUT' })],
    ['server_failed', 'gate', Object.assign(new Error('x'), { code: 'ESOCKET' })],
    ['unknown', 'end', Object.assign(new Error('x'), { code: 'ECONNECTION' })],
    ['unknown', 'end', Object.assign(new Error('x'), { code: 'ETIMEDOUT' })],
    ['unknown', 'end', Object.assign(new Error('x'), { code: 'ESOCKET' })],
    ['unknown', 'end', refusal('421 4.3.2 shutting down', 'EMESSAGE')],
    ['unknown', 'end', refusal('550 cut off in the middl', 'ECONNECTION')],
    ['unknown', 'end', refusal('250 a second answer', 'EPROTOCOL')],
    ['unknown', 'end', refusal('354 what', 'EMESSAGE')],
    ['unknown', 'end', refusal('hello', 'EMESSAGE')],
  ])('%s after an error in the phase %s (%#)', (outcome, phase, error) => {
    expect(toFailedResult(error, phase, 'mail.example.com:587').outcome).toBe(outcome)
  })
})

it.each([
  ['553 Sender is not allowed to relay emails', 'MAIL FROM', /does not accept this sender address/],
  ['554 5.2.252 SendAsDenied', 'DATA', /does not accept this sender address/],
  ['554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException', 'DATA', /sending limit/],
  ['552 message exceeds the size limit', 'MAIL FROM', /limit$/],
])('%s comes with advice only if it concerns the sender', (response, command, advice) => {
  const result = toFailedResult(
    Object.assign(refusal(response), { command }),
    'envelope',
    'mail.example.com:587',
  )
  expect(result.reason).toMatch(advice)
})

describe('a sign-in that Microsoft refuses', () => {
  it.each([
    [
      'SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled',
      /Set-CASMailbox .* -SmtpClientAuthenticationDisabled \$false/,
    ],
    ['SmtpClientAuthentication is disabled for the Mailbox.', /Set-CASMailbox/],
    ['basic authentication is disabled.', /signing in with Microsoft/],
    ["user is locked by your organization's security defaults policy.", /security defaults/],
    ['the request did not meet the criteria to be authenticated successfully.', /Conditional Access/],
  ])('is reported with a remedy and not retried with another token: %s', (text, remedy) => {
    const error = refusal(`535 5.7.139 Authentication unsuccessful, ${text}`, 'EAUTH')
    const result = toFailedResult(error, 'auth', 'smtp.office365.com:587')
    expect(result).toMatchObject({ outcome: 'mailbox_failed', reason: expect.stringMatching(remedy) })
    expect(isTokenRejected(result)).toBe(false)
  })

  it('is reported as wrong credentials when the reply says so', () => {
    const response = '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.'
    const result = toFailedResult(refusal(response, 'EAUTH'), 'auth', 'smtp.office365.com:587')
    expect(result.reason).toContain('rejected the user name or password')
    expect(isTokenRejected(result)).toBe(true)
  })
})

it.each([
  ['550 5.7.233 tenant has exceeded its limit', /licenses/],
  ['550 5.2.251 licence missing', /license/],
  ['554 5.2.252 SendAsDenied; not allowed to send as', /Add-RecipientPermission/],
])('%s fails the mailbox and explains what an administrator can do', (response, remedy) => {
  const result = toFailedResult(refusal(response, 'EMESSAGE'), 'end', 'smtp.office365.com:587')
  expect(result).toMatchObject({ outcome: 'mailbox_failed', reason: expect.stringMatching(remedy) })
})
