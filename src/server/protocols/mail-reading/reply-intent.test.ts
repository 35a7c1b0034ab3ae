import { describe, expect, it } from 'vitest'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { detectReplyIntent } from './reply-intent.ts'

const sentAt = new Date('2026-11-20T09:00:00Z')
const examples: [ReplyIntent, string[]][] = [
  [
    'interested',
    [
      'Yes, let us talk on Monday.',
      "Sounds good, let's schedule a call.",
      'I’m interested. When can we meet?',
      'Klingt spannend, rufen Sie mich an.',
      'Avec plaisir, appelez-moi demain.',
      'Me interesa, envíeme más información.',
      'Temos interesse, pode ligar amanhã.',
      'Mi interessa, mi chiami domani.',
      'Klinkt goed, ik hoor graag meer.',
      'Låter bra, hör gärna av dig.',
      'Brzmi dobrze, chętnie porozmawiam.',
      'Интересно, позвоните мне завтра.',
      'ぜひ資料を送ってください。',
      '我们很感兴趣，请联系我。',
    ],
  ],
  [
    'opt_out',
    [
      'We build our own. Please take me off your list.',
      'Wir messen selbst. Bitte schreiben Sie mir nicht mehr.',
      'Nous sommes servis, ne me contactez plus.',
    ],
  ],
  [
    'question',
    [
      'How much is it?',
      'Does it work with SAP?',
      'Was kostet das?',
      'Combien ça coûte ?',
      '¿Cuánto cuesta?',
      'Quanto custa?',
      'Сколько это стоит?',
      '価格はいくらですか？',
      '多少钱？',
    ],
  ],
  [
    'objection',
    [
      "We're not interested.",
      'No thanks, we already have a tool for this.',
      'Too expensive for us.',
      'Wir haben kein Interesse, danke.',
      'Das ist uns zu teuer.',
      'Non merci, nous avons déjà une solution.',
      'No nos interesa, gracias.',
      'Não temos interesse.',
      'Non siamo interessati, grazie.',
      'Geen interesse.',
      'Nej tack.',
      'Nie jesteśmy zainteresowani.',
      'Нам это не интересно.',
      '興味がありません。',
      '我们不感兴趣。',
    ],
  ],
  [
    'not_now',
    [
      'Not right now, maybe later.',
      'Please get back in the new year.',
      'Momentan nicht, melden Sie sich im März wieder.',
      'Pas maintenant, recontactez-moi en mars.',
      'Ahora no, quizá más adelante.',
      'Agora não, talvez no próximo ano.',
      'Non ora, più avanti magari.',
      'Op dit moment niet.',
      'Inte just nu.',
      'W tej chwili nie.',
      'Не сейчас.',
      '今は必要ありません。',
      '现在不需要。',
    ],
  ],
  [
    'wrong_person',
    [
      'I am not the right person, please contact my colleague Grace.',
      'He has left the company.',
      'Not me, but my colleague in quality decides this.',
      'I have passed it on to our quality people.',
      'Ich bin dafür nicht zuständig.',
      'Je ne suis pas la bonne personne.',
      'No soy la persona indicada.',
      'Não sou a pessoa certa.',
      'Non sono la persona giusta.',
      'Ik ben niet de juiste persoon.',
      'Она больше не работает у нас.',
      '私は担当ではありません。',
    ],
  ],
]

describe('the intent of a reply', () => {
  it.each(examples.flatMap(([intent, texts]) => texts.map(text => [intent, text] as const)))(
    'is %s: %s',
    (intent, text) => {
      expect(detectReplyIntent(text, sentAt)?.intent).toBe(intent)
    },
  )

  it.each(['Thank you.', 'Grüße aus Bonn', '', 'See the attached file.', 'OK'])('is undecided: %s', text => {
    expect(detectReplyIntent(text, sentAt)).toBeUndefined()
  })

  it.each([
    ['Not now, please write again on 3 March 2027.', '2027-03-03'],
    ['Not now. Try me again in March.', '2027-03-01'],
    ['Momentan nicht, melden Sie sich in 6 Wochen.', '2027-01-01'],
    ['Bad timing, get back in three months', '2027-02-18'],
    ['Pas maintenant, recontactez-moi dans un an.', '2027-11-20'],
    ['Not now.', undefined],
    ['Not now, as I told you on 3 March 2020.', undefined],
  ])('includes the date on which to write again, if that date is in the future: %s', (text, day) => {
    const { intent, notNowUntil } = detectReplyIntent(text, sentAt)!
    expect([intent, notNowUntil?.toISOString().slice(0, 10)]).toEqual(['not_now', day])
  })

  it('includes the address of a referral', () => {
    expect(
      detectReplyIntent('Not my department. Please contact Grace (Grace.Hopper@navy.example).', sentAt),
    ).toEqual({ intent: 'wrong_person', referral: { email: 'grace.hopper@navy.example' } })
  })
})
