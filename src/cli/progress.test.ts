import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openProgress } from './progress.ts'

const createStream = (isTTY: boolean) =>
  Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream
const readOutput = (stream: NodeJS.WriteStream) => {
  stream.end()
  return text(stream as unknown as PassThrough)
}

it('progress redraws one line in a terminal and clears it at the end', async () => {
  const stream = createStream(true)
  const progress = openProgress(false, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await readOutput(stream)).toBe('\r\x1b[K10 rows\r\x1b[K')
})

it('progress writes no control characters outside a terminal, and nothing for short work', async () => {
  const stream = createStream(false)
  const progress = openProgress(false, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await readOutput(stream)).toBe('')
})

it('progress prints nothing with --quiet', async () => {
  const stream = createStream(true)
  const progress = openProgress(true, stream)
  progress.update('10 rows')
  progress[Symbol.dispose]()
  expect(await readOutput(stream)).toBe('')
})
