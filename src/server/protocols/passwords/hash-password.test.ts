import { expect, it } from 'vitest'
import { hashNewPassword, hashPassword, verifyPassword } from './hash-password.ts'

it('verifies the right password only', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await verifyPassword(stored, 'correct horse battery')).toBe(true)
  for (const wrong of ['correct horse batterz', 'correct horse battery ', '', 'x'.repeat(5000)]) {
    expect(await verifyPassword(stored, wrong), wrong).toBe(false)
  }
})

it('salts every hash', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'))
})

it('accepts the same password in other code points', async () => {
  const stored = await hashPassword('Passwörter sind gut')
  expect(await verifyPassword(stored, 'Passwo\u0308rter sind gut')).toBe(true)
})

it('rejects every password when none is stored', async () => {
  expect(await verifyPassword(null, '')).toBe(false)
  expect(await verifyPassword(undefined, 'correct horse battery')).toBe(false)
})

it('verifies hashes with other parameters', async () => {
  // From the test vectors of the reference implementation (github.com/P-H-C/phc-winner-argon2, src/test.c).
  const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  expect(await verifyPassword(stored, 'password')).toBe(true)
  expect(await verifyPassword(stored, 'passwore')).toBe(false)
})

it('rejects passwords that are too short or too long, and malformed hashes', async () => {
  await expect(hashNewPassword('short', [])).rejects.toMatchObject({ code: 'ValidationError' })
  await expect(hashNewPassword('x'.repeat(1025), [])).rejects.toMatchObject({ code: 'ValidationError' })
  await expect(verifyPassword('$2b$12$abc', 'x')).rejects.toThrow(/unknown format/)
})
