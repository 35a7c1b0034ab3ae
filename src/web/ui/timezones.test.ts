import { describe, expect, it } from 'vitest'
import { createTimezoneFilter, formatOffset, getTimezone, getTimezoneGroups } from './timezones.ts'

const winter = new Date('2026-01-15T12:00:00Z')
const groups = getTimezoneGroups(winter)
const zones = groups.flatMap(({ items }) => items)
const filter = createTimezoneFilter(groups)
const find = (query: string) => zones.filter(zone => filter(zone, query)).map(({ name }) => name)

describe('the time zone list', () => {
  it.each([
    ['lisbon', 'Europe/Lisbon'],
    ['new york', 'America/New_York'],
    ['india', 'Asia/Kolkata'],
    ['SÃO paulo', 'America/Sao_Paulo'],
    ['eastern time', 'America/New_York'],
    ['+5:30', 'Asia/Kolkata'],
    ['UTC-5', 'America/New_York'],
    ['gmt−03:30', 'America/St_Johns'],
    ['utc', 'UTC'],
  ])('finds "%s"', (query, name) => {
    expect(find(query)).toContain(name)
  })

  it('prefers a country to places whose names begin with the name of the country', () => {
    expect(find('india')).toEqual(['Asia/Kolkata'])
    expect(find('indiana')).toContain('America/Indiana/Indianapolis')
  })

  it('finds nothing for a place that does not exist, and matches offsets exactly', () => {
    expect(find('atlantis')).toEqual([])
    expect(find('+5')).not.toContain('Asia/Kolkata')
    expect(find('-0')).toContain('Europe/London')
  })

  it('offers each zone once, under its current name', () => {
    const names = zones.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['Asia/Kolkata', 'Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'UTC']))
    expect(names).not.toEqual(expect.arrayContaining(['Asia/Calcutta']))
    expect(names.filter(name => name.startsWith('Etc/'))).toEqual([])
    expect(groups.at(-1)).toMatchObject({ value: 'Other', items: [{ name: 'UTC' }] })
  })

  it('shows the current offset, which changes with daylight saving time', () => {
    const show = (name: string, at: Date) => formatOffset(getTimezone(name, at).offset)
    expect(show('Europe/Lisbon', winter)).toBe('UTC+00:00')
    expect(show('Europe/Lisbon', new Date('2026-07-15T12:00:00Z'))).toBe('UTC+01:00')
    expect(show('America/St_Johns', winter)).toBe('UTC−03:30')
    expect(getTimezone('Asia/Calcutta', winter)).toMatchObject({ name: 'Asia/Kolkata', city: 'Kolkata' })
  })
})
