import { expect, test } from 'vitest'
import { seedFrom } from '../support/random.ts'
import { mutateEmails } from './mutated-emails.ts'

test('no randomly mutated email hangs or crashes the worker that reads it', async () => {
  const { failed, slowestMs } = await mutateEmails({ count: 800, seed: seedFrom('MAIL_SEED') })
  console.log(`slowest of 800: ${Math.round(slowestMs)} ms`)
  expect(failed).toEqual([])
})
