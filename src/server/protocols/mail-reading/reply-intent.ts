import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { findFutureDay } from './return-date.ts'

export type ReplyClassification = {
  intent: ReplyIntent
  /** Midnight UTC. */
  notNowUntil?: Date | undefined
  referral?: { name?: string | undefined; email?: string | undefined } | undefined
}

const MAX_TEXT = 4_000
const DAY_MS = 86_400_000

/** Phrases by intent, in many languages. The first matching row wins. */
const intentPhrases: [intent: ReplyIntent, words: string][] = [
  [
    // Opt-out requests within longer text; a person should review them.
    'opt_out',
    "(?:take|remove) (?:me|us) (?:off|from)|unsubscribe (?:me|us)|stop (?:e-?mailing|writing|contacting|spamming)|(?:do not|don't|never) (?:contact|e-?mail|write(?: to)?) (?:me|us)(?: again| any ?more|[.!]|$)|" +
      'schreiben sie (?:mir|uns) (?:bitte )?nicht mehr|(?:aus|von) (?:ihrem|dem|der|ihrer) (?:verteiler|liste)|keine weiteren (?:e-?mails|mails|nachrichten)|ne (?:me|nous) (?:contactez|écrivez) plus|retirez-moi|désinscri|' +
      'no me (?:escriban?|contacten?) más|no (?:me|nos) escriba más|não me (?:escreva|contacte)|non (?:mi scriva|scrivetemi) più|niet meer (?:mailen|schrijven)|nie pisz\\S* (?:do mnie )?więcej|больше не пишите|不要再(?:给我)?发|配信停止',
  ],
  [
    'wrong_person',
    "not the right (?:person|contact)|wrong (?:person|contact|department)|no longer (?:work|with|at|employed)|(?:has|have) left (?:the|our) (?:company|organi[sz]ation|firm)|(?:please )?(?:contact|reach out to|write to|speak (?:to|with)|talk to|get in touch with) (?:my |our )?(?:colleague|successor|boss|manager)|i(?:'m| am) not responsible|not me[,;:.]|(?:passed|handed) (?:it|this|your (?:mail|message|e-?mail)) (?:on|over|along)|not my (?:area|department|responsibility)|is responsible for (?:this|that)|forwarded (?:this|your (?:mail|message|e-?mail)) to|" +
      'nicht (?:der|die) richtige|nicht (?:mehr )?zuständig|zuständig (?:ist|dafür ist)|arbeite nicht mehr|wenden sie sich (?:bitte )?an|(?:kollegin|kollegen?) weitergeleitet|' +
      "pas la bonne personne|pas (?:le bon interlocuteur|responsable)|ne travaille plus|adressez-vous à|veuillez contacter|n'est pas (?:de )?mon ressort|" +
      'no soy la persona|persona equivocada|ya no trabaj|póngase en contacto con|contacte con mi|não sou a pessoa|já não trabalh|não trabalho mais|fale com (?:o|a) meu|' +
      'non sono la persona|persona sbagliata|non lavor\\w+ più|si rivolga a|niet de juiste persoon|werk\\w* (?:hier )?niet meer|neem contact op met|inte rätt person|ikke rette person|jobbar inte längre|' +
      'niewłaściwa osoba|nie pracuj\\w+ już|proszę (?:o kontakt|skontaktować się) z|не тот человек|больше не работа|обратитесь к|doğru kişi değil|担当(?:者)?では(?:ない|ありません)|担当が変わ|不是负责人|不负责',
  ],
  [
    'not_now',
    'not (?:right )?now|not at (?:the|this) (?:moment|time|stage)|(?:bad|wrong|not the (?:right|best|ideal)) tim(?:e|ing)|(?:next|in the new|later this|early next) (?:year|quarter|month|week)|(?:get|come|circle|check|touch|follow)(?: base| up)?(?: back)? (?:in|after|with (?:me|us) (?:in|after|next))|(?:try|contact|write|ping|call|reach out to) (?:me |us )?(?:again )?(?:in|after|next)|(?:too|very) busy (?:now|right now|at the moment)|after (?:the )?(?:holidays|summer|budget)|no budget (?:this|until|right now)|' +
      'momentan nicht|derzeit nicht|zur ?zeit nicht|aktuell nicht|im moment nicht|gerade nicht|nächstes (?:jahr|quartal)|nächsten monat|später (?:noch einmal|nochmal|wieder)|melden sie sich (?:bitte )?(?:im|in|ab|nach|wieder)|' +
      "pas (?:maintenant|pour l'instant|pour le moment|en ce moment)|plus tard|l'année prochaine|recontactez|le mois prochain|le trimestre prochain|" +
      'ahora no|no (?:es el|en este) momento|más adelante|el (?:próximo|año que viene)|agora não|neste momento não|mais tarde|no próximo|por enquanto não|' +
      'non (?:ora|adesso|in questo momento)|più avanti|(?:il prossimo|l.anno prossimo)|nu niet|op dit moment niet|volgend (?:jaar|kwartaal)|volgende maand|inte just nu|ikke (?:akkurat )?nå|ikke lige nu|nästa (?:år|kvartal)|' +
      'nie teraz|w tej chwili nie|w przyszłym (?:roku|miesiącu|kwartale)|не сейчас|пока не|позже|в следующем|şu anda değil|gelecek (?:yıl|ay)|今は|来(?:年|月|期)|現時点では|现在不|明年|下个月',
  ],
  [
    'objection',
    "not interested|no (?:thanks|thank you)(?!,? (?:problem|worries))|no interest|no need|don't need|do not need|(?:too|very) expensive|already (?:have|use|using|work with|got)|happy with (?:our|what|the)|out of (?:our )?budget|no budget|not (?:a|the right|a good) fit|we'll pass|i'll pass|not for us|not relevant|" +
      'kein(?:en)? (?:interesse|bedarf)|nicht interessiert|nein,? danke|zu teuer|haben (?:schon|bereits)|nutzen (?:schon|bereits)|passt nicht|pas intéressés?|pas intéressée?s?|non merci|trop cher|(?:nous )?(?:avons|utilisons) déjà|pas besoin|' +
      'no (?:me|nos) interesa|no estamos interesad|no estoy interesad|no,? gracias|demasiado caro|ya (?:tenemos|usamos)|não (?:tenho|temos) interesse|não,? obrigad|muito caro|já (?:temos|usamos)|' +
      'non (?:sono|siamo|mi) interess|no,? grazie|troppo caro|abbiamo già|geen interesse|niet geïnteresseerd|nee,? (?:bedankt|dank)|te duur|hebben al|inte intresserad|ikke interesser|nej,? tack|nei,? takk|nej,? tak|för dyrt|for dyrt|ei kiitos|emme ole kiinnostuneita|' +
      'nie jest\\S+ zainteresowan|nie,? dziękuję|za drog|mamy już|не интерес|нет,? спасибо|слишком дорого|уже (?:есть|использ)|ilgilenmiyor|興味(?:は|が)?(?:ない|ありません)|結構です|必要ありません|不感兴趣|没兴趣|不需要',
  ],
  [
    'interested',
    "(?:i'?m|i am|we'?re|we are|very|quite|would be) interested|sounds (?:good|great|interesting)|let'?s (?:talk|chat|meet|schedule|set up|do it)|tell me more|send (?:me|us|over|it)|(?:book|schedule|set up|arrange) (?:a|some) (?:call|time|meeting|demo)|(?:happy|glad|love|like) to (?:talk|chat|learn|hear|meet|see|discuss)|(?:call|ring|phone) me|(?:suits?|works?) (?:me|us|for (?:me|us))|yes,? (?:please|gladly|sure|let|that|send|we|i)|^yes\\W*$|count me in|how about|i'?m free|i'?m available|" +
      "klingt (?:gut|spannend|interessant)|interessiert (?:mich|uns)|(?:habe|haben|hätte|hätten) interesse|bin interessiert|gerne?(?: mehr)?|schicken sie|rufen sie|passt (?:mir|uns|gut)|^ja\\W*$|ça m'intéresse|(?:je suis|nous sommes) intéress|avec plaisir|volontiers|envoyez|appelez|" +
      'me interesa|nos interesa|suena bien|estoy interesad|con gusto|envíe(?:me|nos)|llámeme|tenho interesse|temos interesse|parece (?:bom|interessante)|com prazer|envie-me|' +
      'mi interessa|ci interessa|volentieri|sono interessat|mi mandi|mi chiami|klinkt (?:goed|interessant)|graag|låter (?:bra|intressant)|gärna|høres (?:bra|interessant)|lyder (?:godt|interessant)|gerne|kuulostaa hyvältä|' +
      'jest\\S+ zainteresowan|brzmi dobrze|chętnie|интересно|с удовольствием|позвоните|пришлите|ilgileniyor|興味(?:が)?あり|ぜひ|送ってください|感兴趣|有兴趣|请(?:发|联系)',
  ],
]

