/** A reply of a simulated recipient with the intent it expresses. */
type ReplyText = [intent: 'interested' | 'wrong_person' | 'question' | 'not_now', text: string]

const english: ReplyText[] = [
  [
    'interested',
    'Hello,\n\nSounds interesting, and it is well timed: we lost a pallet to a warm weekend last month. Can you send me the price for two hundred?\n\nBest regards',
  ],
  ['wrong_person', 'Hi,\n\nNot me, but my colleague in quality decides this. I have passed it on.\n\nThanks'],
  ['question', 'Thanks for writing. How does it work without a network at the far end?'],
  [
    'question',
    'We tried something like it two years ago and the batteries died in the cold. What has changed?',
  ],
]

const french: ReplyText[] = [
  [
    'not_now',
    'Bonjour,\n\nNous avons encore un fournisseur sous contrat. Recontactez-moi en février.\n\nCordialement',
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
  ['interested', 'Bom dia,\n\nParece interessante. Podemos falar na quinta-feira às dez?\n\nCumprimentos'],
]
const spanish: ReplyText[] = [
  ['interested', 'Hola:\n\nSuena bien. ¿Podemos hablar el jueves a las diez?\n\nSaludos cordiales'],
]

const textsByCountry: Record<string, ReplyText[]> = {
  ...{ France: french, Germany: german, Poland: polish, Brazil: portuguese, Portugal: portuguese },
  ...{ Argentina: spanish, Colombia: spanish, Mexico: spanish, Spain: spanish },
}

/** Returns the replies for a country: English, and the local language for some countries. */
export const getReplyTexts = (country: string | undefined): ReplyText[] => [
  ...(textsByCountry[country ?? ''] ?? []),
  ...english,
]

/** `{date}` is the return date. */
export const outOfOfficeTexts = [
  'Thank you for your message. I am out of the office and will be back on {date}. I will answer then.',
  'I am on leave until {date} with no access to my email.',
]

export const unsubscribeTexts = ['Please remove me from your list.', 'Unsubscribe']
