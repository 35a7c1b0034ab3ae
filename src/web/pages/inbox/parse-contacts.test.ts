import { expect, it } from 'vitest'
import { parseContacts } from './parse-contacts.ts'

it('parses addresses with and without names, with any separator', () => {
  expect(parseContacts(' Ada Byron <ada@acme.example>, bob@acme.example; "Eve" <eve@acme.example>,')).toEqual(
    [
      { name: 'Ada Byron', email: 'ada@acme.example' },
      { name: 'bob@acme.example', email: 'bob@acme.example' },
      { name: 'Eve', email: 'eve@acme.example' },
    ],
  )
  expect(parseContacts('  ')).toEqual([])
})

it.each(['ada', 'ada@acme', 'Ada <ada@acme.example', 'ada@acme.example bob@acme.example'])(
  'rejects the invalid address list %s',
  text => expect(parseContacts(text)).toBeUndefined(),
)
