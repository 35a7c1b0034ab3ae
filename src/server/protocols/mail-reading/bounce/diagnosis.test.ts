import { expect, test } from 'vitest'
import { diagnose } from './diagnosis.ts'
import { serverFamilies } from './server-families.ts'

const toRcpt = '(in reply to RCPT TO command)'

test.each([
  // text alone proves no permanent failure
  ['550 User unknown', 'unknown'],
  ['550 User unknown (in reply to end of DATA command)', 'unknown'],
  ['550 5.7.1 Unknown user, or you are not welcome', 'unknown'],
  [`550 User unknown ${toRcpt}`, 'hard'],
  ['550 5.1.1 User unknown', 'hard'],
  ['User Bob not listed in Domino Directory', 'hard'],
  ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'hard'],
  [`550 Requested action not taken: mailbox unavailable ${toRcpt}`, 'hard'],
  // temporary or contradictory failures are not hard
  [`450 Requested action not taken: mailbox unavailable ${toRcpt}`, 'soft'],
  [`550 5.1.1 User over quota ${toRcpt}`, 'soft'],
  [`550 5.2.1 Mailbox unavailable. Your address 192.0.2.7 is on a blacklist ${toRcpt}`, 'policy'],
  ['Host or domain name not found. Name service error: Host not found, try again', 'soft'],
  ['550 5.1.2 Host unknown', 'hard'],
  ['an MX or SRV record indicated no SMTP service', 'hard'],
  // MAIL FROM precedes the recipient, so its refusal says nothing about the recipient
  ['550 5.1.0 Address does not exist (in reply to MAIL FROM command)', 'policy'],
  ['550 Rejected (in reply to EHLO command)', 'policy'],
  ['554 Sorry (in reply to MAIL FROM command)', 'policy'],
  // providers
  ['421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to user complaints', 'policy'],
  ['450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents more', 'soft'],
  ["550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent: on our block list (S3140)", 'policy'],
  ['552 5.2.2 Le compte est plein: quota', 'soft'],
  ['550 5.2.1 The email account that you tried to reach is disabled', 'unknown'],
  // codes only
  ['550 5.1.1', 'hard'],
  ['450 4.1.1', 'soft'],
  ['451 4.3.0', 'soft'],
  ['554 5.7.1', 'policy'],
  ['550', 'unknown'],
  ['', 'unknown'],
])('"%s" is %s', (text, expected) => {
  expect(diagnose([text]).class).toBe(expected)
})

test('prefers a code in the text to the reported status', () => {
  expect(diagnose(['550 5.2.2 sorry'], '5.0.0')).toMatchObject({ class: 'soft', status: '5.2.2' })
  expect(diagnose(['550 5.0.0 sorry'], '5.2.2')).toMatchObject({ class: 'soft', status: '5.2.2' })
  expect(diagnose(['sorry'], '5.7.1')).toMatchObject({ class: 'policy', status: '5.7.1' })
})

test('uses text about other recipients only when nothing else matches', () => {
  const around = 'alice@bone.example: mailbox full'
  expect(diagnose(['550 5.1.1 user unknown'], '', around).class).toBe('hard')
  expect(diagnose([''], '', around).class).toBe('soft')
})

