import { expect, it } from 'vitest'
import { asksToStopCalling } from './stop-calling-request.ts'

it.each([
  "Please don't call me again.",
  'Don’t ever call this number again!',
  'I told you, never call us any more.',
  'Do not call me.',
  'Stop calling me, please.',
  'You people need to stop calling. I mean it.',
  'Can you take me off your list?',
  'Yes well, remove my number from the system.',
  'Put me on your do not call list.',
  'I want no more calls.',
  "I don't want any more of these calls.",
  "I don't want to receive your calls.",
  'Leave me alone!',
  'Rufen Sie mich bitte nicht mehr an.',
  'Rufen Sie hier nie wieder an!',
  'Ich möchte nicht mehr angerufen werden.',
  'Hören Sie auf, mich anzurufen.',
  'Löschen Sie meine Nummer.',
  "Ne m'appelez plus, merci.",
  'Je ne veux plus être appelé.',
  'Arrêtez de m’appeler !',
  'Retirez-moi de votre liste.',
  'No me llame más.',
  'No vuelva a llamar.',
  'Dejen de llamarme, por favor.',
  'Borren mi número.',
  'Não me ligue mais.',
  'Parem de ligar para mim.',
  'Não quero mais ligações.',
  'Non mi chiami più.',
  'Non chiamatemi più, grazie.',
  'Smettetela, basta telefonate.',
  'Cancellate il mio numero.',
  'Bel mij niet meer.',
  'Ik wil niet meer gebeld worden.',
  'Ring mig inte igen.',
  'Sluta ringa hit.',
  'Ring ikke igen.',
  'Ikke mer nå, slutt å ringe.',
  'Proszę więcej do mnie nie dzwonić.',
  'Nie dzwońcie już.',
])('detects a request not to be called again: %s', said => {
  expect(asksToStopCalling(said)).toBe(true)
})

it.each([
  'Hello?',
  "Don't call me before ten, I sleep late.",
  "Don't call me again before Monday, I am away.",
  "Please don't call tomorrow, call on Friday.",
  'Can you call me again next week?',
  'Thank you, but we have no need for that.',
  'I would rather talk to a person.',
  'We stopped calling suppliers ourselves.',
  'You can stop calling it a pilot.',
  'I never call back unknown numbers.',
  'You caught me off guard.',
  'Our list of numbers is out of date.',
  'Rufen Sie mich morgen wieder an.',
  'Ich rufe Sie nicht an, schicken Sie eine Mail.',
  'Je ne suis pas disponible, rappelez-moi demain.',
  'Llámeme otra vez el lunes.',
  'Me liga mais tarde.',
  'Mi richiami più tardi.',
  'Bel mij morgen weer.',
  'Ring mig igen på måndag.',
  'Proszę zadzwonić jutro.',
])('does not detect a request not to be called again: %s', said => {
  expect(asksToStopCalling(said)).toBe(false)
})

it('stays fast on text crafted to be slow', () => {
  expect(asksToStopCalling(`więcej ${'nie '.repeat(200_000)}`)).toBe(false)
  expect(asksToStopCalling(`hören sie auf ${'an'.repeat(200_000)}`)).toBe(false)
})
