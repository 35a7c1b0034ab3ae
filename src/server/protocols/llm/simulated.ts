import { detectReplyIntent } from '../mail-reading/reply-intent.ts'
import type { ModelAnswer, Question } from './model.ts'

/** The fields of the question that the simulated model reads. */
type Input = {
  today: string
  prospect: { firstName: string | null }
  knowledge: Record<'offer' | 'answers' | 'nextStep', string | null>
  reply: { text: string }
}

type Phrases = { greeting: string; meeting: string; later: string; other: string }

/**
 * Phrases by the greeting of the reply. The model can't translate a campaign's knowledge, so drafts in these languages
 * don't quote it.
 */
const phrasesByGreeting: Record<string, Phrases> = {
  Bonjour: {
    greeting: 'Bonjour,',
    meeting: 'Avec plaisir. Je vous envoie une invitation.',
    later: 'Entendu, je reviens vers vous à ce moment-là.',
    other: 'Merci de votre réponse. Je reviens vers vous.',
  },
  'Guten Tag': {
    greeting: 'Guten Tag,',
    meeting: 'sehr gern. Ich schicke Ihnen eine Einladung.',
    later: 'gern, ich melde mich dann wieder.',
    other: 'vielen Dank für Ihre Antwort. Ich melde mich.',
  },
  'Dzień dobry': {
    greeting: 'Dzień dobry,',
    meeting: 'bardzo chętnie. Wyślę zaproszenie.',
    later: 'dobrze, odezwę się wtedy.',
    other: 'dziękuję za odpowiedź. Odezwę się.',
  },
  'Bom dia': {
    greeting: 'Bom dia,',
    meeting: 'Com todo o gosto. Envio-lhe um convite.',
    later: 'Combinado, volto a escrever-lhe nessa altura.',
    other: 'Agradeço a resposta. Volto a escrever-lhe.',
  },
  Hola: {
    greeting: 'Hola:',
    meeting: 'Con mucho gusto. Le envío una invitación.',
    later: 'De acuerdo, le escribo entonces.',
    other: 'Gracias por su respuesta. Le escribo pronto.',
  },
}

const price = /\b(?:price|pricing|quote|costs?|budget|expensive)\b|how much/i
const meeting =
  /\b(?:talk|speak|meet|(?:a|me a|quick|short) call)\b|gespräch|rencontrer|téléphone|porozmawiać|falar|hablar/i

/**
 * Answers as a model would, without the network: rules detect the intent, and the draft quotes the sentences of the
 * campaign's knowledge that match the reply.
 */
export function askSimulatedModel({ user }: Question): ModelAnswer {
  const input = JSON.parse(user) as Input
  const { text } = input.reply
  const { intent = 'question', notNowUntil, referral } = detectReplyIntent(text, new Date(input.today)) ?? {}
  const value = {
    intent,
    notNowUntil: notNowUntil?.toISOString().slice(0, 10) ?? null,
    referral: referral ? { name: referral.name ?? null, email: referral.email ?? null } : null,
    draft: writeDraft(intent, input),
  }
  const usage = {
    inputTokens: Math.ceil(user.length / 4),
    outputTokens: Math.ceil(JSON.stringify(value).length / 4),
  }
  return { value, usage }
}

/** Writes the draft of an answer; returns null for an intent that needs no answer. */
function writeDraft(intent: string, { prospect, knowledge, reply: { text } }: Input): string | null {
  const [, local] = Object.entries(phrasesByGreeting).find(([greeting]) => text.startsWith(greeting)) ?? []
  const facts = findFacts(text, knowledge)
  const { nextStep } = knowledge
  const isMeeting = ['interested', 'question'].includes(intent) && meeting.test(text)
  const invitation = ['Gladly. I will send you an invitation.']
  const unknown = ['Good question. I will find out and come back to you.']
  const english: Record<string, (string | null)[]> = {
    interested: isMeeting ? invitation : ['I am glad to hear that.', facts, nextStep],
    question: isMeeting ? invitation : facts ? [facts, nextStep] : unknown,
    objection: ['Thank you for telling me.', facts],
    not_now: ['That suits me. I will come back to you then.'],
    wrong_person: ['Thank you for letting me know.'],
  }
  const lines = english[intent]?.filter(Boolean)
  if (!lines) return null
  if (!local) return [`Hi ${prospect.firstName ?? 'there'},`, ...lines].join('\n\n')
  const answer = intent === 'not_now' ? local.later : isMeeting ? local.meeting : local.other
  return `${local.greeting}\n\n${answer}`
}

/** Returns the sentences of the knowledge that match a text; empty if there are none. */
function findFacts(text: string, { offer, answers }: Input['knowledge']): string {
  if (price.test(text) && offer) return offer
  const asked = new Set(listStems(text))
  return (answers ?? '')
    .split(/(?<=[.!?])\s+/)
    .filter(sentence => listStems(sentence).some(stem => asked.has(stem)))
    .join(' ')
}

/** Lists the first six letters of each word with at least six letters, so that “batteries” matches “battery”. */
const listStems = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}{6,}/gu) ?? []).map(word => word.slice(0, 6))