test.each([
  ['5.1.7', 'policy', 'sender refused'],
  ['4.1.8', 'policy', 'sender refused'],
  ['5.1.0', 'hard', 'unknown user'],
  ['5.1.10', 'hard', 'unknown user'],
  ['5.1.351', 'hard', 'unknown user'],
  ['5.1.2', 'hard', 'unknown host'],
  ['4.2.2', 'soft', 'mailbox full'],
  ['5.2.2', 'soft', 'mailbox full'],
  ['4.2.3', 'soft', 'message too large'],
  ['5.2.3', 'soft', 'message too large'],
  ['4.2.1', 'unknown', 'mailbox refuses mail'],
  ['5.2.0', 'unknown', 'mailbox refuses mail'],
  ['5.1.4', 'unknown', 'mailbox refuses mail'],
  ['5.7.13', 'unknown', 'mailbox refuses mail'],
  ['4.3.1', 'soft', 'server full'],
  ['5.3.1', 'soft', 'server full'],
  ['5.3.2', 'hard', 'domain accepts no mail'],
  ['4.3.4', 'soft', 'message too large'],
  ['5.3.4', 'soft', 'message too large'],
  ['5.4.4', 'hard', 'unknown host'],
  ['5.4.7', 'soft', 'network'],
  ['5.4.14', 'soft', 'network'],
  ['5.1.9', 'soft', 'server busy or broken'],
  ['5.3.0', 'soft', 'server busy or broken'],
  ['5.5.3', 'soft', 'server busy or broken'],
  ['4.6.1', 'unknown', 'content refused'],
  ['5.6.0', 'unknown', 'content refused'],
  ['5.6.12', 'unknown', 'content refused'],
  ['5.7.17', 'hard', 'moved'],
  ['4.7.0', 'policy', 'policy'],
  ['5.7.1', 'policy', 'policy'],
  ['5.7.26', 'policy', 'policy'],
  ['4.0.0', 'soft', 'temporary failure'],
  ['4.1.9', 'soft', 'temporary failure'],
  ['4.4.100', 'soft', 'temporary failure'],
  ['4.10.1', 'soft', 'temporary failure'],
  // not in the registry
  ['5.1.11', 'unknown', 'no known reason'],
  ['5.1.23', 'unknown', 'no known reason'],
  ['5.1.79', 'unknown', 'no known reason'],
  ['5.2.22', 'unknown', 'no known reason'],
  ['5.2.33', 'unknown', 'no known reason'],
  ['5.2.10', 'unknown', 'no known reason'],
  ['5.2.9', 'unknown', 'no known reason'],
  ['5.3.11', 'unknown', 'no known reason'],
  ['5.3.22', 'unknown', 'no known reason'],
  ['5.3.44', 'unknown', 'no known reason'],
  ['5.3.55', 'unknown', 'no known reason'],
  ['5.5.1', 'unknown', 'no known reason'],
  ['5.0.0', 'unknown', 'no known reason'],
])('the status %s alone is %s: %s', (status, given, reason) => {
  expect(diagnose([''], status)).toEqual({ class: given, reason, status })
})

