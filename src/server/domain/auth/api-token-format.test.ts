import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateToken, parseToken } from './api-token-format.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'

describe('an API token', () => {
  it('has the documented format and is unique', () => {
    const tokens = Array.from({ length: 2000 }, generateToken)
    for (const token of tokens)
      expect(token).toMatch(/^ovt_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}$/)
    expect(new Set(tokens).size).toBe(tokens.length)
    for (const token of tokens) expect(parseToken(token)).toBeDefined()
  })

  it('uses every character of its alphabet about equally often', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 4000; i++) {
      for (const letter of generateToken().split('_')[3]!) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    const expected = (4000 * 30) / 62
    // Six standard deviations of a binomial: a fair source fails about once in ten million runs.
    const tolerance = 6 * Math.sqrt(expected)
    expect(counts.size).toBe(62)
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(tolerance)
  })

  it('is invalid if any single character is replaced or missing', () => {
    const token = generateToken()
    for (let i = 0; i < token.length; i++) {
      for (const letter of [...letters, ' ', '\n', 'é', '😀', '']) {
        const typo = token.slice(0, i) + letter + token.slice(i + 1)
        if (typo !== token) expect(parseToken(typo), typo).toBeUndefined()
      }
    }
  })

  it('is invalid if two adjacent characters are swapped, a character is doubled or text surrounds it', () => {
    for (let round = 0; round < 50; round++) {
      const token = generateToken()
      for (let i = 0; i < token.length; i++) {
        const swapped = token.slice(0, i) + (token[i + 1] ?? '') + token[i] + token.slice(i + 2)
        if (swapped !== token) expect(parseToken(swapped), swapped).toBeUndefined()
        expect(parseToken(token.slice(0, i) + token[i] + token.slice(i))).toBeUndefined()
      }
      for (const around of [` ${token}`, `${token} `, `${token}\n`, `Bearer ${token}`]) {
        expect(parseToken(around)).toBeUndefined()
      }
    }
  })

  it('is checked without throwing for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => parseToken(text) === undefined))
  })
})
