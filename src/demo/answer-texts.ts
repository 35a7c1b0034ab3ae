/** What simulated people write; some in their own language. */
export const replyTexts = [
  'Hello,\n\ninteresting, and well timed: we lost a pallet to a warm weekend last month. Can you send me the price for two hundred?\n\nBest regards',
  'Hi,\n\nnot me, but my colleague in quality decides this. I have passed it on.\n\nThanks',
  'Guten Tag,\n\ndas klingt gut. Passt Ihnen Donnerstag um zehn für ein kurzes Gespräch?\n\nMit freundlichen Grüßen',
  'Thanks for writing. How does it work without a network at the far end? If that is solved, yes please.',
  'Bonjour,\n\nnous avons déjà un fournisseur, mais le contrat se termine en mars. Recontactez-moi en février.\n\nCordialement',
  'We tried something like it two years ago and the batteries died in the cold. What has changed?',
]

/** `{date}` is the day on which they are back. */
export const awayTexts = [
  'Thank you for your message. I am out of the office and will be back on {date}. I will answer then.',
  'I am on leave until {date} with no access to my email.',
]

export const unsubscribeTexts = ['Please remove me from your list.', 'Unsubscribe']
