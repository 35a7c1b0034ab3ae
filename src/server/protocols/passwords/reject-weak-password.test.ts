import { expect, it } from 'vitest'
import { rejectWeakPassword } from './reject-weak-password.ts'

const userTexts = ['ada.byron@acme.example', 'Ada Byron']
const isRejected = (password: string): Promise<boolean> =>
  rejectWeakPassword(password, userTexts).then(
    () => false,
    error => error.code === 'ValidationError',
  )

it.each(['1q2w3e4r5t', 'QWERTYUIOP', 'basketball', '1029384756', '123qweasdzxc'])(
  'rejects %s, a leaked password',
  async password => expect(await isRejected(password)).toBe(true),
)

it.each(['Sunshine2026!', '!!dragon!!123', 'aaaaaaaaaaaa', 'Ｐａｓｓｗｏｒｄ１２３'])(
  'rejects %s, a common password with additions',
  async password => expect(await isRejected(password)).toBe(true),
)

it.each(['adabyron1815', 'ada.byron@acme.example', 'Overture2026!', 'acme-overture-1', 'ByronAda!!!'])(
  'rejects %s, built from the name, the address or the product',
  async password => expect(await isRejected(password)).toBe(true),
)

it.each([
  'correct horse battery',
  'overture in the rain',
  'x7Kq-93Lm-pT',
  '8492 1157 3390 2217',
  'Übermorgen fährt Ada',
  '长城外有古道边的草',
])('accepts %s', async password => expect(await isRejected(password)).toBe(false))
