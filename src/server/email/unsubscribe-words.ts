const maxLength = 160

/** Whole wishes: nothing may follow but politeness. "Stop by tomorrow" is an answer, "stop" and "please stop emailing me" are not. */
const wishes: RegExp[] = [
  /^(?:please |pls |kindly )?(?:stop|unsubscribe|remove|opt[ -]?out|cancel|end|quit)$/,
  /^(?:please |pls |kindly |could you |can you |i(?:'d| would) like (?:you )?to |i want (?:you )?to )*(?:unsubscribe|remove|delete|take|opt)(?: me| us| my (?:name|e-?mail|address|e-?mail address)| this (?:address|e-?mail)| my (?:contact|data|details))?(?: (?:out|off|from|of))*(?: (?:your|this|the|all|any|mailing|e-?mail|email|list|lists|database|crm|system|records|further|future|communications?|sequence|campaign|newsletters?|distribution|it))*$/,
  /^(?:please |pls |kindly )*(?:stop|quit|cease) (?:sending|e-?mailing|mailing|contacting|writing|spamming|messaging|bothering|these|this|all|your)(?: (?:me|us|to|these|this|your|any|more|further|emails?|e-?mails?|messages?|mails?|spam|anything|again|anymore|immediately|now|communications?))*$/,
  /^(?:please |pls )*(?:do not|don't|dont|never) (?:ever )?(?:e-?mail|contact|write|message|mail|send|bother)(?: (?:to|me|us|again|anymore|any|more|further|emails?|e-?mails?|messages?|this|address|in the future|ever))*$/,
  /^(?:bitte )?(?:abmelden|abbestellen|austragen|stopp|(?:nehmen|streichen|löschen|entfernen|tragen) sie (?:mich|uns|meine (?:adresse|e-?mail(?:-adresse)?|daten))(?: .{0,40})?|keine (?:weiteren |werbe)?(?:e-?mails?|mails|nachrichten|werbung)(?: mehr)?(?: senden| schicken)?|(?:schreiben|kontaktieren|schicken) sie (?:mich|mir|uns) (?:nicht|keine)(?: .{0,30})?|keine weitere kontaktaufnahme|mich (?:bitte )?(?:abmelden|aus .{0,30}(?:löschen|streichen|entfernen)))$/,
  /^(?:merci de (?:me |nous |bien vouloir me )?|veuillez (?:me |nous )?|svp |s'il vous plaît )?(?:désabonne[rz]|désinscri(?:re|vez|ption)|désabonnement|retire[rz]|supprime[rz]|ne plus (?:me |nous )?(?:contacter|écrire|envoyer))(?:[- ](?:moi|nous|mon (?:adresse|e-?mail|nom)))?(?: .{0,50})?$/,
  /^(?:por favor,? )?(?:(?:darme|dame|denme) de baja|baja|desuscribir(?:me)?|cancelar suscripción|eliminar(?:me)?|elim[ií]n(?:ame|enme|eme)|bórr(?:ame|enme)|no (?:me )?(?:escriban?|contacten?|env[ií]en)(?: más| mas)?|remover|(?:me )?(?:remova|removam|descadastr\w+|retirem?)(?:-me)?|cancelar inscrição|não (?:me )?(?:envie|contacte|escreva)m?(?: mais)?)(?: .{0,40})?$/,
  /^(?:per favore,? |vi prego di |si prega di )?(?:cancell(?:atemi|ami|are|azione)|disiscri\w+|rimuov(?:etemi|imi|ere)|non (?:scrivete|contattate|inviate)(?:mi|ci)?(?: più)?)(?: .{0,40})?$/,
  /^(?:graag |gelieve |aub |alstublieft )?(?:uitschrijven|afmelden|schrijf mij uit|verwijder (?:mij|mijn (?:gegevens|adres|e-?mail)).{0,40}|geen (?:mails?|e-?mails?|berichten) meer(?: .{0,20})?|avregistrera.{0,40}|avsluta|ta bort mig.{0,40}|sluta (?:mejla|maila|skicka).{0,30}|afmeld.{0,40}|avmeld.{0,40}|fjern meg.{0,40}|slet mig.{0,40}|peruuta|poistakaa .{0,40}|lopettakaa .{0,40})$/,
  /^(?:proszę )?(?:wypisać|wypisz|usunąć|usuńcie|usuń|odsubskryb\S*|rezygnuję|nie (?:pisać|piszcie|wysyłać|kontaktować)(?: .{0,20})?)(?: .{0,50})?$/,
  /^(?:пожалуйста,? |прошу )?(?:отпи(?:шите|сать|сывайте|саться)|удалите|удалить|уберите|исключите|отмен(?:а|ить) подписк\S|не (?:пишите|присылайте|беспокойте)|больше не (?:пишите|присылайте))(?: .{0,50})?$/,
  /^(?:lütfen )?(?:abonelikten çık\S*|listeden çıkar\S*|beni (?:listeden )?çıkar\S*|mail atmayın.{0,20}|odhlásit.{0,30}|prosím odhlaste.{0,30}|leiratkozás|leiratkozom|töröljenek.{0,30}|dezabonare|dezabonați.{0,30}|διαγραφή|λήξη)$/,
  /^(?:配信(?:停止|を停止|解除)|購読(?:解除|停止)|登録(?:解除|削除)|退订|取消订阅|请不要再.{0,10}|退訂|請勿再.{0,10}|수신 ?거부|구독 ?(?:취소|해지)).{0,15}$/,
]

const politeness =
  /^(?:hi|hello|hey|dear|thanks?|thank you|thx|cheers|regards|best|kind regards|best regards|hallo|guten tag|sehr geehrte|danke|vielen dank|mfg|mit freundlichen grüßen|gruß|viele grüße|bonjour|merci|cordialement|hola|gracias|saludos|olá|obrigad[oa]|ciao|buongiorno|grazie|saluti|hoi|bedankt|dank|groet(?:en|jes)?|hej|tack|takk|tak|mvh|dziękuję|pozdrawiam|спасибо|здравствуйте|с уважением|teşekkürler|děkuji|please|asap|immediately|now|thank)(?:[ ,].{0,40})?$/

/** The words when a short text says nothing but that its writer wants no more mail. */
export function asksToUnsubscribe(newText: string): string | undefined {
  const text = newText.trim()
  if (text === '' || text.length > maxLength * 2) return undefined
  const sentences = text
    .toLowerCase()
    .replace(/[’`]/g, "'")
    .split(/[.!?;。！？\n]+/)
    .map(sentence => sentence.replace(/[\s,:"'*_~()<>-]+$|^[\s,:"'*_~()<>-]+/g, '').replace(/\s+/g, ' '))
    .filter(sentence => sentence !== '')
  const wish = sentences.find(
    sentence => sentence.length <= maxLength && wishes.some(pattern => pattern.test(sentence)),
  )
  if (wish === undefined) return undefined
  const rest = sentences.filter(
    sentence =>
      sentence !== wish && !politeness.test(sentence) && !wishes.some(pattern => pattern.test(sentence)),
  )
  // a name below it is no further thought; a second sentence is
  return rest.every(sentence => sentence.split(' ').length <= 3) ? wish : undefined
}
