import { expect, it } from 'vitest'
import { composeFirstMessage, disclosesAi } from './first-message.ts'

const assistantName = 'Ari'

it('starts by disclosing the AI assistant', () => {
  expect(composeFirstMessage({ assistantName, firstMessage: 'I am calling for Grace.' })).toBe(
    'This is Ari, an AI assistant. I am calling for Grace.',
  )
  expect(composeFirstMessage({ assistantName })).toBe('This is Ari, an AI assistant.')
})

it("uses the account's disclosure", () => {
  const disclosure = 'Guten Tag, hier spricht Ari, eine KI.'
  expect(composeFirstMessage({ assistantName, disclosure, firstMessage: 'Es geht um Ihre Anfrage.' })).toBe(
    'Guten Tag, hier spricht Ari, eine KI. Es geht um Ihre Anfrage.',
  )
})

it.each([
  '',
  ' ',
  'Hello, this is Ari.',
  'I am not an AI.',
  'No AI here, I’m a person.',
  'Ich bin keine KI.',
])('discloses the AI even when the account sets %j', disclosure => {
  expect(composeFirstMessage({ assistantName, disclosure, firstMessage: 'Hi.' })).toBe(
    'This is Ari, an AI assistant. Hi.',
  )
})

it.each([
  'This is Ari, an AI assistant.',
  'This call is made by artificial intelligence.',
  'Hier spricht eine künstliche Intelligenz.',
  'Je suis Ari, une intelligence artificielle.',
  'Soy un asistente de IA.',
  'Sono un assistente di intelligenza artificiale.',
  'U spreekt met een AI-assistent.',
])('accepts as a disclosure: %s', text => {
  expect(disclosesAi(text)).toBe(true)
})

it.each(['Please wait, said Kim.', 'Email me again.', 'Available daily.', 'The assistant of Grace.'])(
  'does not accept as a disclosure: %s',
  text => {
    expect(disclosesAi(text)).toBe(false)
  },
)
