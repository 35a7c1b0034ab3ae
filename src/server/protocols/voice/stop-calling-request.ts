// English words that several of the requests below share.
const doNot =
  "(?:(?:do|must|should) not|not to|to not|don't|dont|never)(?: want (?:you|anyone|anybody)| you)?(?: to)?"
const call = '(?:call|ring|phone|contact)(?:ing)?'
const again = '(?:again|any ?more)(?! (?:before|until|till|this|next|today|tomorrow))'
const clauseEnd = '(?=[.,;!]|$)'
const me = '(?:me|us|(?:my|our|this) (?:(?:phone|telephone|mobile|cell) )?(?:number|name))'

/** Requests to stop calling, grouped by language. Other words around them don't matter. */
const requests = [
  // English, excluding "don't call me before ten" and "stop calling it that".
  `${doNot} (?:ever )?${call}(?: (?:${me}|here|back))*(?: ever)? ${again}`,
  `${doNot} (?:ever )?${call} (?:${me}|here)${clauseEnd}`,
  `(?:don't|dont|not|never)(?: want| wish)? to (?:ever )?be (?:called|rung|phoned|contacted)(?: here)?(?: ${again}|${clauseEnd})`,
  '(?:stop|quit) (?:calling|ringing|phoning|contacting|bothering)(?= (?:me|us|here|this number|my|our|please|now|and)|[.,;!]|$)',
  'stop (?:with )?(?:all )?(?:the|these|those|your|all) (?:phone )?calls',
  `(?:take|get) ${me} (?:off|out of|from) (?:of )?(?:your|the|this|that|any)|(?:remove|delete|erase) ${me}`,
  '(?:be|get|number|name) (?:taken|removed|deleted|erased) (?:off|out of|from) (?:of )?(?:your|the|this|that|any|all) (?:\\S+ ){0,2}(?:lists?|database|system|records)',
  `(?:put|place|add) ${me} (?:on|to) (?:your|the) (?:do[ -]not|don't)[ -]call|(?:do[ -]not|don't)[ -]call (?:list|registry)`,
  "opt (?:me |us )?out|no more (?:phone )?calls|lose (?:my|this) number|leave (?:me|us) alone|(?:do not|don't|dont) want (?:to (?:get|receive) )?(?:any (?:more )?|more |these |your )?(?:of )?(?:these |your )?(?:phone )?calls",
  // German
  '(?:rufen sie|ruf|ruft)(?: (?:mich|uns|hier|da|bitte))* (?:nicht|nie)(?: (?:mehr|wieder|noch ?mal|nochmals))+ an|(?:nicht|nie) (?:mehr|wieder) (?:angerufen|anzurufen|anrufen)|hören sie auf,? .{0,30}anzurufen|keine (?:weiteren )?anrufe(?: mehr)?(?=[.,;!]|$)',
  '(?:streichen|nehmen|löschen|entfernen) sie (?:bitte )?(?:mich|uns|meine nummer|diese nummer)(?! (?:ernst|mit|beim))',
  // French
  "ne (?:me |nous |m')?(?:rappelez|appelez|rappelle|appelle|téléphonez|contactez) (?:plus|jamais)|ne plus (?:me |nous |m'|être )?(?:rappeler|appeler|appelée?s?|téléphoner|contacter|contactée?s?)|(?:arrêtez|cessez) (?:de |d')(?:m'|me |nous )?(?:appeler|téléphoner|contacter|harceler)|(?:retirez|enlevez|supprimez|effacez|rayez)[- ](?:moi|nous|mon numéro|ce numéro)|ne (?:veux|souhaite|voulons|souhaitons) plus (?:être (?:appelé|contacté)e?s?|recevoir d'appels)|plus (?:jamais )?d'appels",
  // Spanish
  '(?:no|nunca) (?:me |nos )?(?:vuelva[ns]?|vuelvas) a (?:llamar|contactar)|(?:no|nunca) (?:me |nos )?(?:llame[ns]?|contacte[ns]?) (?:más|mas|nunca|otra vez)|(?:dejen?|paren?|deja) de (?:llamar|molestar)\\w*|(?:quit|borr|elimin|saqu|sáqu)\\w* (?:mi|este) número|(?:bórre|quíte|elimíne|sáque)n?(?:me|nos)(?! (?:una|la|el|un) )|no (?:quiero|queremos|deseo) (?:recibir )?más llamadas',
  // Portuguese
  'não (?:me |nos )?(?:ligue|liguem|ligues|telefone|telefonem|contacte|contactem|contate|contatem) (?:nunca )?(?:mais|outra vez|de novo)|não (?:volte|voltem|voltes) a (?:me |nos )?(?:ligar|telefonar|contactar)|(?:parem?|deixem?) de (?:me |nos )?(?:ligar|telefonar|incomodar)|(?:remova|retire|tire|apague|exclua)m? (?:o )?(?:meu|este) (?:número|telefone)|não quero (?:receber )?mais (?:chamadas|ligações|telefonemas)',
  // Italian
  'non (?:mi |ci )?(?:ri)?(?:chiam|telefon|contatt)\\w* (?:mai )?(?:più|ancora)|(?:smett\\w+|basta) (?:di |con le )?(?:chiam|telefon|contatt)\\w*|(?:cancell|tolg|togli|rimuov|elimin)\\w* (?:il mio|questo) numero|non (?:voglio|vogliamo) (?:più )?(?:essere (?:ri)?chiamat\\w|ricevere (?:altre )?(?:chiamate|telefonate))',
  // Dutch
  'bel(?:t|len)?(?: (?:u|je|jullie|mij|me|ons|hier|alstublieft))* (?:niet|nooit) (?:meer|weer)|(?:niet|nooit) meer (?:gebeld|bellen|te bellen)|(?:stop|hou(?:dt?)? op) met (?:mij |me |ons )?(?:te )?bellen|(?:verwijder|schrap|haal) (?:mij|me|ons|mijn nummer|dit nummer)',
  // Swedish, Danish, Norwegian
  'ring (?:inte|aldrig|ikke|aldri)(?: (?:till|til|mig|meg|oss|os|hit|her))* (?:igen|igjen|mer|mera|mere|flere gange)|ring (?:mig|meg|oss|os|hit) (?:inte|aldrig|ikke|aldri) (?:igen|igjen|mer|mera|mere)|(?:sluta|slut med|slutt å|slutt med|stop med|hold op med)(?: at| å)? ring\\w*|(?:ta bort|fjern|slet|slett) (?:mig|meg|oss|os|mitt nummer|mit nummer|nummeret mitt|numret)',
  // Polish
  '(?:proszę )?(?:więcej|już|nigdy)(?: \\S+){0,3} nie dzwo\\S+|nie dzwo\\S+(?: \\S+){0,3} (?:więcej|już|nigdy)|przesta\\S+(?: \\S+){0,2} dzwonić|(?:usu[nń]\\S*|wykreśl\\S*) (?:mnie|nas|mój numer|ten numer)',
]
const requestPattern = new RegExp(`(?<![\\p{L}\\d])(?:${requests.join('|')})(?![\\p{L}\\d])`, 'iu')

/** Bounds the work on untrusted text. A spoken turn is far shorter. */
const MAX_LENGTH = 10_000

/** Reports whether the speaker asks not to be called again. Ambiguous wording counts as a request. */
export const asksToStopCalling = (text: string): boolean =>
  requestPattern.test(
    text.slice(0, MAX_LENGTH).normalize('NFC').replace(/[’`]/g, "'").replace(/\s+/g, ' ').trim(),
  )
