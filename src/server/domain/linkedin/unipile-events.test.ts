import { expect, it } from 'vitest'
import { parseUnipileEvent } from './unipile-events.ts'

const account = { providerAccountId: 'a', memberId: null }

it.each([
  [
    'its profile URL',
    { user_profile_url: 'https://www.linkedin.com/in/ada' },
    'https://www.linkedin.com/in/ada',
  ],
  ['its public identifier', { user_public_identifier: 'ada' }, 'https://www.linkedin.com/in/ada'],
  ['its ID alone', { user_profile_url: null, user_public_identifier: null }, undefined],
  ['its ID alone if other fields are absent', {}, undefined],
])('Unipile’s event about a new connection identifies the member by %s', (_, fields, linkedinUrl) => {
  const event = { event: 'new_relation', account_id: 'a', user_provider_id: 'ACo1', ...fields }
  expect(parseUnipileEvent(event, account, new Date(0))).toEqual({
    type: 'connection.accepted',
    member: { memberId: 'ACo1', ...(linkedinUrl && { linkedinUrl }) },
    happenedAt: new Date(0),
  })
})
