import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/db/database.ts'
import type { Value } from './sql.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

describe('a statement', () => {
  it('is composed of fragments, lists of fragments, names and values', async () => {
    const { owner: sql } = database
    const words = ["it's", 'a $1 "word"', '', '{x,"y"}', 'back\\slash', null]
    const where = sql`where ${sql.identifier('w.word')} = any(${words}) and ${sql.unsafe('true')}`
    const either = ['n', 'm'].map(name => sql`or ${name} = 'm'`)
    const rows = await sql`
      select w.word, ${2}::int as two, ${sql.json({ a: [1] })} as json, ${null} as nothing
        from unnest(${words}::text[]) ${sql.identifier('w')}(word)
       ${where} ${either} ${sql``}
       order by ${sql.identifier('w.word')}`
    expect(rows.map(({ word }) => word)).toEqual(
      [...words].sort((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1)),
    )
    expect(rows[0]).toMatchObject({ two: 2, json: { a: [1] }, nothing: null })
    expect(rows.count).toBe(6)
  })

  it.each<[string, Value, unknown]>([
    ['bigint', 9007199254740993n, 9007199254740993n],
    ['timestamptz', new Date('2026-11-24T12:00:00.123Z'), new Date('2026-11-24T12:00:00.123Z')],
    ['date', '2026-11-24', new Date('2026-11-24T00:00:00Z')],
    ['boolean', false, false],
    ['bytea', Buffer.from([0, 255, 10]), Buffer.from([0, 255, 10])],
    ['numeric', '1.10', '1.10'],
    ['float8', 0.1, 0.1],
    ['text', '12', '12'],
    ['interval', '3 days', '3 days'],
    ['int[]', [1, 2], [1, 2]],
    ['bigint[]', [1n, 2n], [1n, 2n]],
    ['uuid[]', [], []],
    ['text[]', ['a,b', '"', '\\', 'null', null], ['a,b', '"', '\\', 'null', null]],
    ['bytea[]', [Buffer.from([0, 255])], [Buffer.from([0, 255])]],
    ['jsonb', '[1, null]', [1, null]],
  ])('round-trips a value of the type %s', async (type, given, read) => {
    const { owner: sql } = database
    const [row] = await sql`select ${given}::${sql.unsafe(type)} as value`
    expect(row!.value).toEqual(read)
  })

  it('casts dates, booleans and large numbers where PostgreSQL would guess', async () => {
    const { owner: sql } = database
    const at = new Date('2026-11-24T12:00:00Z')
    const [row] = await sql`select ${at} - interval '1 day' as before, ${true} as yes, ${5n} as five`
    expect(row).toEqual({ before: new Date('2026-11-23T12:00:00Z'), yes: true, five: 5n })
  })

  it('inserts rows and assigns columns with any names', async () => {
    await database.owner.begin(async sql => {
      await sql`create temporary table t ("a ""b" int, j jsonb, at timestamptz) on commit drop`
      const at = new Date('2026-11-24T12:00:00Z')
      const inserted = await sql`insert into t ${sql.rows([
        { 'a "b': 1, j: sql.json([1]), at },
        { 'a "b': 2, j: null, at: null },
      ])}`
      expect(inserted.count).toBe(2)
      await sql`update t set ${sql.assignments({ 'a "b': 3, j: sql.json('x') })} where at is null`
      expect(await sql`select * from t order by 1`).toEqual([
        { 'a "b': 1, j: [1], at },
        { 'a "b': 3, j: 'x', at: null },
      ])
    })
  })

  it('is sent once, however often it is awaited', async () => {
    const { owner: sql } = database
    await sql`create sequence sent`
    const next = sql`select nextval('sent') as n`
    expect(await Promise.all([next, next])).toEqual([[{ n: 1n }], [{ n: 1n }]])
  })

  it('rejects with the database error', async () => {
    const { owner: sql } = database
    await expect((async () => await sql`select ${1}::int / 0`)()).rejects.toMatchObject({ code: '22012' })
  })

  it('rejects undefined, an insert without rows, and fragments on their own', async () => {
    const { owner: sql } = database
    await expect((async () => await sql`select ${undefined as never}`)()).rejects.toThrow(/undefined/)
    expect(() => sql.rows([])).toThrow(TypeError)
    await expect((async () => await sql.identifier('a'))()).rejects.toThrow(/part of a statement/)
  })
})
