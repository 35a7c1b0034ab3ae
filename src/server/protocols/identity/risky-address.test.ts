import { describe, expect, it } from 'vitest'
import { findIntendedDomain, isDisposableDomain, isRoleAddress } from './risky-address.ts'

describe('a typo in the domain of a mail provider', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['gmaill.com', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['yaho.com', 'yahoo.com'],
    ['outlok.com', 'outlook.com'],
    ['iclould.com', 'icloud.com'],
  ])('is found in %s, which probably means %s', (domain, intended) => {
    expect(findIntendedDomain(domain)).toBe(intended)
  })

  it.each([
    'gmail.com',
    'mail.com',
    'ymail.com',
    'yahoo.ca',
    'yahoo.co.uk',
    'hotmail.fr',
    'gmx.de',
    'acme.com',
    'gmail.acme.com',
    'gg',
  ])('is not found in %s', domain => {
    expect(findIntendedDomain(domain)).toBeUndefined()
  })
})

it.each([
  ['info@acme.com', true],
  ['no-reply@acme.com', true],
  ['sales+emea@acme.com', true],
  ['customer.service@acme.com', true],
  ['ada@acme.com', false],
  ['infobell@acme.com', false],
  ['ada.sales@acme.com', false],
  ['a@info.com', false],
])('the address %s reaches a team or a machine: %s', (email, expected) => {
  expect(isRoleAddress(email)).toBe(expected)
})

it.each([
  ['mailinator.com', true],
  ['box.yopmail.com', true],
  ['gmail.com', false],
  ['acme.com', false],
])('the domain %s is disposable: %s', (domain, expected) => {
  expect(isDisposableDomain(domain)).toBe(expected)
})
