import { expect, it } from 'vitest'
import { trackInFlight } from './in-flight.ts'

it('drains once all tracked work has ended, including work that started in the meantime', async () => {
  const { track, drain } = trackInFlight()
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const ended: string[] = []
  void track(
    first.promise.then(() => {
      ended.push('first')
      void track(second.promise.then(() => ended.push('second')))
    }),
  )
  const drained = drain().then(() => ended.push('drained'))
  first.resolve()
  await expect.poll(() => ended).toEqual(['first'])
  second.resolve()
  await drained
  expect(ended).toEqual(['first', 'second', 'drained'])
})

it('drains after tracked work has failed', async () => {
  const { track, drain } = trackInFlight()
  track(Promise.reject(new Error('no'))).catch(() => {})
  await drain()
})
