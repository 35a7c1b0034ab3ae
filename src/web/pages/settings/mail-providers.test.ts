import { expect, it } from 'vitest'
import { findProvider, getServers } from './mail-providers.ts'

it.each([
  ['ada@gmail.com', 'google'],
  ['Ada@GoogleMail.com', 'google'],
  ['ada@outlook.com', 'microsoft'],
  ['ada@me.com', 'icloud'],
  ['ada@fastmail.fm', 'fastmail'],
  ['ada@gmx.de', 'gmx'],
  ['ada@acme.example', 'other'],
])('recognizes the mail provider of %s', (email, provider) => {
  expect(findProvider(email)).toBe(provider)
})

it('suggests the usual server names for the domain of a company', () => {
  expect(getServers('other', 'ada@Acme.example')).toEqual({
    smtp: { host: 'smtp.acme.example', port: 587, tls: 'starttls' },
    imap: { host: 'imap.acme.example', port: 993, tls: 'implicit' },
  })
})