/** Chinese and Japanese don't separate words with spaces. */
const wordStart = String.raw`(?<!(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\d])`

const patterns = intentPhrases.map(([intent, words]) => ({
  intent,
  pattern: new RegExp(`${wordStart}(?:${words})`, 'imu'),
}))

const questionPattern =
  /[?？؟\u037e](?:\s|$)|^(?:what|how|when|who|which|why|can you|could you|do you|does|is it|are you|wie|was|wann|können sie|combien|comment|quel\w*|cómo|cuánto|quanto|come|как|сколько)(?!\p{L})/imu
const addressPattern = /[^\s<>@,;:()"']{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/u

/** Detects the intent of a reply by rules; returns undefined when no rule matches. */
export function detectReplyIntent(newText: string, sentAt: Date): ReplyClassification | undefined {
  const text = newText.slice(0, MAX_TEXT).replace(/[’`]/g, "'")
  const intent = patterns.find(({ pattern }) => pattern.test(text))?.intent
  switch (intent) {
    case 'wrong_person': {
      const email = addressPattern.exec(text)?.[0].toLowerCase()
      return { intent, ...(email && { referral: { email } }) }
    }
    case 'not_now':
      return { intent, notNowUntil: findFutureDay(text, sentAt) ?? parseRelativeTime(text, sentAt) }
    // These take precedence over a question mark: "No thanks, what is it?" is an objection, and "Sounds good, when?"
    // shows interest.
    case 'opt_out':
    case 'objection':
    case 'interested':
      return { intent }
    default:
      return questionPattern.test(text) ? { intent: 'question' } : undefined
  }
}

const units: [days: number, words: string][] = [
  [7, 'weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|veck\\S*|uker?|tygodni\\S*|недел\\S+'],
  [30, 'months?|monate?n?|mois|meses|mês|mes|mes[ei]|maand\\S*|månad\\S*|måneder?|miesi\\S+|месяц\\S*'],
  [365, 'years?|jahre?n?|ans?|años?|anos?|ann[oi]|ja(?:ar|ren)|år|rok|lat|год\\S*'],
]
const numbers =
  'one a an ein einem einer un une uno una en|two zwei deux dos dois due twee två to dwa два|three drei trois tres três tre drie trzy три'
const numbersByWord = new Map(
  numbers.split('|').flatMap((words, at) => words.split(' ').map(word => [word, at + 1] as const)),
)

/** Parses relative times such as "in three months", "in 6 Wochen" or "dans un an". */
function parseRelativeTime(text: string, sentAt: Date): Date | undefined {
  for (const [days, words] of units) {
    const [, number = ''] =
      new RegExp(`(?<!\\p{L})(\\d{1,2}|[\\p{L}]{1,6}) (?:${words})(?!\\p{L})`, 'iu').exec(text) ?? []
    const count = Number(number) || numbersByWord.get(number.toLowerCase())
    if (count) {
      const day = new Date(sentAt.getTime() + count * days * DAY_MS)
      return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()))
    }
  }
  return undefined
}
