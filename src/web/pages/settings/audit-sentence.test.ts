import { expect, it } from 'vitest'
import { toAuditSentence } from './audit-sentence.ts'

const session = { actor: 'session:1', userName: 'Ada Byron' }
const toText = (entry: Parameters<typeof toAuditSentence>[0], name = '…') => {
  const { actor, before, after } = toAuditSentence(entry)
  return [actor, before, name, after].filter(Boolean).join(' ')
}

it.each([
  [
    { ...session, action: 'change the daily limit from 30 to 50', auditedType: 'mailbox' },
    'sales@acme.test',
    'Ada Byron changed the daily limit of mailbox sales@acme.test from 30 to 50',
  ],
  [
    { ...session, action: 'make manager', auditedType: 'member' },
    'Grace',
    'Ada Byron changed the role of Grace to manager',
  ],
  [
    { ...session, action: 'invite as viewer', auditedType: 'invitation' },
    'g@navy.test',
    'Ada Byron invited g@navy.test as viewer',
  ],
  [{ ...session, action: 'launch', auditedType: 'campaign' }, 'Spring', 'Ada Byron launched campaign Spring'],
  [
    { ...session, action: 'set_steps', auditedType: 'campaign' },
    'Spring',
    'Ada Byron changed the steps of campaign Spring',
  ],
  [
    { actor: 'oauth:1', appName: 'Claude', userName: 'Ada Byron', action: 'pause', auditedType: 'prospect' },
    'Grace',
    'Claude for Ada Byron paused prospect Grace',
  ],
  [
    { actor: 'engine', action: 'mark_failing', auditedType: 'mailbox' },
    'a@b.test',
    'Overture marked mailbox a@b.test as failing',
  ],
  [
    { actor: 'token:1', action: 'launch', auditedType: 'campaign' },
    'Spring',
    'A former member launched campaign Spring',
  ],
  [{ ...session, action: 'some_new_thing', auditedType: 'rep' }, 'Mia', 'Ada Byron some new thing: rep Mia'],
])('reports a change in plain words: %j', (entry, name, sentence) => {
  expect(toText(entry, name)).toBe(sentence)
})