test.each([
  // blocked, full or refused before the recipient was named: never hard, regardless of the text
  ['550 5.1.1 User unknown, see our block list', 'policy', 'blocked or bad reputation'],
  ['550 5.1.1 User unknown, blocklisted', 'policy', 'blocked or bad reputation'],
  ['550 5.1.1 User unknown, bad reputation', 'policy', 'blocked or bad reputation'],
  ['550 5.1.1 User unknown (in reply to MAIL FROM command)', 'policy', 'sender refused'],
  ['550 Rejected (in reply to MAIL FROM command)', 'policy', 'refused before the recipient was named'],
  ['550 Rejected (in reply to EHLO command)', 'policy', 'refused before the recipient was named'],
  ['552 Mailbox is full (in reply to MAIL FROM command)', 'soft', 'mailbox full'],
  ['550 5.1.2 Host unknown', 'hard', 'unknown host'],
  ['451 Host not found', 'soft', 'unknown host'],
  ['450 4.4.4 Host not found', 'soft', 'unknown host'],
  ['550 5.4.4 Host not found, or at least not now: try again', 'hard', 'unknown host'],
  ['Name service failure, and so the host is unknown, try again', 'hard', 'unknown host'],
  ['Host unknown: name lookup failure, try again', 'soft', 'unknown host'],
  ['450 4.4.4 null MX', 'unknown', 'domain accepts no mail'],
  ['451 null MX', 'unknown', 'domain accepts no mail'],
  ['550 null MX', 'hard', 'domain accepts no mail'],
  // a permanent failure needs proof
  ['550 User unknown', 'unknown', 'refused, possibly unknown'],
  ['450 User unknown', 'soft', 'unknown user'],
  ['Please, sir: 450 User unknown', 'soft', 'unknown user'],
  ['4.2.0 User unknown', 'soft', 'unknown user'],
  ['450 4.1.1 User unknown', 'hard', 'unknown user'],
  ['550 5.7.1 User unknown (in reply to RCPT TO command)', 'unknown', 'refused, possibly unknown'],
  ['550-5.7.12 User unknown (in reply to RCPT TO command)', 'unknown', 'refused, possibly unknown'],
  ['User unknown in virtual alias table', 'hard', 'unknown user'],
  ['User unknown in table (in reply to end of DATA command)', 'unknown', 'refused, possibly unknown'],
  ['Recipient name is not recognized: user unknown', 'hard', 'unknown user'],
  ['Recipient name is not recognised: user unknown', 'hard', 'unknown user'],
  ['Name not recognized: user unknown', 'hard', 'unknown user'],
  ['No mailbox here by that name', 'hard', 'unknown user'],
  ['Sorry, no mail box here by that name', 'hard', 'unknown user'],
  ['RESOLVER.ADR.RecNotFound; not found: no such user', 'hard', 'unknown user'],
  ['See https://support.google.com/mail/?p=NoSuchUser for more', 'hard', 'unknown user'],
  ['See http://support.google.com/mail/answer=6596 for more', 'hard', 'unknown user'],
  ['550 5.4.1 bob@bone.example: Recipient address rejected: Access denied', 'hard', 'unknown user'],
  ['550 5.4.1 bob@bone.example Recipient address rejected: Access denied', 'hard', 'unknown user'],
  ['550 5.4.1 All recipient addresses rejected : Access denied.', 'hard', 'unknown user'],
  ['550 OFR_416', 'hard', 'unknown user'],
  ['550 5.7.1 No such user!', 'hard', 'unknown user'],
  [
    '550 Message was not accepted -- invalid mailbox. Local mailbox bob is unavailable',
    'hard',
    'unknown user',
  ],
  ['unknown user: "bob"', 'hard', 'unknown user'],
  ['bob (user not found)', 'hard', 'unknown user'],
  ['550 <bob@bone.example>... User unknown', 'hard', 'unknown user'],
  ['550 5.1.2 The recipient was not found', 'hard', 'unknown user'],
  ['450 4.1.2 The recipient was not found', 'soft', 'unknown user'],
  ['550 5.1.351 Remote server returned unknown recipient', 'hard', 'unknown user'],
  // a rejected greeting or sender is a policy failure, regardless of what was not found
  ['553 sorry, your envelope sender domain must exist (#5.7.1)', 'policy', 'sender refused'],
  ['550 Unrouteable address Sender verify failed', 'policy', 'sender refused'],
  ['450 4.7.1 <app>: Helo command rejected: Host not found', 'policy', 'reverse DNS required'],
  ['450 4.2.0 Recipient address rejected: Greylisted', 'soft', 'rate limited or greylisted'],
  ['451 4.7.500 Server busy. Please try again later', 'soft', 'rate limited or greylisted'],
  ['550 LPN007_418', 'hard', 'unknown user'],
  ['550 OFR_417', 'unknown', 'no known reason'],
  // a reply code only
  ['450', 'soft', 'temporary failure'],
  ['450 so', 'soft', 'temporary failure'],
  ['Bob: 450-so', 'soft', 'temporary failure'],
  ['<450 so', 'soft', 'temporary failure'],
  ['x450 so', 'unknown', 'no known reason'],
  ['4500 so', 'unknown', 'no known reason'],
  ['45x so', 'unknown', 'no known reason'],
  ['550 no 450 so', 'unknown', 'no known reason'],
  ['so\n450 so', 'soft', 'temporary failure'],
  // vague phrases come last
  ['550 5.2.1 timed out', 'unknown', 'mailbox refuses mail'],
  ['550 timed out', 'soft', 'network'],
  // email addresses and URLs are ignored
  ['Sorry, quota@bone.example is not here', 'unknown', 'no known reason'],
  ['Sorry, see http://bone.example/quota', 'unknown', 'no known reason'],
  ['Sorry, see https://bone.example/over/quota for it', 'unknown', 'no known reason'],
  ['Sorry, see https://www.spamhaus.example/query', 'policy', 'blocked or bad reputation'],
  ['Messages from 192.0.2.177 deferred', 'policy', 'blocked or bad reputation'],
  ['The mailbox\n   of bob@bone.example\tis   full', 'soft', 'mailbox full'],
  ['MAILBOX  FULL', 'soft', 'mailbox full'],
])('"%s" is %s: %s', (text, given, reason) => {
  expect(diagnose([text])).toMatchObject({ class: given, reason })
})

test.each([
  ['5.2.2 full', '5.2.2'],
  ['550 (#5.2.2)', '5.2.2'],
  ['550-5.2.2 full', '5.2.2'],
  ["550 '5.2.2 full", '5.2.2'],
  ['550 <5.2.2> full', '5.2.2'],
  ['550 5.2.2: full', '5.2.2'],
  ['550 5.123.456 full', '5.123.456'],
  ['550 5.2.2', '5.2.2'],
  ['550 5.2.2.7 full', undefined],
  ['550 x5.2.2 full', undefined],
  ['550 2.2.2 full', undefined],
])('finds the code in "%s", if any: %s', (text, status) => {
  expect(diagnose([text]).status).toBe(status)
})

