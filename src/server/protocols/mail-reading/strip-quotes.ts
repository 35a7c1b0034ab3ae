import type { ParsedEmail } from '../mime/parse.ts'

const maxLines = 5_000

/** Lines below which everything is the original email. */
const originalBelow = [
  // -----Original Message----- and its translations
  /^\s*[-_=*]{2,}\s*(?:original (?:message|appointment)|urspr(?:ü|ue)ngliche (?:nachricht|e-?mail)|message d'origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|opprinnelig melding|oprindelig meddelelse|ursprungligt meddelande|alkuperäinen viesti|oryginalna wiadomość|wiadomość oryginalna|původní zpráva|eredeti üzenet|mesaj original|исходное сообщение|пересылаемое сообщение|orijinal (?:mesaj|ileti)|原始邮件|原始郵件|元のメッセージ|original mail|원본 메시지|forwarded (?:message|by)|weitergeleitete nachricht|message transféré|messaggio inoltrato|mensaje reenviado)\s*[-_=*]{0,}/i,
  // Outlook's ________________________________
  /^_{20,}\s*$/,
]

/**
 * "On Mon, 5 May 2025 at 10:00, Ada <ada@acme.example> wrote:" in many languages; may span three lines. In Russian,
 * Hebrew and others, nothing follows the address.
 */
const attribution =
  /^[>\s]*(?:(?:on|am|le|el|il|em|op|den|på|w dniu|dne|dňa|em|na|у|в|ons|den|tor|pe|ke|ma|lør|on|kl|dana|pada|vào|στις)(?!\p{L}).{0,200}?(?:wrote|writes|schrieb|écrit|escribió|scritto|escreveu|schreef|skrev|kirjoitti|napisał\(?a?\)?|napsala?|napísal|írta|a scris|пишет|написала?|написал\(а\)|έγραψε|yazdı|menulis|đã viết|tulis|je napisal\w*)(?: [^:]{1,120})?\s?:\s*$|.{0,100}<[^<>\s]{3,200}@[^<>\s]{3,200}>.{0,40}(?:wrote|schrieb|escribió|escreveu|написал\S*|пишет|пише|skrev|a scris|napisał\S*|yazdı|írta(?: \([^)]{0,60}\))?|napsal\S*|のメール|写道|寫道|작성|wrote)\s?[:：]\s*$|[^>\s<][^<]{0,80}(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})[^<]{0,40}(?<!\p{Nd})\p{Nd}{1,2}[:.]\p{Nd}{2}[^<]{0,100}<[^<>\s]{3,200}@[^<>\s]{3,200}>\s?:[\s\p{Cf}]*$|\d{4}[年/.-].{0,100}(?:写道|寫道|書きました|のメール|:|：|님이 작성)\s*[:：]?\s*$)/iu

const attributionBegins =
  /^[>\s]*(?:on|am|le|el|il|em|op|den|på|w dniu|dne|dňa|em|na|у|в|ons|den|tor|pe|ke|ma|lør|on|kl|dana|pada|vào|στις)(?!\p{L}).{0,100}\d|^[>\s]*[^>\s<](?:[^<]{0,80}(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})[^<]{0,40}(?<!\p{Nd})\p{Nd}{1,2}[:.]\p{Nd}{2}|[^<]{0,100}<[^<>\s]{3,200}@[^<>\s]{3,200}> ezt írta)/iu

/** From:/Sent:/To:/Subject: fields, which Outlook and others put above the original email. */
const headerField =
  /^[>\s*]*(?:from|von|de|da|van|från|fra|od|feladó|lähettäjä|от|от кого|kimden|差出人|发件人|寄件者|보낸 사람|sent|gesendet|envoyé|enviado(?: el)?|inviato|verzonden|skickat|sendt|wysłano|odesláno|date|datum|fecha|data|дата|отправлено|送信日時|发送时间|to|an|à|para|a|aan|till|til|do|komu|кому|收件人|宛先|subject|betreff|objet|asunto|oggetto|onderwerp|ämne|emne|temat|předmět|тема|件名|主题|主題|cc)\s?\*?[:：]\*?\s/i

const signatureBelow =
  /^(?:--\s?|—|_{2,10}|sent from my .{1,40}|sent from (?:outlook|mail|yahoo|proton|mobile).{0,60}|get outlook for .{1,20}|(?:\p{L}{3,15} )?outlook (?:for|para|für|pour|per|voor|för|til|dla) (?:ios|android)(?: \p{L}{3,15})?(?:\s?[<[(]https?:.{1,200})?|sent with proton mail.{0,60}|von meinem .{1,30} gesendet|envoyé de(?:puis)? mon .{1,40}|enviado desde mi .{1,40}|enviado do meu .{1,40}|inviato da(?:l mio)? .{1,40}|verstuurd vanaf mijn .{1,40}|skickat från min .{1,40}|sendt fra min .{1,40}|отправлено с .{1,40}|iPhoneから送信|发自我的.{1,30}|나의 .{1,20}에서 보냄)\s*$/iu

/** Returns the sender's own text, without the original email or the signature. */
export function stripQuotes(mail: Pick<ParsedEmail, 'bodyText'>): string {
  const lines = mail.bodyText.replace(/\r\n?/g, '\n').split('\n', maxLines)
  const kept = removeAttributions(lines.slice(0, findOriginalStart(lines))).filter(
    line => !/^\s*>/.test(line),
  )
  const signature = kept.findIndex((line, at) => at > 0 && signatureBelow.test(line.trimEnd()))
  return (signature === -1 ? kept : kept.slice(0, signature))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function findOriginalStart(lines: string[]): number {
  const at = lines.findIndex(
    (line, index) =>
      originalBelow.some(pattern => pattern.test(line)) ||
      isHeaderBlock(lines, index) ||
      isTopPostAttribution(lines, index),
  )
  return at === -1 ? lines.length : at
}

/** Returns true for three fields within six lines: a person who writes "To: all of you" has only one. */
function isHeaderBlock(lines: string[], at: number): boolean {
  if (!headerField.test(`${lines[at]} `)) return false
  return lines.slice(at, at + 6).filter(line => headerField.test(`${line} `)).length >= 3
}

/** Returns true for an attribution above an original email without quote marks, which has no inline replies. */
function isTopPostAttribution(lines: string[], at: number): boolean {
  if (!measureAttribution(lines, at)) return false
  return !lines.slice(at + 1).some(line => /^\s*>/.test(line))
}

function measureAttribution(lines: string[], at: number): number {
  if (lines[at]?.trim() === '') return 0
  // An attribution whose first line has a day or time may continue in the next lines.
  const lengths = attributionBegins.test(lines[at] ?? '') ? [1, 2, 3] : [1]
  for (const length of lengths) {
    const text = lines
      .slice(at, at + length)
      .join(' ')
      .replace(/\s+/g, ' ')
      .slice(0, 500)
    if (attribution.test(text)) return length
  }
  return 0
}

function removeAttributions(lines: string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const length = measureAttribution(lines, at)
    if (length === 0) kept.push(lines[at]!)
    at += Math.max(1, length)
  }
  return kept
}
