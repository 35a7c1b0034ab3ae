import { expect, it } from 'vitest'
import { composeFirstMessage, disclosesAi } from './first-words.ts'

const assistantName = 'Ari'

it('says first that an AI assistant is speaking', () => {
  expect(composeFirstMessage({ assistantName, firstMessage: 'I am calling for Grace.' })).toBe(
    'This is Ari, an AI assistant. I am calling for Grace.',
  )
  expect(composeFirstMessage({ assistantName })).toBe('This is Ari, an AI assistant.')
})

it('says it as the account words it', () => {
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
])('cannot be made to leave it out (%j)', disclosure => {
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
])('takes for a disclosure: %s', text => {
  expect(disclosesAi(text)).toBe(true)
})

it.each(['Please wait, said Kim.', 'Email me again.', 'Available daily.', 'The assistant of Grace.'])(
  'does not take for one: %s',
  text => {
    expect(disclosesAi(text)).toBe(false)
  },
)
