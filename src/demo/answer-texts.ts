/** What simulated people write, with what it means; those of some countries also in their own language. */
export type ReplyText = [meaning: 'interested' | 'wrong_person' | 'question' | 'not_now', text: string]

const inEnglish: ReplyText[] = [
  [
    'interested',
    'Hello,\n\nsounds interesting, and it is well timed: we lost a pallet to a warm weekend last month. Can you send me the price for two hundred?\n\nBest regards',
  ],
  ['wrong_person', 'Hi,\n\nnot me, but my colleague in quality decides this. I have passed it on.\n\nThanks'],
  ['question', 'Thanks for writing. How does it work without a network at the far end?'],
  [
    'question',
    'We tried something like it two years ago and the batteries died in the cold. What has changed?',
  ],
]

const french: ReplyText[] = [
  [
    'not_now',
    'Bonjour,\n\nnous avons un fournisseur, mais le contrat se termine en mars. Recontactez-moi en février.\n\nCordialement',
  ],
]
const german: ReplyText[] = [
  [
    'interested',
    'Guten Tag,\n\ndas klingt gut. Passt Ihnen Donnerstag um zehn für ein kurzes Gespräch?\n\nMit freundlichen Grüßen',
  ],
]
const polish: ReplyText[] = [
  [
    'interested',
    'Dzień dobry,\n\nbrzmi dobrze. Czy możemy porozmawiać w czwartek o dziesiątej?\n\nPozdrawiam',
  ],
]
const portuguese: ReplyText[] = [
  ['interested', 'Bom dia,\n\nparece interessante. Podemos falar na quinta-feira às dez?\n\nCumprimentos'],
]
const spanish: ReplyText[] = [
  ['interested', 'Hola:\n\nsuena bien. ¿Cuánto costarían doscientos?\n\nSaludos cordiales'],
]

const ownTexts: Record<string, ReplyText[]> = {
  ...{ France: french, Germany: german, Poland: polish, Brazil: portuguese, Portugal: portuguese },
  ...{ Argentina: spanish, Colombia: spanish, Mexico: spanish, Spain: spanish },
}

/** What people of that country may write; English alone where nothing is known. */
export const replyTextsFrom = (country: string | undefined): ReplyText[] => [
  ...(ownTexts[country ?? ''] ?? []),
  ...inEnglish,
]

/** `{date}` is the day on which they are back. */
export const awayTexts = [
  'Thank you for your message. I am out of the office and will be back on {date}. I will answer then.',
  'I am on leave until {date} with no access to my email.',
]

export const unsubscribeTexts = ['Please remove me from your list.', 'Unsubscribe']
