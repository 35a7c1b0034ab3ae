import { hasNullReturnPath } from './bounce-signs.ts'
import type { ParsedEmail } from './parse.ts'

/** Headers that only programs set on what they answer by themselves. */
const autoReplyHeaders = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-reply-from',
  'x-mail-autoreply',
  'x-vacation',
  'x-ms-exchange-inbox-rules-loop',
  'x-exchange-inbox-rules-loop',
]

/** Subjects that the answering programs of mail systems write in front; at the beginning only, so no "Re:". */
const autoReplySubject =
  /^\W{0,3}(?:auto(?:matic(?:ally)?|mated|mat\w{0,12})?[- _]?(?:generated )?(?:re(?:ply|sponse|spuesta|sposta|ponse)|respon\w{2,6}|antwort\w{0,3}|svar|odpowied\S{1,2}|vastaus|antwoord|risposta|response)|automatische (?:antwort|abwesenheit\w*|reply)|automatisch antwoord|réponse automatique|respuesta automática|resposta automática|risposta automatica|autosvar|automatiskt? svar|automaattinen vastaus|odpowiedź automatyczna|automatyczna odpowiedź|automatická odpověď|automatikus válasz|răspuns automat|автоматический ответ|автоответ|αυτόματη απάντηση|otomatik yanıt|自動(?:応答|返信|回覆)|自动(?:回复|答复)|자동 ?(?:응답|회신)|out ?of ?(?:the )?office|away from (?:the )?office|i am (?:currently )?(?:away|out)|on (?:vacation|holiday|leave)|vacation(?: reply|:| notice| message)|abwesenheits?(?:notiz|benachrichtigung|meldung|nachricht)?|abwesend|urlaub|absence|absent du bureau|fuera de (?:la )?oficina|fuori (?:ufficio|sede)|afwezig|ausente|frånvaro|fravær|poissa|nieobecno|не на месте|отсутств|不在|休暇)/i

const outOfOfficeWords =
  /out ?of ?(?:the )?office|\booo\b|away (?:from|until|on|till)|(?:on|for) (?:\w+ )?(?:vacation|holidays?|leave|sabbatical)|maternity|parental leave|currently (?:away|out|on leave|travel)|annual leave|i(?:'m| am|’m| will be)[^.\n]{0,40} (?:away|out|travel\w*)|limited access to (?:my )?e-?mail|return(?:ing)? (?:to (?:the )?office|on)|back (?:on|in the office)|abwesen|urlaub|nicht im (?:büro|haus)|elternzeit|absence|absent|en congés?|vacances|fuera de (?:la )?oficina|vacaciones|ausente|férias|licença|fuori (?:ufficio|sede)|ferie|assente|afwezig|vakantie|niet aanwezig|ferien|semester|frånvar|fravær|ferie|lomalla|poissa|nieobecn|urlop|dovolen|szabadság|concediu|отпуск|отсутств|не на месте|休暇|不在|休み|休假|外出|부재|휴가|izin|tatil|άδεια/i

/** Why a mail was sent by a program in answer to ours (RFC 3834), and whether it says that its owner is away. */
export type AutoReply = { why: string; isOutOfOffice: boolean }

export function readAutoReply(mail: ParsedEmail): AutoReply | undefined {
  const why = signOf(mail)
  if (!why) return undefined
  const isOutOfOffice = outOfOfficeWords.test(`${mail.subject}\n${mail.bodyText.slice(0, 3_000)}`)
  return { why, isOutOfOffice }
}

// X-Auto-Response-Suppress asks others to stay silent: people's mail carries it too, so it is no sign.
function signOf(mail: ParsedEmail): string | undefined {
  const values = (name: string) => mail.headers.get(name) ?? []
  const submitted = values('auto-submitted').find(value => !/^\s*no\b/i.test(value))
  if (submitted !== undefined) return `Auto-Submitted: ${submitted.slice(0, 60)} (RFC 3834)`
  const header = autoReplyHeaders.find(name =>
    values(name).some(value => !/^\s*(?:no|false|0)?\s*$/i.test(value)),
  )
  if (header) return `${header} is set`
  if (values('x-apple-action').some(value => /vacation/i.test(value))) return 'x-apple-action is VACATION'
  const precedence = values('precedence').find(value => /^\s*auto[_-]?reply/i.test(value))
  if (precedence !== undefined) return `Precedence: ${precedence.slice(0, 60)}`
  if (autoReplySubject.test(mail.subject)) return 'the subject is that of an automatic reply'
  if (hasNullReturnPath(mail)) return 'the reverse path is empty'
  return undefined
}
