const maxLength = 320

/**
 * Requests to stop emailing, one language per row: the request and the words allowed around it. With any other word,
 * the text means something else: "stop by tomorrow" is a reply, but "please stop writing to me" is a request.
 */
const requests: [request: string, around: string][] = [
  [
    "(?:unsubscribed?|opt(?:ed)?[ -]?out|opt (?:me|us) out|(?:remove|delete|erase) (?:me|us|@|(?:my|our) (?:name|contact|details|data|e-?mail|address)|this (?:e-?mail|address))|be removed|take (?:me|us|@|my (?:name|e-?mail|address)) (?:off|out of)|(?:stop|quit|cease) (?:sending|e-?mailing|mailing|contacting|writing|spamming|messaging|bothering)|stop (?:these|this|all|your) (?:e-?mails?|mails?|messages?|spam)|(?:do not|don't|dont|never) (?:ever )?(?:e-?mail|contact|write|message|mail|bother|spam)(?: to)?(?= (?:me|us|@|again|any ?more|this address)|$)|(?:do not|don't|dont|never) (?:ever )?send (?:me |us )?(?:any )?(?:more |further )?(?:e-?mails?|mails?|messages?|spam|anything)|(?:do not|don't) (?:wish|want) to receive|no (?:more|further) (?:e-?mails?|mails?|messages?|spam)|leave me alone)",
    "please pls kindly could can would you i i'd we like want wish to be me us my our name e-mail email emails e-mails mail mails message messages spam address addresses @ this these anything any more no further future from of off your the all mailing list lists database crm system records communications communication sequence campaign newsletter newsletters distribution it immediately now asap again anymore ever thanks thank and at once in",
  ],
  [
    '(?:abmelden|abzumelden|abbestellen|austragen|auszutragen|(?:nehmen|streichen|tragen|nimm|streich|trag) (?:sie )?(?:mich|uns|@|meine (?:adresse|e-?mail-?adresse|daten))(?= .*(?:aus|vom|von|raus))|(?:löschen|entfernen|lösche?|entferne?) (?:sie )?(?:bitte )?(?:mich|uns|@|meine (?:adresse|e-?mail-?adresse|daten))|aus .*(?:verteiler|liste|datenbank|kartei) (?:nehmen|streichen|löschen|entfernen|austragen)|keine (?:weiteren |werbe)?(?:e-?mails?|mails|nachrichten|werbung|werbemails)|(?:schreiben|kontaktieren|schicken|senden) sie (?:mich|mir|uns) (?:nicht|keine)|keine weitere kontaktaufnahme|nicht mehr (?:anschreiben|kontaktieren))',
    'bitte ich möchte will wir sie mich mir uns meine daten adresse e-mail-adresse @ aus von vom dem der den ihrer ihrem ihren eurem deinem verteiler liste mailingliste newsletter datenbank system kartei raus heraus und keine weiteren mehr wieder e-mails emails mails nachrichten werbung senden schicken zu sofort umgehend künftig zukunft in zukünftig danke an mail e-mail',
  ],
  [
    "(?:désabonne[rz]|désinscri(?:re|vez|ption)|désabonnement|(?:retirer|retirez|supprimer|supprimez|enlever|enlevez|effacer|effacez)[- ](?:moi|nous|mon (?:adresse|e-?mail|mail|nom)|mes (?:données|coordonnées))|(?:me|nous|m') ?(?:retirer|supprimer|enlever|effacer)|ne plus (?:me |nous |m')?(?:contacter|écrire|envoyer)|ne (?:me |nous |m')(?:contactez|écrivez|envoyez) plus|ne (?:souhaite|veux|désire) plus recevoir)",
    "merci de veuillez bien vouloir me nous m' moi je svp stp s'il vous te plaît pouvez-vous souhaite voudrais veux mon mail e-mail email mails e-mails adresse nom données votre vos cette ce liste listes fichier fichiers base diffusion newsletter messages message immédiatement la du des d'envoi plus aucun être",
  ],
  [
    '(?:(?:darme|dame|denme|dar) de baja|desuscri\\w+|cancelar (?:mi |la )?suscripción|(?:elimin|bórr|borr|remuév|sáqu|quít)\\w*(?:me|nme)|elimin\\w+ mi (?:correo|e-?mail|dirección)|no (?:me|nos) (?:escrib|contact)\\w+|no (?:me |nos )?(?:escrib|contact|env[ií]|mand)\\w+(?= .*(?:más|mas|correos?|e-?mails?|mensajes))|no (?:quiero|deseo) (?:recibir )?más)',
    'por favor de su sus la lista listas correo correos base datos más mas quiero quisiera solicito deseo favor gracias me a mi e-mail email emails e-mails mensajes mensaje ningún recibir ya nunca',
  ],
  [
    '(?:descadastr\\w+|cancelar (?:minha |a )?inscrição|(?:remov|retir|exclu)\\w*-me|me (?:remov|retir|exclu)\\w+|(?:remov|retir|exclu)\\w+ (?:o )?meu (?:e-?mail|contato|contacto|nome)|não (?:me |nos )?(?:contacte|contate|escreva)m?|não (?:me |nos )?(?:envie|mande)m?(?= .*(?:mais|e-?mails?|mensage))|não (?:quero|desejo) (?:mais )?receber|sair da lista)',
    'por favor da de sua suas vossa lista base dados mais e-mails emails e-mail email mensagens mensagem quero obrigado obrigada me nos nada o a os',
  ],
  [
    '(?:cancell(?:atemi|ami|azione)|disiscri\\w+|(?:rimuov|togli)(?:etemi|imi|mi|etermi)|(?:rimuovere|cancellare) (?:il mio|la mia) \\S+|non (?:scriv|contatt)\\w*(?:mi|ci)|non (?:invi|mand)\\w*(?:mi|ci)(?= .*(?:più|mail|messaggi))|non voglio più ricevere)',
    'per favore vi prego di si prega vostra sua dalla dal lista mailing list database più e-mail email mail messaggi grazie altre altri il mio la mia indirizzo da questa',
  ],
  [
    '(?:uitschrijven|afmelden|uit te schrijven|schrijf (?:mij|me) uit|(?:verwijder|haal) (?:mij|me|ons|mijn (?:gegevens|adres|e-?mail\\w*))|geen (?:mails?|e-?mails?|berichten) meer)',
    'graag gelieve aub a.u.b alstublieft wil ik mij me mijn ons van uit de uw jullie deze lijst mailinglijst maillijst bestand database nieuwsbrief sturen ontvangen bedankt te willen wilt u',
  ],
  [
    '(?:avregistrera|avprenumerera|avsluta prenumerationen|ta bort (?:mig|oss|min (?:adress|mejl|e-post))|sluta (?:mejla|maila|skicka|kontakta)|(?:af|av)meld(?:e|ing)?|meld (?:meg|mig) (?:av|af|fra)|(?:fjern|slet|slett) (?:meg|mig|os|oss|min (?:adresse|e-post|mail))|inga fler (?:mejl|mail)|ikke (?:flere|mere) (?:mails?|e-post)|peruuta (?:tilaus|tilaukseni)|poist(?:a|akaa) (?:minut|meidät|osoitteeni)|lopettakaa|älkää lähettäkö)',
    'vänligen snälla tack venligst vennligst takk tak gerne mig meg oss os till til fra från er din din deres jeres lista listan listen liste listalta listaltanne mejl mail mails e-post jag jeg vill vil kiitos pois mer mere viestejä sähköpostia enää minulle',
  ],
  [
    '(?:wypisać|wypisanie|wypisz|wypiszcie|usunąć|usunięcie|usuńcie|usuń)(?= (?:mnie|nas|mój|moje|@|z (?:listy|bazy|subskrypcji)))|(?:odsubskryb\\S*|rezygnuję z (?:subskrypcji|newslettera)|nie (?:pisać|piszcie|wysyłać|wysyłajcie|kontaktować))',
    'proszę prosze o mnie nas mój moje adres dane e-mail mail @ z ze listy mailingowej bazy waszej państwa swojej subskrypcji newslettera więcej już do mi się ze mną dziękuję maili wiadomości',
  ],
  [
    '(?:отпи(?:шите|сать|сывайте|саться)|(?:удалите|удалить|уберите|исключите)(?= (?:меня|нас|мой|мою|мои|наш|@))|отмен(?:а|ить) подписк[аиу]|не (?:пишите|присылайте|беспокойте))',
    'пожалуйста прошу меня нас мне нам мой мою мои наш адрес почту данные @ из от с вашей вашего базы рассылки рассылок списка больше никогда писем письма спасибо хочу и',
  ],
  [
    '(?:abonelikten (?:çık\\S*|ayrıl\\S*)|(?:beni )?listeden çıkar\\S*|beni listenizden çıkar\\S*|mail (?:atmayın|göndermeyin)|odhl[aá](?:sit|ste)|leiratkoz\\S*|töröljenek|dezabon\\S+|διαγρα(?:φή|ψτε με)|отпишіть|відпишіть)',
    'lütfen bana artık bir daha prosím mě me se z odběru kérem a listáról vă rog mă din lista παρακαλώ από τη λίστα будь ласка мене',
  ],
]

