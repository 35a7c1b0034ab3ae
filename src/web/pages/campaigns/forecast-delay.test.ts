import { describe, expect, it } from 'vitest'
import { formatDelayedEmails } from './forecast-delay.ts'

describe('formatDelayedEmails', () => {
  it.each([
    [1, 2.5, '1 email is delayed by 3 h.'],
    [1200, 47, '1,200 emails are delayed, 47 h on average.'],
    [2, 60, '2 emails are delayed, 3 days on average.'],
  ])('formats %j emails that wait %j hours as “%s”', (emails, averageWaitHours, text) => {
    expect(formatDelayedEmails({ emails, averageWaitHours })).toBe(text)
  })
})
