/** The format in which a mail client or gateway writes a person's email; human-replies.ts has plain-text replies. */
type Form = (text: string, index: number) => string[]

const texts = [
  'Thanks, Tuesday suits us.',
  'Your mail to Bob came back as undeliverable: 550 5.1.1 user unknown. I am his successor.',
  'I was out of office. Please stop by on Thursday.',
  'Wir haben kein Interesse, danke.',
  'Merci, je suis de retour lundi. Appelez-moi.',
  'お返事が遅くなりました。資料を送ってください。',
  'Спасибо, доставка не нужна, приедем сами.',
  'Remove the second item, then we sign.',
]

const head = (index: number, subject: string, type: string, more: string[] = []): string[] => [
  'Return-Path: <bob@bone.example>',
  'From: Bob Bone <bob@bone.example>',
  'To: Ada Byron <ada+k3y@acme.example>',
  `Subject: ${subject}`,
  `Message-ID: <${index}@bone.example>`,
  'In-Reply-To: <0f3.step@acme.example>',
  'Date: Mon, 5 May 2025 12:00:00 +0200',
  ...more,
  'MIME-Version: 1.0',
  `Content-Type: ${type}`,
]

const textPart = (text: string): string[] => [
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  ...(Buffer.from(text)
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
]
const parts = (boundary: string, ...all: string[][]): string[] => [
  '',
  ...all.flatMap(part => [`--${boundary}`, ...part]),
  `--${boundary}--`,
]

const bounce = [
  'From: Mail Delivery System <MAILER-DAEMON@mx.acme.example>',
  'Subject: Undelivered Mail Returned to Sender',
  'Auto-Submitted: auto-replied',
  'Content-Type: text/plain',
  '',
  '<bob@bone.example>: host mx.bone.example[192.0.2.7] said: 550 5.1.1 User unknown',
  '    (in reply to RCPT TO command)',
]

const forms: Record<string, Form> = {
  'HTML only': (text, index) => [
    ...head(index, 'Re: Demo', 'text/html; charset=utf-8'),
    '',
    `<html><body><div dir="ltr">${text}</div><div class="gmail_quote">On Mon, 5 May 2025 Ada wrote:`,
    '<blockquote>Reply "stop" to unsubscribe. Delivery has failed.</blockquote></div></body></html>',
  ],
  'text and HTML': (text, index) => [
    ...head(index, 'Re: Demo', 'multipart/alternative; boundary=b'),
    ...parts('b', textPart(text), ['Content-Type: text/html; charset=utf-8', '', `<p>${text}</p>`]),
  ],
  'signed with S/MIME': (text, index) => [
    ...head(
      index,
      'Re: Demo',
      'multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary=s',
    ),
    ...parts('s', textPart(text), ['Content-Type: application/pkcs7-signature; name=smime.p7s', '', 'MIIB']),
  ],
  'signed with OpenPGP': (text, index) => [
    ...head(index, 'Re: Demo', 'multipart/signed; protocol="application/pgp-signature"; boundary=s'),
    ...parts('s', textPart(text), [
      'Content-Type: application/pgp-signature',
      '',
      '-----BEGIN PGP SIGNATURE-----',
    ]),
  ],
  'an accepted invitation': (text, index) => [
    ...head(index, 'Accepted: Demo', 'multipart/alternative; boundary=c'),
    ...parts('c', textPart(text), [
      'Content-Type: text/calendar; charset=utf-8; method=REPLY',
      '',
      'BEGIN:VCALENDAR',
      'METHOD:REPLY',
      'END:VCALENDAR',
    ]),
  ],
  'a bounce forwarded as a file': (text, index) => [
    ...head(index, 'Fwd: Undelivered Mail Returned to Sender', 'multipart/mixed; boundary=f'),
    ...parts('f', textPart(text), ['Content-Type: message/rfc822', '', ...bounce]),
  ],
  'a bounce forwarded below the text': (text, index) => [
    ...head(index, 'WG: Undelivered Mail Returned to Sender', 'text/plain; charset=utf-8'),
    '',
    text,
    '',
    '---------- Forwarded message ---------',
    ...bounce,
  ],
  'an answer below the quote': (text, index) => [
    ...head(index, 'Re: Out of office', 'text/plain; charset=utf-8'),
    '',
    'On Mon, 5 May 2025 at 10:00, Ada Byron <ada@acme.example> wrote:',
    '> Are you out of office?',
    '> Reply "unsubscribe" to be left alone.',
    '',
    text,
  ],
  'answers between the quotes': (text, index) => [
    ...head(index, 'AW: Zustellung fehlgeschlagen?', 'text/plain; charset=utf-8'),
    '',
    '> When can we talk?',
    text,
    '> Who else should I ask?',
    'Nobody, I decide.',
  ],
  'a legal disclaimer': (text, index) => [
    ...head(index, 'RE: Demo', 'text/plain; charset=utf-8', ['X-Mailer: Microsoft Outlook 16.0']),
    '',
    text,
    '',
    'CONFIDENTIALITY: If you are not the intended recipient, delivery to you has failed its purpose: delete this',
    'message, stop reading and notify postmaster@bone.example. Viruses and spam are blocked by our filter.',
  ],
  'sent from a phone': (text, index) => [
    ...head(index, 'Re: Automatic reply: Demo', 'text/plain; charset=utf-8', [
      'X-Mailer: iPhone Mail (21A329)',
    ]),
    '',
    text,
    '',
    'Von meinem iPhone gesendet',
  ],
  'an answer through a mailing list': (text, index) => [
    ...head(index, 'Re: [sales] Demo', 'text/plain; charset=utf-8', [
      'List-Id: <sales.bone.example>',
      'List-Unsubscribe: <mailto:leave@bone.example>',
      'Precedence: list',
    ]),
    '',
    text,
  ],
  'an answer from a help desk': (text, index) => [
    ...head(index, '[#4711] Demo', 'text/plain; charset=utf-8', [
      'X-Auto-Response-Suppress: All',
      'Reply-To: desk@bone.example',
    ]),
    '',
    text,
  ],
}

export const humanMails: { form: string; raw: Buffer }[] = Object.entries(forms).flatMap(
  ([form, write], row) =>
    texts.map((text, column) => ({
      form,
      raw: Buffer.from(`${write(text, row * 100 + column).join('\r\n')}\r\n`),
    })),
)
