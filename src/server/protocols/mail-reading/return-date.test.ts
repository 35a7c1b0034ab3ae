import { expect, test } from 'vitest'
import { findReturnDate } from './return-date.ts'

const sent = new Date('2026-04-20T08:00:00Z')
const findReturn = (bodyText: string, date = sent) =>
  findReturnDate({ subject: 'Out of office', bodyText, newText: bodyText, headers: new Map(), date }, sent)
    ?.toISOString()
    .slice(0, 10)

test.each([
  ['I am away, returning to the office on May 5th.', '2026-05-05'],
  ['I will be back on Monday, 4 May 2026.', '2026-05-04'],
  ['I am out until May 1, 2026 with no access to mail.', '2026-05-02'],
  ['I will be traveling for work on April 22-30.', '2026-05-01'],
  ['Out of office from 20 April to 24 April.', '2026-04-25'],
  ['Ich bin bis zum 30.04.2026 nicht im Büro.', '2026-05-01'],
  ['Ab dem 4. Mai bin ich wieder erreichbar.', '2026-05-04'],
  ["Je suis absente jusqu'au 8 mai inclus.", '2026-05-09'],
  ['Je serai de retour le 11 mai.', '2026-05-11'],
  ['Estaré fuera hasta el 3 de mayo de 2026.', '2026-05-04'],
  ['Tornerò il 6 maggio.', '2026-05-06'],
  ['Ik ben terug op 28 april.', '2026-04-28'],
  ['Jag är tillbaka den 27 april.', '2026-04-27'],
  ['Я в отпуске до 30 апреля.', '2026-05-01'],
  ['2026年5月7日に戻ります。休暇は2026年4月29日から2026年5月6日です。', '2026-05-07'],
  ['I am away until 2026-05-03.', '2026-05-04'],
])('finds the return date in: %s', (text, day) => {
  expect(findReturn(text)).toBe(day)
})

test.each([
  'I am out of the office and will answer as soon as I can.',
  'I am away until 5/6.',
  'Back on 99 May.',
  'Our office was founded on May 5, 1999. I am away.',
  'I was back on 1 March 2026.',
])('finds no return date in: %s', text => {
  expect(findReturn(text)).toBeUndefined()
})

test('interprets a day without a year as the next such day, even across New Year', () => {
  expect(findReturn('Zurück am 7. Januar', new Date('2026-12-22T12:00:00Z'))).toBe('2027-01-07')
})

test('finds no return date if the day has just passed and the reply gives no year', () => {
  const forgottenAt = new Date('2026-11-29T12:00:00Z')
  expect(findReturn('I am out of the office until 20 November.', forgottenAt)).toBeUndefined()
  expect(findReturn('Back on September 7.', forgottenAt)).toBeUndefined()
  expect(findReturn('I am on parental leave until 1 June.', forgottenAt)).toBe('2027-06-02')
})

test.each([
  'I am out of the office until 4 May. Join our webinar on 20 May to 22 May.',
  'I am away until 2026-05-04.\n\nMeet us at the fair from 20 to 22 May 2026.',
  'Ich bin vom 20. April bis 22. April und vom 30. April bis 4. Mai im Urlaub. Messe: 20. bis 22. Mai.',
])('ignores dates of other events: %j', text => {
  expect(findReturn(text)).toBe('2026-05-05')
})

test('uses the day in the header of Apple Mail, whose midnight is local', () => {
  const headers = new Map([['x-apple-criteria', ['endDate=2026-05-03T22:00:00Z']]])
  const mail = { subject: 'Out of office', bodyText: '', newText: '', headers, date: sent }
  expect(findReturnDate(mail, sent)).toEqual(new Date('2026-05-04T00:00:00Z'))
})

test('uses the arrival time of an email without a date', () => {
  const text = 'Back on 30 November.'
  const mail = {
    subject: 'Out of office',
    bodyText: text,
    newText: text,
    headers: new Map(),
    date: undefined,
  }
  expect(findReturnDate(mail, new Date('2024-11-20T09:00:00Z'))).toEqual(new Date('2024-11-30T00:00:00Z'))
})
