import type { BounceClass } from './diagnosis.ts'

export type ReasonPhrases = { class: BounceClass; reason: string; phrases: RegExp[] }

/**
 * Phrases of servers, the most specific first. They match text in lower case on one line, with addresses, URLs and IP
 * addresses replaced by `@`, `url` and `ip`. Gaps are bounded, because the text is hostile.
 */
export const specificPhrases: ReasonPhrases[] = [
  {
    class: 'soft',
    reason: 'mailbox full',
    phrases: [
      /quota(?!t)|exceed\S* .{0,40}(?:storage|mailbox|disk|allocation|receiving limits)|exceeded the local limit|space has been used up/,
      /(?:mail ?box|maildrop|inbox|account|user|@>?|recipient|mail ?dir|folder|message store|box)\S? .{0,40}(?:is|was|are|currently|too|almost) full\b/,
      /full mail ?box|mail ?box (?:is )?full|mail ?box size limit|out of (?:disk |storage |mail )?(?:space|quota)|disk (?:is )?full|mail ?box exceeds/,
      /(?:insufficient|not (?:have )?enough|no) (?:\S+ ){0,2}(?:storage|space|disk)|too many (?:messages|mails) (?:in|for)|storage (?:limit|allocation|full)/,
      /(?:postfach|mailbox|speicher) .{0,30}voll|speicherplatz|(?:bo[iî]te|compte|messagerie) .{0,40}pleine?\b|(?:buzón|casilla) .{0,30}llen[oa]|casella .{0,30}piena|caixa .{0,40}chei[ao]|(?:mailbox|postvak) .{0,30} vol\b|skrzynka .{0,30}pełna|(?:brevlåd|postkass|postboks|innboks)\S* .{0,30}full|переполнен|квота|満杯|一杯|容量|已滿|已满|空间不足|가득|용량/,
    ],
  },
  {
    class: 'soft',
    reason: 'message too large',
    phrases: [
      /(?:message|mail|content|body|attachment)s? (?!mime)(?:.{0,39} )?(?:too (?:big|large|long)|larger than|exceed\S* .{0,40}(?:size|length|limit|maximum))/,
      /(?:message|mail) (?:size|length) .{0,20}(?:exceed|limit|large|big)|(?:size|length) (?:limit )?exceed|size limit|exceed\S* .{0,20}(?:message|mail) size|maximum (?:allowed )?(?:message |mail )?size|file too large/,
    ],
  },
  {
    class: 'unknown',
    reason: 'delivery program failed',
    phrases: [
      /x-unix;|command (?:died|line usage)|mailer error|child (?:exit )?status|"\||\bprocmail\b|pipe to \||delivery agent(?! at\b)|returned (?:a )?non-?zero/,
    ],
  },
  {
    class: 'unknown',
    reason: 'malformed message',
    phrases: [
      /duplicate header|header size exceeds|improper use of 8-?bit|mime (?:complexity|headers)|improperly-formatted|unnecessary base64|unsupported conversion|8-bit data in header|content type not supported/,
    ],
  },
  {
    class: 'policy',
    reason: 'relaying denied',
    phrases: [
      /rel+ay(?:ing)? .{0,30}(?:denied|prohibited|not |disabled|refused|restricted|forbidden)|(?:not|no|unable to|insecure|unauthori[sz]ed|open|cannot|without|deny|mail) (?:\S+ ){0,3}relay/,
      /list of (?:allowed )?rcpthosts|we don't relay|smtp relay error|isn't in my list of allowed|not a gateway\b/,
    ],
  },
  {
    class: 'policy',
    reason: 'sender not authenticated',
    phrases: [
      /\b(?:spf|dmarc|dkim|sender ?id|domainkeys)\b.{0,80}(?:fail|reject|record|polic|not |den[iy]|block|error|valid|requir|align|setting|check)/,
      /(?:fail|reject|violat|unauthenticated|not|per|pass).{0,80}\b(?:spf|dmarc|dkim|sender ?id)\b|unauthenticated (?:e-?mail|mail) from|turn on (?:smtp )?authentication|must authenticate|requires authentication|\b(?:ofr|lpn)\w{0,6}_(?:305|40[125])\b/,
    ],
  },
  {
    class: 'policy',
    reason: 'reverse DNS required',
    phrases: [
      /reverse (?:dns|lookup|address|host|mapping|record)|\bptr\b|\brdns\b|fcrdns|mismatch\S* (?:client )?ip|(?:helo|ehlo) (?:command |host |name )?rejected/,
      /(?:cannot|could not|unable to|can't|couldn't) (?:find|resolve|get|determine|look ?up) (?:your|the client) .{0,30}(?:host|ip|name|address)|client host(?:name)? .{0,20}cannot (?:be )?f(?:i|ou)nd|without a valid sender domain/,
    ],
  },
  {
    class: 'soft',
    reason: 'rate limited or greylisted',
    phrases: [
      /gr[ea]y-?list|frequency limited|messaging limits|server busy|\bhops?\b.{0,20}exceeded|(?:too many|number of) hops|receiving mail (?:at a rate|too quickly)|too many (?:simultaneous |concurrent |smtp )*(?:connections|sessions|recipients)|connection (?:rate )?limit|\b(?:ofr|lpn)\w{0,6}_104\b|rate limit(?:ed)? exceeded|throttl(?:ed|ing)|exceeded the max emails per/,
    ],
  },
  {
    class: 'policy',
    reason: 'sender refused',
    phrases: [
      /\bsender (?:domain )?must |\bsender verif\S* fail|blocked sender|\bsenders?\b.{0,60}(?:reject|refus|denied|invalid|not (?:allowed|accept|permitted|valid|exist|verif|found|authori|a member)|does ?n[o']t (?:exist|have)|has no|unknown|undeliverable|blocked|disallowed|forged)/,
      /(?:rejected|refused|denied|invalid|bad|unknown|unrout\S*|unverified|unresolvable|unauthori[sz]ed|verify|unauthenticated|illegal|fake|forged) (?:the )?(?:e-?mail )?(?:sender|senders|envelope|return.path|source)\b|domain of sender|purported responsible|\bbatv\b|backscatter/,
      /permission to (?:post|send)|not allowed to (?:post|send)|only accepts? (?:messages|mail) from|groups\.google|mail from @? ?(?:rejected|refused|denied|not)/,
      /non-?members?\b|members?-only|not member article|not pre-?approved|badsendermx|sendernoa|senderfilterconfig|valid-address-filter|emetteur invalide|empty (?:envelope|e-?mail address)|from: domain is invalid|fully qualified (?:e-?mail )?address required|outgoing mail suspen|registered gateway user|returned mail not accepted|different address or alias|sender domain is|dead domain|reject\w{0,3} mail from @|does not accept mail from @?|access to submit messages/,
    ],
  },
  {
    class: 'unknown',
    reason: 'account closed or suspended',
    phrases: [
      /(?:account|mail ?box|user(?:\(s\))?|recipient|inbox)\S{0,3} (?:@ )?(?:is |was |has been |are |currently |temporarily |temporary |that you tried to reach is ){0,3}(?:disabled|suspended|locked|frozen|deactivated|blocked (?:for|due to) inactivity)/,
      /(?:disabled|suspended|deactivated|locked|inactive) (?:recipient|account|mail ?box|user)|invalid\/inactive user|suspend the service|temporar\w+ locked|administrat\w* disabled|vdelivermail: account is|boite du destinataire archivee|account (?:has )?expired|mail ?box unavailable or access denied|extended inactivity/,
    ],
  },
  {
    class: 'unknown',
    reason: 'refused by the recipient',
    phrases: [
      /recipient preferences|due to recipient|user (?:refuse|reject|does not want)|(?:refused|blocked) by (?:the )?recipient|resolver\.rst\.not ?authorized|only accepting mail from|account is protected by|not accepting any mail|due to user rules|not found recipient account|sms e-?mail|refuse to receive/,
    ],
  },
  {
    class: 'hard',
    reason: 'moved',
    phrases: [
      /(?:user|recipient|mail ?box|account|@>?) (?:has |is |have )?moved|has been replaced by @|mail ?box owner has changed|address (?:has )?changed|recipient no longer on|no longer (?:at|with) |not our customer/,
    ],
  },
  {
    class: 'hard',
    reason: 'domain accepts no mail',
    phrases: [
      /null ?mx|indicated no smtp service|malformed (?:or unexpected )?name server reply|(?:domain|host|server|system|@>?) .{0,40}does(?: no|n')t (?:accept|receive) (?:any )?(?:e-?)?mail|couldn't find a mail exchanger or ip|no mail exchanger|does not accept (?:any )?mail|smtp protocol returned a permanent error(?! [45]\d\d)/,
    ],
  },
  {
    class: 'hard',
    reason: 'unknown host',
    phrases: [
      /host (?:or domain name )?(?:is )?(?:not found|unknown)|unknown (?:host|domain|mail domain)|(?:domain|host)(?: name)? [^:;]{0,40}(?:not found|does ?n[o']?t exist|unknown|not exist|invalid)|no such (?:domain|host)|no mx record|mx records point to non-?exist|returned answer with no data|unrout?e?able (?:mail )?(?:domain|address)|domain (?:is not reachable|must exist)|name or service not known|nxdomain/,
      /(?:couldn't|could not|cannot|can't|unable to) find any host|all host address lookups failed permanently|bad (?:destination )?(?:system|host|domain)|couldn't be found or is misspelled|dns domain .{0,60}does not exist|illegal host|name server: .{0,40}not found/,
    ],
  },
  {
    class: 'hard',
    reason: 'unknown user',
    phrases: [
      /unknown (?:or illegal )?(?:user|recipient|address|account|local|alias|e-?mail|mail ?box|sub)|(?:user|recipient|account|mail ?box|address|alias|local[ -]part|person|adresse|benutzer|@>?)\S{0,3} .{0,60}(?:unknown|not known|unbekannt|inconnu|desconocid|неизвест)/,
      /no such (?:\S+ ){0,2}(?:user|recipient|mail ?box|address|person|account|name|alias|here|inbox|e-?mail|list|group)|no (?:\S+ ){0,2}(?:user|mail ?box|account|recipient|address|person|one) .{0,30}(?:here|by that name|with that name|found|exist|available)/,
      /(?:user|recipient|mail ?box|account|address|alias|addressee|member|group|@>?|e-?mail|name|id|inbox)\S{0,3} .{0,80}(?:does ?n[o']t|not|no longer|do not|doesnt) (?:\S+ )?(?:exist|found|listed|registered|valid|recogni[sz]ed|active here|be found|have an? )/,
      /(?:mail ?box|account|addressee|recipient)s? (?:<?@>? )?(?:is |was |are |has been )?(?:currently )?(?:unava\S{1,3}ble|invalid|not (?:present|local|ok|accepted|known|correct)|undeliverable|denied)|address (?:is )?(?:invalid|not present|incorrect)|not (?:an )?e-?mail address(?:es)?|recipients? (?:address(?:es)? )?rejected ?: (?:access denied|invalid|unknown|user)|rejected recipients?|can't accept user|recipient refuses/,
      /not an? (?:\S+ )?(?:valid|known|registered|local|existing|active|current|working) .{0,20}(?:user|mail ?box|account|address|recipient|customer|member|e-?mail)|(?:invalid|non-?existent|nonexist\S*|bad|illegal|undeliverable|incorrect|deactivated) (?:\S+ )?(?:user|recipient|address|mail ?box|account|final|destination|e-?mail|local|forward|name|alias)/,
      /(?:user|account|recipient)s? (?:\S+ )?not exist|user path no exist|(?:user|recipient) (?:<?@>? )?(?:not ok\b|not a member of|cannot be verified)|wrong (?:user|recipient|address)|marked as invalid|not (?:listed|found) in .{0,30}(?:directory|address book|domino|table|list)|unknown in .{0,30}table|couldn't find (?:the )?(?:user|recipient)|isn't a (?:valid|known)|(?:has|have) (?:left|no mail ?box)|bad(?:rcpt|recipient)to|bad[-_ ]recipient|validrcptto|no valid recipients|no one at this|no longer accepts? mail|missing home dir|in name directory|virtual user|p=nosuchuser|bad-mailbox|\b(?:ofr|lpn\d{0,6})_41[68]\b|answer=6596|mailnotfound|存在しません|見つかり|宛先.{0,20}(?:不明|ありません)|不存在|ist nicht bekannt|utilisateur inconnu|destinataire (?:inconnu|invalide)|nessun utente|sconosciut[oa]|destinatario errato|inesistente|nie istnieje|nie ma takiego|no such mail ?drop|no matches to nameserver query|not have a final e?mail delivery point|address couldn't be found\. check for typos|unrecogni[sz]ed.?o\/?r.?name|doesn't handle mail for|address_not_found|recipient not allowed|usuario (?:desconocido|no existe)|onbekende gebruiker|existiert nicht|n'existe pas|no existe|non esiste|inexistente|inexistant|kein (?:konto|postfach|benutzer)|okänd mottagare|ukjent mottaker|ukendt modtager|neznámý uživatel|böyle bir kullanıcı|존재하지 않|없는 (?:계정|사용자)|não existe|не существует|не найден|нет такого/,
    ],
  },
  {
    class: 'unknown',
    reason: 'virus',
    phrases: [/(?<!spam\/)\bvirus|infected|malware|trojan|\bworm\b|virii/],
  },
  {
    class: 'policy',
    reason: 'rejected as spam',
    phrases: [
      /\b(?:ofr|lpn\d{0,6})_50\d\b|\bdt:spm\b|\b(?:anti-?)?spam(?:my|mer|ming|trap|cop|like|iness|assassin|verdacht)?\b|unsolicited|\bu[bc]e\b|\bjunk\b|\bbulk\b|phish|cloudmark/,
      /content (?:was |is )?(?:reject|den|block|refus|restrict)|(?:content|mail|message|by our) filter|message filtered|(?:reject\S*|mail|message) (?:mail |message )?content|pattern detection|listed (?:in|at) |our system has detected|(?:denied|rejected|refused|blocked) .{0,30}(?:content|spam)/,
    ],
  },
  {
    class: 'policy',
    reason: 'blocked or bad reputation',
    phrases: [
      /black ?-?list|block ?-?list|deny ?-?list|\b(?:rbl|dnsbls?|sbl|xbl|pbl|cbl|sorbs|spamhaus|spamcop|barracuda|senderbase|senderscore|uceprotect)\b|reputation|\bbanned\b|dial-?up|dynamic (?:ip|addr|host)/,
      /blocked (?:using|by|for|from|due|because|see|-|\(|list|ip)|(?:is|been|was|are|were|temporarily|permanently|currently) block(?:ed|ing)|message blocked|block(?:ed|ing) (?:your|this|mail|messages)/,
      /(?:client|helo|ehlo|connection|\bip\b|network|you|mta|your (?:host|server))\S{0,3} .{0,30}(?:rejected|banned|barred|not welcome|not allowed|refused by|denied|disallowed)/,
      /(?:messages?|mail) from ip .{0,40}(?:weren't|not|defer|refus|reject|block)|user complaints|unexpected volume|access denied|too many (?:spam|complaint)|refused to talk|invalid helo|bad helo|e-?mail is redundant|access from .{0,40}blocked|no access from|not (?:currently )?accept\S* mail from|confirm this mail|requires confirmation|\bgo away\b|smtp server of your isp|open proxy|unresolvable relay|forward dns entry|invalid ip for sending|server access .{0,60}forbidden by|listed as abusive|unverifyable sending ip|\b(?:ofr|lpn)\w{0,6}_(?:103|510)\b/,
    ],
  },
  {
    class: 'unknown',
    reason: 'account closed or suspended',
    phrases: [
      /(?:user|account|mail ?box|recipient|address|@>?|domain|inbox)\S{0,3} [^.]{0,60}(?:disabled|suspended|inactive|deactivated|locked|frozen|discontinued|closed|on hold|not active|terminated|cancell?ed|out of service|not activated)|is now disabled|(?:disabled|suspended|inactive|locked|closed) .{0,20}(?:user|account|mail ?box|recipient|address)|no longer (?:active|in use|available|valid|in service)|vdelivermail: account is|temporarily .{0,20}(?:disabled|limited)|on ?hold/,
    ],
  },
  {
    class: 'unknown',
    reason: 'refused by the recipient',
    phrases: [/filter(?:ed|ing|s)?\b|does not like recipient/],
  },
]

/** Used only when neither the phrases above nor a status code matches. */
export const fallbackPhrases: ReasonPhrases[] = [
  {
    class: 'hard',
    reason: 'unknown user',
    phrases: [
      /recipient (?:address )?rejected\.?(?: ?\(in reply|$)|(?:does(?: not|n't) exist|not exists?)\b/,
    ],
  },
  {
    class: 'policy',
    reason: 'policy',
    phrases: [
      /polic(?:y|ies)|security (?!suite|appliance|gateway|software)|prohibit|(?:not|un) ?-?authori[sz]ed|unauthenticated|authentication required|auth ?required|not permitted|restricted|require\S* .{0,20}(?:tls|authentic)|tls required/,
      /(?:authenti\S+|verification) (?:fail|required|requise|turned|credentials|invalid)|illegal attachment|attachments?\b|embedded images|multiple addresses|executable|members?[- ]only|not subscribed|closed mailing list|captcha|mass mailer|protocol violation|organi[sz]ational|low priority|dead domain/,
      /rfc ?\d{3}|non-?complian|multiple .{0,40}from:? header|(?:missing|invalid|no|malformed) .{0,15}(?:header|message-id)\b|headers? (?:error|are not)|access (?:is )?denied|not accept\S* .{0,20}from/,
    ],
  },
  {
    class: 'soft',
    reason: 'network',
    phrases: [
      /time(?:d)?[ -]?out|expired|too (?:old|long in)|(?:connection|conversation) .{0,40}(?:refused|reset|lost|closed|dropped|timed|failed|aborted|broken)|lost connection|(?:no route|not reachable|unreachable)|network|too many (?:hops|received)|loop|duplicated message-id|retry|deferred|delay|try again|temporar|not (?:be )?(?:connect|contact)|(?:could not|did not accept .{0,30}) ?(?:connect|contact)|giving up|deliver\S* .{0,20}attempts|socket error|undelivered for|for (?:more than|at least|the past|over)? ?\d+ minute|\d (?:hour|day)|connect to|in the queue|still being retried|numerous attempts|could not be found|(?:resolve|find) (?:a )?(?:route|gateway)|not respond|failing for a long time/,
    ],
  },
  {
    class: 'soft',
    reason: 'server busy or broken',
    phrases: [
      /too many|rate limit|limit exceeded|too (?:fast|busy|much)|system (?:error|failure|resources|load)|local (?:error|configuration)|internal (?:server |system )?error|resources|service (?:currently |temporarily )?(?:unavailable|not available)|overload|server (?:error|busy|configuration)|ldap|out of memory|i\/o error|config(?:uration)? error|misconfigured|can't create|could not (?:load|open|write)|interrupted|encountered an error|queue file|delivery to (?:file|pipe) forbidden|local delivery failed|lmtp error|trop de connexions|system full|slower/,
    ],
  },
]
