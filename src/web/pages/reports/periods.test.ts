import { describe, expect, it } from 'vitest'
import { countDays, formatDays, getDays, getDaysBefore } from './periods.ts'

describe('in reports,', () => {
  it('last week is Monday to Sunday, regardless of the current weekday', () => {
    for (const today of ['2026-11-23', '2026-11-27', '2026-11-29'])
      expect(getDays('last-week', today)).toEqual({ from: '2026-11-16', to: '2026-11-22' })
    expect(getDays('last-week', '2026-11-30')).toEqual({ from: '2026-11-23', to: '2026-11-29' })
  })

  it('this week is Monday to today, compared with the same days of last week', () => {
    expect(getDays('this-week', '2026-11-23')).toEqual({ from: '2026-11-23', to: '2026-11-23' })
    expect(getDays('this-week', '2026-11-29')).toEqual({ from: '2026-11-23', to: '2026-11-29' })
    const days = getDays('this-week', '2026-11-26')
    expect(days).toEqual({ from: '2026-11-23', to: '2026-11-26' })
    expect(getDaysBefore(days)).toEqual({ from: '2026-11-16', to: '2026-11-19' })
  })

  it('other periods are a calendar month, or a number of days up to today', () => {
    expect(getDays('this-month', '2026-03-01')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
    expect(getDays('last-month', '2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
    expect(getDays('30-days', '2026-11-27')).toEqual({ from: '2026-10-29', to: '2026-11-27' })
    expect(countDays(getDays('90-days', '2026-11-27'))).toBe(90)
  })

  it('a period is compared with the same number of days before it, and a whole month with the previous month', () => {
    expect(getDaysBefore({ from: '2026-11-16', to: '2026-11-22' })).toEqual({
      from: '2026-11-09',
      to: '2026-11-15',
    })
    expect(getDaysBefore({ from: '2026-03-01', to: '2026-03-31' })).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
    expect(getDaysBefore({ from: '2026-03-01', to: '2026-03-02' })).toEqual({
      from: '2026-02-27',
      to: '2026-02-28',
    })
  })

  it('a period is formatted as its first and last day', () => {
    expect(formatDays({ from: '2026-11-16', to: '2026-11-22' })).toMatch(/^16\s–\s22 Nov 2026$/)
    expect(formatDays({ from: '2026-11-22', to: '2026-11-22' })).toBe('22 Nov 2026')
  })
})
