import type { BounceClass } from '../../../src/server/protocols/mail-reading/bounce/diagnosis.ts'

/** An invented plain-text bounce in the format and language of a server. */
type Notice = { server: string; class: BounceClass; from?: string; subject: string; text: string }

const to = 'bob@bone.example'

const notices: Notice[] = [
  {
    server: 'Exchange 5.5',
    class: 'hard',
    from: 'System Administrator <postmaster@bone.example>',
    subject: 'Undeliverable: A demo for you',
    text: `Your message\n\n  To:      ${to}\n  Subject: A demo for you\n\ndid not reach the following recipient(s):\n\n${to} on Mon, 5 May 2025 10:00:09 +0000\n    The recipient name is not recognized\n    MSEXCH:IMS:Bone:HQ:MX 0 (000C05A6) Unknown Recipient`,
  },
  {
    server: 'Exchange 2003',
    class: 'hard',
    subject: 'Undeliverable: A demo for you',
    text: `Your message did not reach some or all of the intended recipients.\n\nThe following recipient(s) could not be reached:\n\n      ${to} on 5/5/2025 10:00 AM\n            The e-mail account does not exist at the organization this message was sent to.\n            <mx.bone.example #5.1.1>`,
  },
  {
    server: 'Domino',
    class: 'hard',
    subject: `DELIVERY FAILURE: User bob (${to}) not listed in Domino Directory`,
    text: `Your message\n\n  Subject: A demo for you\n\nwas not delivered to:\n\n  ${to}\n\nbecause:\n\n  User bob (${to}) not listed in Domino Directory`,
  },
  {
    server: 'GroupWise, about an unknown user',
    class: 'hard',
    subject: 'Message status - undeliverable',
    text: `The message that you sent was undeliverable to the following:\n\t${to} (user not found)`,
  },
  {
    server: 'GroupWise, about a full mailbox',
    class: 'soft',
    subject: 'Message status - undeliverable',
    text: `The message that you sent was undeliverable to the following:\n\t${to} (mailbox size limit exceeded)`,
  },
  {
    server: 'MDaemon',
    class: 'hard',
    from: 'MDaemon at bone.example <MDaemon@bone.example>',
    subject: 'WARNING: Delivery failed - User unknown',
    text: `The attached message had PERMANENT fatal delivery errors!\n\nFailed address: ${to}\n\n--- Session Transcript ---\n --> RCPT To:<${to}>\n <-- 550 5.1.1 <${to}>, Recipient unknown\n--- End Transcript ---`,
  },
  {
    server: 'hMailServer',
    class: 'hard',
    from: 'mailer-daemon@bone.example',
    subject: 'Message undeliverable: A demo for you',
    text: `Your message did not reach some or all of the intended recipients.\n\n${to}\n   Error Type: SMTP\n   hMailServer sent: RCPT TO:<${to}>\n   Remote server replied: 550 5.1.1 No such user`,
  },
  {
    server: 'CommuniGate Pro',
    class: 'soft',
    from: 'MAILER-DAEMON@bone.example',
    subject: 'Undeliverable mail',
    text: `Failed to deliver to '${to}'\nLOCAL module(account bob) reports:\n account is full (quota exceeded)`,
  },
  {
    server: 'MailMarshal',
    class: 'hard',
    subject: 'Undeliverable Mail: "A demo for you"',
    text: `Your message:\n   Subject: A demo for you\n\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected:\n   ${to}`,
  },
  {
    server: 'InterScan, recognized only by its return path',
    class: 'hard',
    from: 'InterScan MSS <imss@bone.example>',
    subject: 'Mail could not be delivered',
    text: `Sent <<< RCPT TO:<${to}>\nReceived >>> 550 5.1.1 <${to}>... user unknown\nUnable to deliver message to <${to}> and others.`,
  },
  {
    server: 'KDDI',
    class: 'soft',
    subject: 'Mail System Error - Returned Mail',
    text: `Your mail sent on: Mon, 5 May 2025 10:00:00\n    Could not be delivered to: <${to}>\n    As their mailbox is full.`,
  },
  {
    server: 'Zoho',
    class: 'unknown',
    from: 'mailer-daemon@mail.zoho.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: `A message that you sent could not be delivered to one or more of its recipients.\n\n${to} Invalid Address, ERROR_CODE :550, ERROR_CODE :mailbox unavailable`,
  },
  {
    server: 'Exim, about a delay',
    class: 'soft',
    from: 'Mail Delivery System <Mailer-Daemon@mx.acme.example>',
    subject: 'Warning: message 1uBxyz-0001 delayed 24 hours',
    text: `A message that you sent has not yet been delivered to one or more of its\nrecipients after more than 24 hours on the queue on mx.acme.example.\n\nThe address to which the message has not yet been delivered is:\n\n  ${to}\n    Delay reason: Connection timed out`,
  },
  {
    server: 'Postfix that checks the host name in HELO',
    class: 'policy',
    from: 'MAILER-DAEMON@mx.acme.example',
    subject: 'Undelivered Mail Returned to Sender',
    text: `Your message could not be delivered.\n\n<${to}>: host mx.bone.example[192.0.2.7] said: 550 5.7.1\n    <app.acme.example>: Helo command rejected: Host not found (in reply to RCPT TO command)`,
  },
]

