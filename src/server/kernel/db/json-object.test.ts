import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/db/database.ts'
import { jsonObject } from './json-object.ts'

it('a JSON object leaves out fields without a value, including in nested objects, and escapes strings', async () => {
  await using database = await openTestDatabase()
  const { owner: sql } = database
  const text = 'a "quoted" \\ back\\slash,\nnext line\t\u0001 {"id":null} 😀'
  const [row] = await sql<{ json: string }[]>`
    select ${jsonObject({
      none: sql`null::text`,
      text: sql`${text}::text`,
      number: sql`1.50::numeric`,
      isTrue: sql`true`,
      ids: sql`array['0198c0de-0000-7000-8000-000000000001'::uuid, null]`,
      stored: sql`${sql.json({ is: null, in: 'a value' })}`,
      nested: { none: sql`null::int`, text: sql`${''}::text` },
      empty: { none: sql`null::int` },
    })} as json`
  expect(JSON.parse(row!.json)).toEqual({
    text,
    number: 1.5,
    isTrue: true,
    ids: ['0198c0de-0000-7000-8000-000000000001', null],
    stored: { is: null, in: 'a value' },
    nested: { text: '' },
    empty: {},
  })
})
