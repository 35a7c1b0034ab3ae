/** The stage of the SMTP session at which a server refused an email, according to the reporting program. */
export type RefusalStage = 'connection' | 'sender' | 'recipient' | 'message'

const after = `(?:in (?:reply|response) to|after(?: pipelined)?|during|(?:remote|other) (?:mail )?server for|server response to|smtp command|did not like our) (?:the |smtp )?`
// A command in a transcript counts only if a refusal follows it.
const refused = String.raw`.{0,160}?(?:<<<|received >>>) ?[45]\d\d`
const sent = '(?:>>>|sent <<<) ?'

/**
 * Patterns of Postfix, Exim, Sendmail, qmail, DragonFly, Gmail, Yahoo, Sun Messaging Server, IMail and others, the most
 * reliable first. With pipelining, a reply may be quoted under a later command than the refused one; such cases stay
 * undecided.
 */
const signs: [RefusalStage, RegExp][] = [
  [
    'recipient',
    /rcpt first|remote smtp server has rejected address|does not like recipient|smtp:rcpt|rcpt to generated following response|most progress was rcpt|\[rcpt_to\]|\(state 14\)/,
  ],
  ['recipient', new RegExp(`${after}rcpt\\b|${sent}rcpt to${refused}`)],
  [
    'message',
    /failed after i sent the message|smtp:data|\(state 1[578]\)|smtp transmission failure has occurred|(?:data command|body of message) generated response|most progress was data|\[data\]/,
  ],
  [
    'message',
    new RegExp(
      `${after}(?:end of )?(?:data|text|message|mail content|bdat)\\b|end of data|${sent}(?:data|\\.)${refused}`,
    ),
  ],
  ['sender', /but sender was rejected|server rejected mail from address|smtp:mail\b|\[mail_from\]/],
  ['sender', new RegExp(`${after}mail\\b|${sent}mail from${refused}`)],
  [
    'connection',
    /but greeting failed|but connection died|but my name was rejected|unexpected (?:connection )?response (?:from server|to ehlo)|i wasn't able to establish an smtp connection/,
  ],
  [
    'connection',
    new RegExp(`${after}(?:ehlo|helo|initial connection|banner|greeting)|${sent}(?:ehlo|helo)${refused}`),
  ],
  // Sendmail and its relatives repeat the address in the reply to RCPT.
  ['recipient', /\b[45]\d\d[ -]<?@>?\.\.\. /],
]

/** Finds the stage that a line of lower-case text names; returns undefined when it names none. */
export const findRefusalStage = (text: string): RefusalStage | undefined =>
  signs.find(([, pattern]) => pattern.test(text))?.[0]
