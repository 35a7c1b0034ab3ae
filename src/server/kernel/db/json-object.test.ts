import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/db/database.ts'
import { jsonb, jsonObject, timestamp, uuid } from './json-object.ts'

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

it('columns of known types are written as by to_json, with times in the format of the API', async () => {
  await using database = await openTestDatabase()
  const { owner: sql } = database
  const [row] = await sql<{ json: string; expected: Record<string, unknown> }[]>`
    select ${jsonObject({
      objectType: 'example',
      id: uuid('r.id'),
      at: timestamp('r.at'),
      stored: jsonb('r.stored'),
      noId: uuid('r.none'),
      noTime: timestamp('r.none::timestamptz'),
      noJson: jsonb('r.none'),
    })} as json,
    json_build_object('objectType', 'example', 'id', r.id, 'at', api_time(r.at), 'stored', r.stored) as expected
      from (select gen_random_uuid() as id, now() as at, '{"a": ["\\"", null]}'::jsonb as stored, null as none) r`
  expect(JSON.parse(row!.json)).toEqual(row!.expected)
})
