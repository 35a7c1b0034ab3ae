import type { ParsedEmail } from '../../mime/parse.ts'
import { stripQuotes } from '../strip-quotes.ts'

const systemAddress =
  /^(?:mailer[-_. ]?daemon|post[-_.]?master|po+stmaster|mail[-_.]?(?:delivery|administrator|system|server|gateway)|mmdf|mailer|mdaemon|bounces?|mail\.delivery\.system|delivery-?notification|system)(?:[+=-][^@]*)?@/i
const systemName =
  /mail(?:er)?[- ]?daemon|mail deliver|post ?master|mail (?:administrator|system|server|gateway)|delivery (?:(?:sub)?system|agent)|returned mail|system administrator/i

/** Returns true when the sender's name or address is that of a mail system. People may also write from postmaster@. */
export function isFromMailSystem({ from, headers }: ParsedEmail): boolean {
  const written = from?.address ?? headers.get('from')?.[0] ?? ''
  return (
    // The mailing list manager fml sends its notices from the address of the list's owner.
    headers.has('x-mlserver') ||
    systemAddress.test(from?.address ?? '') ||
    systemName.test(from?.name ?? written)
  )
}

export const isMailerDaemon = ({ from, headers }: ParsedEmail): boolean =>
  /^\W{0,3}mailer-?daemon\b/i.test(from?.address ?? headers.get('from')?.[0] ?? '')

/** Returns true for an empty reverse path or its equivalents, as in automatic mail (RFC 5321 section 4.5.5). */
export const hasNullReturnPath = ({ headers }: ParsedEmail): boolean =>
  headers.get('return-path')?.some(path => /^<?(?:\s*|null|mailer-?daemon(?:@[^>]*)?)>?$/i.test(path)) ??
  false

const failureSubject =
  /un-?deliver|deliver\w* .{0,40}(?:fail|error|problem|delay|incomplete|unsuccess|status|impossible|not)|(?:fail|error|problem)\w* .{0,30}deliver|deliver(?:y|ed) (?:status|report)|return(?:ed|ing)? (?:mail|message|to sender|email)|mail (?:system )?(?:error|failure|fail)|(?:failure|delivery|error) (?:notice|warning)|not (?:be )?delivered|could ?n[o']t (?:be )?(?:send|sent|deliver)|message (?:delayed|rejected|status|not sent|bounced|blocked)|postmaster notify|loop (?:alert|back warning)|not member article|unix from loop|could not send message|error sending your mail|bounced? (?:mail|message|e-?mail)|considered unsolicited|^ndn: |non-?deliver|message \S{1,60} delayed|(?:unknown|invalid) (?:user|recipient|address)|user unknown|(?:message|e?-?mail|recipient address) (?:was |has been )?(?:rejected|refused)|address not found|unzustellbar|zustell\w* .{0,20}(?:fehl|nicht)|fehl\w* .{0,20}zustell|übermittlungsstatus|undelivrable|error en la entrega|estado de (?:la )?entrega|stato del recapito|impossibile recapitare|não é possível entregar|estado da entrega|niet te bezorgen|nie można dostarczyć|nie dostarczono|imposibil de livrat|не ?удается доставить|αδυναμία παράδοσης|không gửi được|未送達|宛先不明|配達できません|未送达|傳送失敗|传送失败|전달되지 않|발송 실패|nicht zugestellt|nicht zustellbar|non (?:remis|distribu|délivr|consegn|recapit)|échec|no (?:se (?:ha|pud[oe]|puede) )?(?:podido )?entrega|no entregad|mancat[oa] (?:consegna|recapito)|não (?:foi )?entreg|falha na entrega|onbestelbaar|niet (?:be|af)(?:zorgd|geleverd)|(?:inte|kan ikke|ikke) (?:be )?lever|olevererbar|toimitta\w* epäonnistui|ei voi(?:tu)? toimittaa|niedostarcz|nedoručiteln|nedoručen|kézbesíthetetlen|teslim edilem|не вдалося доставити|не ?доставл|配信(?:不能|エラー|できません)|配送|送信(?:エラー|できません)|お届けできません|エラーメール|退信|(?:无法|無法)(?:投递|送达|传递|傳遞|送達)|投递失败|배달(?: 실패|되지 않)|전송 실패/i

const failureText =
  /(?:could not|couldn't|cannot|can't|can not|was not|wasn't|not|unable to|not able to|failed to|failure to|unsuccessful\w*|undeliverable|impossible to) (?:be )?(?:\w+ ){0,4}(?:deliver|send|sent|relay|receiv|reach|process|accept)|deliver\w* .{0,60}(?:fail|error|delay|postponed|impossible|unsuccessful|problem|aborted|incomplete|status notification)|(?:fail|problem|error)\w* .{0,60}deliver|permanent (?:fatal )?error|fatal errors|returned (?:mail|message|to sender)|following (?:address|recipient)[\w()]* .{0,30}(?:fail|had|reject)|(?:rejected|refused|blocked) .{0,40}(?:message|mail|by)|undeliver|unknown (?:user|address|recipient)|user unknown|no valid recipient|not a valid (?:user|address|recipient|mailbox|e-?mail)|action not taken|mailbox unavailable|no such (?:user|recipient|address|mailbox|host|domain)|no (?:user|mailbox|account) (?:here )?by that name|invalid user|mailbox (?:is )?full|over quota|mail(?:box)? is full|unzustellbar|nicht zugestellt|non remis|no entregad|не ?(?:может быть )?доставлен|配信できません|届けることができません|送信できません|送信されませんでした/i

/** Subject prefixes of replies and forwards, including those of reports. */
const replySubject = /^\s*(?:re|aw|antw|sv|vs|odp|res|rif|ynt|fwd?|wg|tr|rv|i|enc|doorst)\s?:/i

export const isReplyOrForward = ({ subject }: ParsedEmail): boolean => replySubject.test(subject)

export const mentionsFailureInSubject = (mail: ParsedEmail): boolean =>
  failureSubject.test(mail.subject) && !isReplyOrForward(mail)

/** Returns true when the start of the text, without quotes, reports a failure. */
export const mentionsFailure = (notice: string): boolean =>
  failureText.test(stripQuotes({ bodyText: notice }).slice(0, 3_000).replace(/\s+/g, ' '))

const salutation =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|day)|hallo|guten|liebe[rs]?|sehr geehrte|bonjour|madame|monsieur|hola|buenos|estimad|ol[áa]|prezad|caro|cara|ciao|buongiorno|gentile|beste|geachte|hej|kære|dzień|добрый|здравствуйте|привет|уважаем)(?!\p{L})/u
const programWords =
  /automatically|auto-?generated|automatic (?:message|reply|notification)|advisory|delivery (?:status|report|system|subsystem|software|failure)|delivery of (?:your |this )?(?:e-?)?mail|non-?delivery|undeliverable to|(?:failed|following|intended) (?:recipient|address)|recipient\(s\)|address\(es\)|message from interscan|(?:message|e-?mail|mail)(?: .{0,80}?)? (?:could not|can ?not|was not|has not been) (?:be )?delivered|do not (?:reply|resend)|no (?:se (?:ha )?pud\S+|ha podido) entreg|konnte nicht zugestellt|n'a pas (?:pu|été) .{0,20}(?:délivr|remis|distribu)/

/** Returns true when a text opens with a report of what happened, not with a greeting or a person's own words. */
export function startsLikeProgram(notice: string): boolean {
  const opening = notice
    .slice(0, 600)
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .replace(/^[^\p{L}]+/u, '')
  return !salutation.test(opening) && programWords.test(opening.slice(0, 300))
}
