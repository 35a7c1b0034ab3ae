import { expect, it } from 'vitest'
import { getSenderName, type Message, nameSender } from './message.ts'

const ada = { name: 'Ada Byron', email: 'ada@analytical.example' }
const getName = (from: { name: string; email: string }, type: Message['type'] = 'received') =>
  getSenderName(nameSender({ type, from } as Message, ada))

it('gives a nameless sender the name of the person with the same address', () => {
  expect(getName({ name: '', email: 'Ada@analytical.example' })).toBe('Ada Byron')
  expect(getName({ name: ada.email, email: ada.email })).toBe('Ada Byron')
})

it('shows other senders by their own name, or else by their address', () => {
  expect(getName({ name: 'A. Byron', email: ada.email })).toBe('A. Byron')
  expect(getName({ name: '', email: 'bob@analytical.example' })).toBe('bob@analytical.example')
  expect(getName({ name: '', email: ada.email }, 'manual')).toBe(ada.email)
})
