import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openProgress } from './progress.ts'

const aStream = (isTTY: boolean) =>
  Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream
const written = (stream: NodeJS.WriteStream) => {
  stream.end()
  return text(stream as unknown as PassThrough)
}

it('draws over one line in a terminal, and wipes it at the end', async () => {
  const stream = aStream(true)
  const progress = openProgress(false, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await written(stream)).toBe('\r\x1b[K10 rows\r\x1b[K')
})

it('writes no control characters elsewhere, and nothing for what is done in a moment', async () => {
  const stream = aStream(false)
  const progress = openProgress(false, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await written(stream)).toBe('')
})

it('says nothing when quiet', async () => {
  const stream = aStream(true)
  const progress = openProgress(true, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await written(stream)).toBe('')
})
