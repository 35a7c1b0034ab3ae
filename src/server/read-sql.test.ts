import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/support/app.ts'
import type { Sql } from './db.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const answerOf = async (sql: Sql) => {
  const words = ["it's", 'a $1 "word"', '']
  const where = sql`where ${sql('w.word')} = any(${words}) and ${sql.unsafe('true')}`
  const rows = ['n', 'm'].map(name => sql`or ${name} = 'm'`)
  return [
    ...(await sql`
      select w.word, ${2}::int as two, ${sql.json({ a: [1] })} as json, ${null} as nothing
        from unnest(${words}::text[]) ${sql('w')}(word)
       ${where} ${rows} ${sql``}
       order by ${sql('w.word')}`),
  ]
}

it('reads as the pool itself does: parts, lists of parts, names and values', async () => {
  const answer = await answerOf(app.db.read)
  expect(answer).toHaveLength(3)
  expect(answer).toEqual(await answerOf(app.db.app))
})

it('rejects with the fault of the database', async () => {
  await expect((async () => await app.db.read`select ${1}::int / 0`)()).rejects.toMatchObject({
    code: '22012',
  })
})

it('writes no rows', () => {
  expect(() => app.db.read({ id: 1 })).toThrow(TypeError)
})