test('prefers the more specific of two codes, and the one in the text on a tie', () => {
  expect(diagnose(['550 5.2.2 so'], '5.1.1').status).toBe('5.2.2')
  expect(diagnose(['550 5.0.0 so'], '').status).toBe('5.0.0')
  expect(diagnose(['550 5.0.0 so'], '4.0.0').status).toBe('5.0.0')
  expect(diagnose(['550 so'], '4.0.0').status).toBe('4.0.0')
  expect(diagnose(['550 5.0.0 so'], '15.0.0').status).toBe('15.0.0')
  expect(diagnose(['550 5.0.0 so'], '5.0.01').status).toBe('5.0.01')
  expect(diagnose(['550 5.2.2 so', '550 5.1.1 so']).status).toBe('5.2.2')
})

test("ignores IronPort's guess and reads the other server's reply behind it", () => {
  for (const guess of ['5.1.0 - Unknown address error', '5.1.234 - Unknown address error']) {
    const said = `smtp; ${guess} 550-'5.7.1 Rejected by our content filter'`
    expect(diagnose([said])).toEqual({ class: 'policy', reason: 'rejected as spam', status: '5.7.1' })
  }
  expect(diagnose(["5.1.0 - Unknown address error, said '5.7.1 so"]).status).toBe('5.1.0')
})

test('reads every text about a recipient, in order', () => {
  expect(diagnose(['552 full mailbox', 'user unknown'])).toMatchObject({ reason: 'mailbox full' })
  expect(diagnose(['550 so', 'mailbox full'])).toMatchObject({ reason: 'mailbox full' })
  expect(diagnose(['550 so', 'timed out'])).toMatchObject({ reason: 'network' })
  expect(diagnose(['so', '450 so'])).toMatchObject({ reason: 'temporary failure' })
  expect(diagnose(['user unknown', 'in reply to RCPT TO command'])).toMatchObject({ class: 'hard' })
  expect(diagnose(['user unknown', 'over quota (in reply to RCPT TO command)'])).toMatchObject({
    reason: 'mailbox full',
  })
  const [sender, recipient] = ['in reply to MAIL FROM command', 'in reply to RCPT TO command']
  expect(diagnose([`user unknown ${recipient}`, sender])).toMatchObject({ class: 'hard' })
  expect(diagnose(['so', 'so'], '5.4.4')).toMatchObject({ reason: 'unknown host' })
})

test.each([
  ['550 denied by policy', 'policy'],
  ['550 authentication required', 'policy'],
  ['550 too much mail data', 'soft'],
  ['550 sender not pre-approved', 'policy'],
  ['550 server does not accept mail from acme.example', 'policy'],
  ['554 5.7.1 SMTP Protocol Returned a Permanent Error 554 Spam rejected', 'policy'],
  ['550 User unknown', 'hard'],
  ['550 temporarily deferred', 'hard'],
  ['550 no', 'hard'],
])('"%s" with the status 5.1.1 from Sendmail is %s', (text, expected) => {
  expect(diagnose([text], '5.1.1').class).toBe(expected)
})

test('proves an unknown user when the program verifies recipients, unless refused after RCPT TO', () => {
  const mcafee = serverFamilies.find(({ verifiesRecipients }) => verifiesRecipients)
  expect(diagnose(['550 Unknown user']).class).toBe('unknown')
  expect(diagnose(['550 Unknown user'], '', '', mcafee).class).toBe('hard')
  expect(diagnose(['550 Unknown user (in reply to end of DATA command)'], '', '', mcafee).class).toBe(
    'unknown',
  )
  expect(diagnose(['550 Unknown user, over quota'], '', '', mcafee).class).toBe('soft')
})

test("prefers a program's own phrases to general ones", () => {
  const domino = serverFamilies.find(({ name }) => name === 'Domino')
  expect(diagnose(['Several matches found in Domino Directory'], '', '', domino)).toMatchObject({
    class: 'soft',
  })
  expect(diagnose(['User bob (bob@bone.example) not in Domino'], '5.0.0', '', domino)).toEqual({
    class: 'hard',
    reason: 'unknown user',
    status: '5.0.0',
  })
})

test('never proves an unknown user by text about another recipient', () => {
  const exchange = serverFamilies.find(({ name }) => name === 'Exchange 5.5')
  const around = 'carl@bone.example: MSEXCH:IMS:Bone:HQ:MX 0 (000C05A6) Unknown Recipient'
  expect(diagnose(['bob@bone.example: no'], '', around, exchange).class).toBe('unknown')
  expect(diagnose([around], '', '', exchange).class).toBe('hard')
})