const requestPatterns = requests.map(([request, around]) => ({
  request: new RegExp(`(?<![\\p{L}\\d])(?:${request})(?![\\p{L}\\d])`, 'gu'),
  around: new Set(around.split(' ')),
}))

/** Single words that suffice when only polite words surround them. */
const oneWordRequest =
  /^(?:please |pls |bitte |svp |por favor )?(?:stop|stopp|remove|cancel|quit|end|baja|remover|peruuta|λήξη)(?: (?:it|now|please|thanks|thank you|bitte|svp))?$/

/** Requests in languages without spaces. */
const unspacedRequest =
  /^(?:メール(?:の)?|今後の?|请|請|이메일 ?)?(?:(?:配信|購読|登録)(?:の|を)?(?:停止|解除|削除)|退订|退訂|取消订阅|取消訂閱|(?:不要再|勿再)(?:给我|給我|向我)?(?:发|發|发送|發送|寄|联系|聯繫)\S{0,6}|수신 ?거부|구독 ?(?:취소|해지))(?:を|して)? ?(?:お願い(?:いた)?します|希望します|ください|下さい|합니다|해 ?주세요|부탁드립니다|谢谢|謝謝)?$/

const politeness =
  /^(?:hi|hello|hey|dear|thanks?|thank you|thx|cheers|hallo|guten tag|sehr geehrte|danke|vielen dank|bonjour|merci|hola|gracias|olá|obrigad[oa]|ciao|buongiorno|grazie|hoi|beste|bedankt|dank|hej|tack|takk|tak|dziękuję|dzień dobry|спасибо|здравствуйте|добрый день|teşekkürler|děkuji)(?: \S+){0,5}$|^(?:please|bitte|por favor|per favore|s'il vous plaît|svp|alstublieft|proszę|пожалуйста|lütfen|asap|immediately|now|sofort|(?:no|nein|non|não|nee|nej|nei|nie|нет)(?: (?:thanks|thank you|danke|merci|gracias|obrigad[oa]|grazie|bedankt|tack|takk|tak|dziękuję|спасибо))?)$/
/** Closings, above the sender's name. */
const closing =
  /^(?:(?:kind|best|warm|many)?\s*regards|best(?: wishes)?|sincerely|cheers|thanks|thank you|mfg|(?:mit )?(?:freundlichen|besten|vielen|viele|beste|schöne)\s*(?:grüße|grüßen|gruß)|gruß|cordialement|bien à vous|saludos|atenciosamente|(?:cordiali|distinti)\s*saluti|saluti|groet(?:en|jes)?|met vriendelijke groet|mvh|hälsningar|pozdrawiam|с уважением)$/
/** Reasons for the request. */
const noInterest =
  /^(?:(?:sorry|we|i|i'm|am|are|we're|wir|ich|je|nous|no|io) ){0,3}(?:not|kein\w?|haben kein|habe kein|(?:ne )?(?:suis|sommes) pas|pas|no (?:me|nos|estoy|estamos)|não (?:tenho|estou|temos)|non (?:sono|siamo|mi)|geen|inte|ikke|nie (?:jestem|jesteśmy)|не|нам не|мне не) ?(?:\S+ )?(?:inter\S+|intér\S+|intress\S+|zainteres\S+|интерес\S+)(?: .{1,40})?$|^this is spam$|^i (?:never|did not|didn't) (?:sign(?:ed)? up|subscribed?|ask(?:ed)?)(?: for)?(?: this| that| it)?$/

/** Returns the request when a short text says nothing else; undefined otherwise. */
export function findOptOutRequest(newText: string): string | undefined {
  if (newText.length > maxLength) return undefined
  const lines = newText
    .replace(/[^\s<>@,;:]{1,64}@[\w.-]{1,200}\w/g, '@')
    .split('\n')
    .map(line => line.trim().replace(/[’`]/g, "'"))
  const end = lines.findIndex(line => closing.test(line.toLowerCase().replace(/[\s,.!]+$/, '')))
  const clauses = lines.slice(0, end === -1 ? undefined : end).flatMap(splitClauses)
  const requestIndex = clauses.findIndex(isRequest)
  if (requestIndex === -1) return undefined
  const isRestPolite = clauses.every(
    (clause, at) => isRequest(clause) || isPolite(clause) || (at > requestIndex && isName(clause)),
  )
  return isRestPolite ? clauses[requestIndex]!.toLowerCase() : undefined
}

const splitClauses = (line: string): string[] =>
  line
    .split(/[.!?;,:]+(?=\s|$)|[。！？、，]+|\s[–—-]+\s/)
    .map(clause => clause.replace(/^[\s"'*_~()<>-]+|[\s"'*_~()<>-]+$/g, '').replace(/\s+/g, ' '))
    .filter(clause => clause !== '')

function isRequest(clause: string): boolean {
  const text = clause.toLowerCase()
  if (oneWordRequest.test(text) || unspacedRequest.test(text)) return true
  return requestPatterns.some(({ request, around }) => {
    const rest = text.replace(request, ' ')
    return rest !== text && rest.split(' ').every(word => word === '' || around.has(word))
  })
}

const isPolite = (clause: string): boolean =>
  [politeness, closing, noInterest].some(pattern => pattern.test(clause.toLowerCase()))

/** Returns true for names, titles and numbers below the request. A further sentence would have lower-case words. */
const isName = (clause: string): boolean => {
  const words = clause.split(' ')
  return words.length <= 4 && (words.length === 1 || words.every(word => !/^\p{Ll}/u.test(word)))
}