const mailerDaemon = 'MAILER-DAEMON@mx.bone.example'
const languages: [kind: BounceClass, subject: string, text: string][] = [
  [
    'soft',
    'Zustellung der E-Mail fehlgeschlagen',
    `Ihre Nachricht konnte nicht zugestellt werden:\n\n${to}\n\nDas Postfach des Empfängers ist voll`,
  ],
  [
    'hard',
    'Message non délivré',
    `Votre message n'a pas pu être remis :\n\n<${to}>: 550 5.1.1 Utilisateur inconnu`,
  ],
  [
    'hard',
    'No se pudo entregar: A demo',
    `No se pudo entregar el mensaje:\n\n${to}\nLa dirección no existe. 550 5.1.1`,
  ],
  ['hard', 'Não entregue: A demo', `Falha na entrega da mensagem:\n\n${to}\n550 5.1.1 Usuário inexistente`],
  [
    'soft',
    'Mancato recapito',
    `Il messaggio non è stato recapitato:\n\n${to}\n\nLa casella del destinatario è piena`,
  ],
  [
    'hard',
    'Onbestelbaar: A demo',
    `Uw bericht kon niet worden afgeleverd bij:\n\n${to}\n550 5.1.1 Onbekende gebruiker`,
  ],
  [
    'hard',
    'Kunde inte levereras',
    `Ditt meddelande kunde inte levereras till:\n\n${to}: 550 5.1.1 Okänd mottagare`,
  ],
  [
    'hard',
    'Kan ikke leveres: A demo',
    `Meldingen kunne ikke leveres til:\n\n${to}: 550 5.1.1 Ukjent mottaker`,
  ],
  [
    'hard',
    'Niedostarczona poczta',
    `Wiadomość nie została dostarczona do:\n\n<${to}>: 550 5.1.1 Użytkownik nie istnieje`,
  ],
  ['hard', 'Nedoručitelná zpráva', `Zprávu nebylo možné doručit:\n\n${to}: 550 5.1.1 Neznámý uživatel`],
  ['hard', 'Kézbesíthetetlen: A demo', `Az üzenet nem kézbesíthető:\n\n${to}: 550 5.1.1 Ismeretlen`],
  [
    'hard',
    'Teslim edilemedi: A demo',
    `İletiniz teslim edilemedi:\n\n${to}: 550 5.1.1 Böyle bir kullanıcı yok`,
  ],
  [
    'hard',
    'Недоставленное сообщение',
    `Письмо не может быть доставлено:\n\n<${to}>: 550 5.1.1 Нет такого пользователя`,
  ],
  [
    'hard',
    '配信不能のお知らせ',
    `メールを配信できませんでした。\n\n<${to}>: 550 5.1.1 ユーザーが存在しません`,
  ],
  ['soft', '系统退信', `抱歉，您的邮件被退回来了\n\n收件人：${to}\n退信原因：收件人邮箱已满`],
  [
    'hard',
    '[전송 실패] A demo',
    `메일을 전송하지 못했습니다.\n\n받는 사람: ${to}\n실패 사유: 존재하지 않는 계정 550 5.1.1`,
  ],
  // Icelandic, which the classifier has no patterns for: the sender's name and the code suffice.
  ['hard', 'Ekki hægt að senda', `Ekki tókst að koma bréfinu til skila:\n\n<${to}>: 550 5.1.1 Óþekktur`],
]

const all: Notice[] = [
  ...notices,
  ...languages.map(([kind, subject, text]) => ({
    server: subject,
    class: kind,
    from: mailerDaemon,
    subject,
    text,
  })),
]

/** Each notice with an empty return path and with MAILER-DAEMON as the return path. */
export const bounceNotices = all.flatMap(({ server, class: kind, from, subject, text }) =>
  ['<>', `<${mailerDaemon}>`].map(path => ({
    name: `${server}, from ${path}`,
    to,
    class: kind,
    raw: Buffer.from(
      [
        `Return-Path: ${path}`,
        `From: ${from ?? 'postmaster@bone.example'}`,
        'To: ada+k3y@acme.example',
        `Subject: ${subject}`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        ...text.split('\n'),
        '',
      ].join('\r\n'),
    ),
  })),
)
