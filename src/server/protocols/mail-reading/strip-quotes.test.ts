import { expect, test } from 'vitest'
import { stripQuotes } from './strip-quotes.ts'

test.each([
  ['Polish', 'pon., 30 lis 2026 o 10:00 Ada <ada@acme.example> napisał(a):'],
  ['Russian', 'пн, 30 нояб. 2026 г. в 10:00, Ada <ada@acme.example>:'],
  ['Ukrainian', 'пн, 30 лист. 2026 р. о 10:00 Ada <ada@acme.example> пише:'],
  ['Norwegian', 'man. 30. nov. 2026 kl. 10:00 skrev Ada <ada@acme.example>:'],
  ['Danish', 'man. 30. nov. 2026 10.00 skrev Ada <ada@acme.example>:'],
  ['Hungarian', 'Ada <ada@acme.example> ezt írta (időpont: 2026. nov. 30., H, 10:00):'],
  ['Romanian', 'În lun., 30 nov. 2026 la 10:00, Ada <ada@acme.example> a scris:'],
  ['Hebrew', 'בתאריך יום ב׳, 30 בנוב׳ 2026 ב-10:00 מאת Ada <\u202aada@acme.example\u202c\u200f>:\u202c'],
  ['Arabic', 'في الاثنين، 30 نوفمبر 2026 في 10:00 ص تمت كتابة ما يلي بواسطة Ada <ada@acme.example>:'],
])('removes the line that Gmail writes above the original email in %s, even if it is wrapped', (_, line) => {
  for (const attribution of [line, line.replace(/ (?!.* )/, '\n')])
    expect(stripQuotes({ bodyText: `Stop.\n\n${attribution}\n\n> Hello` })).toBe('Stop.')
})

test.each([
  'Get Outlook for iOS<https://aka.ms/o0ukef>',
  'Outlook für iOS herunterladen <https://aka.ms/o0ukef>',
  'Télécharger Outlook pour Android<https://aka.ms/AAb9ysg>',
  'Sent with Proton Mail secure email.',
])("removes the app's signature %s", signature => {
  expect(stripQuotes({ bodyText: `Stop.\n\n${signature}\n` })).toBe('Stop.')
})

test.each([
  'Call me on 30 November 2026 at 10:00, or write to Ada <ada@acme.example>.',
  'Hi,\nUsamos Outlook para iOS y no funciona.\nAda',
])('keeps the text %j', text => {
  expect(stripQuotes({ bodyText: text })).toBe(text)
})
