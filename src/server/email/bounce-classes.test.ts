import { expect, test } from 'vitest'
import { diagnose } from './bounce-classes.ts'

const toRcpt = '(in reply to RCPT TO command)'

test.each([
  // words alone are hearsay, for ever takes proof
  ['550 User unknown', 'unknown'],
  ['550 User unknown (in reply to end of DATA command)', 'unknown'],
  ['550 5.7.1 Unknown user, or you are not welcome', 'unknown'],
  [`550 User unknown ${toRcpt}`, 'hard'],
  ['550 5.1.1 User unknown', 'hard'],
  ['User Bob not listed in Domino Directory', 'hard'],
  ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'hard'],
  [`550 Requested action not taken: mailbox unavailable ${toRcpt}`, 'hard'],
  // what is temporary, or contradicts itself, is not dead
  [`450 Requested action not taken: mailbox unavailable ${toRcpt}`, 'soft'],
  [`550 5.1.1 User over quota ${toRcpt}`, 'soft'],
  [`550 5.2.1 Mailbox unavailable. Your address 192.0.2.7 is on a blacklist ${toRcpt}`, 'policy'],
  ['Host or domain name not found. Name service error: Host not found, try again', 'soft'],
  ['550 5.1.2 Host unknown', 'hard'],
  ['an MX or SRV record indicated no SMTP service', 'hard'],
  // at MAIL FROM nobody was named yet
  ['550 5.1.0 Address does not exist (in reply to MAIL FROM command)', 'policy'],
  ['550 Rejected (in reply to EHLO command)', 'policy'],
  ['554 Sorry (in reply to MAIL FROM command)', 'policy'],
  // providers
  ['421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to user complaints', 'policy'],
  ['450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents more', 'soft'],
  ["550 5.7.1 Unfortunately, messages from [192.0.2.7] weren't sent: on our block list (S3140)", 'policy'],
  ['552 5.2.2 Le compte est plein: quota', 'soft'],
  ['550 5.2.1 The email account that you tried to reach is disabled', 'unknown'],
  // nothing but codes
  ['550 5.1.1', 'hard'],
  ['450 4.1.1', 'soft'],
  ['451 4.3.0', 'soft'],
  ['554 5.7.1', 'policy'],
  ['550', 'unknown'],
  ['', 'unknown'],
])('"%s" is %s', (text, expected) => {
  expect(diagnose([text]).class).toBe(expected)
})

test('a code in the words is more exact than the one that the report gives', () => {
  expect(diagnose(['550 5.2.2 sorry'], '5.0.0')).toMatchObject({ class: 'soft', status: '5.2.2' })
  expect(diagnose(['550 5.0.0 sorry'], '5.2.2')).toMatchObject({ class: 'soft', status: '5.2.2' })
  expect(diagnose(['sorry'], '5.7.1')).toMatchObject({ class: 'policy', status: '5.7.1' })
})

test('what is said around a recipient counts only when nothing is said of them', () => {
  const around = 'alice@bone.example: mailbox full'
  expect(diagnose(['550 5.1.1 user unknown'], '', around).class).toBe('hard')
  expect(diagnose([''], '', around).class).toBe('soft')
})
