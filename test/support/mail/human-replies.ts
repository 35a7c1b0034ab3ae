/** Replies that people write, to combine with the formats of their mail clients. */
const answers = [
  'Hi Ada, thanks for writing. Tuesday at 10 works for me.',
  'Not interested, sorry.',
  'Please stop by tomorrow, we can talk in our office.',
  'Could you remove the second item from the offer and send it again?',
  'I had to unsubscribe from your competitor last year. Why should you be better?',
  'Your last mail to my colleague could not be delivered, he has left. I took over, so write to me.',
  'I was out of the office last week, back now. What is the price?',
  'Our mailbox is full of such offers, but yours looks good. Call me.',
  'Vielen Dank für Ihre Nachricht. Ich war im Urlaub und melde mich erst heute. Passt Ihnen Donnerstag?',
  'Die Lieferung ist fehlgeschlagen? Bitte rufen Sie mich an, dann klären wir das.',
  'Bonjour, merci pour votre message. Je suis intéressé, pouvons-nous nous parler jeudi ?',
  'Hola, gracias. No es buen momento, ¿podemos hablar en septiembre?',
  'Ciao, mi interessa. Mandami il listino.',
  'Dank voor je bericht. Stop je even een offerte in de mail?',
  'Здравствуйте! Пришлите, пожалуйста, подробности.',
  'お世話になっております。来週の火曜日はいかがでしょうか。',
  '您好，请把报价发给我。',
  'Stop! That is exactly what we need. Tell me more.',
  'ok',
  'Returned from holiday today. Is the offer still valid?',
  'Dziękuję za wiadomość. Wróciłem z urlopu, proszę o ofertę.',
  'Obrigado pela mensagem. Estive ausente, mas podemos conversar na terça.',
  'Tack för ditt mejl! Jag var borta förra veckan. Ring mig gärna.',
  'Tak for din besked. Kan vi tale sammen i næste uge?',
  'Takk for meldingen. Send meg gjerne mer informasjon.',
  'Kiitos viestistä, palataan asiaan ensi viikolla.',
  'Děkuji za zprávu. Adresa kolegy už neexistuje, pište prosím mně.',
  'Mesajınız için teşekkürler, yarın arayabilir misiniz?',
  'Ευχαριστώ για το μήνυμα, θα ήθελα να μάθω περισσότερα.',
  'Köszönöm a levelet, kérem küldje el az árlistát.',
  '메일 감사합니다. 다음 주에 통화 가능하신가요?',
  'شكرا على رسالتك. هل يمكننا التحدث يوم الثلاثاء؟',
  'תודה על ההודעה, אפשר לדבר ביום ראשון?',
  'Дякую за лист. Надішліть, будь ласка, прайс.',
  'Delivery status? We still wait for the sample. The postmaster said that our quota was full.',
  '550 units, please. User licences unknown to us: how many come with it?',
]

const original =
  'Hello,\nwould you like a demo?\n\nReply "stop" to unsubscribe.\nDelivery has failed: 550 5.1.1 user unknown'
const quoted = original.replace(/^/gm, '> ')

/** Text below the answer, such as signatures and quotes. */
const tails = [
  '',
  `\n\nOn Mon, 5 May 2025 at 10:00, Ada Byron <ada@acme.example> wrote:\n${quoted}`,
  `\n\n-----Original Message-----\nFrom: Ada Byron <ada@acme.example>\nSent: Monday, May 5, 2025\nTo: Bob\nSubject: Demo\n\n${original}`,
  `\n\n________________________________\nVon: Ada Byron <ada@acme.example>\nGesendet: Montag, 5. Mai 2025\nAn: Bob\nBetreff: Demo\n\n${original}`,
  `\n\nAm 05.05.2025 um 10:00 schrieb Ada Byron <ada@acme.example>:\n${quoted}`,
  `\n\nLe lun. 5 mai 2025 à 10:00, Ada Byron <ada@acme.example> a écrit :\n${quoted}`,
  '\n\n-- \nBob Bone\nTo stop these mails, unsubscribe here.',
  '\n\nSent from my iPhone',
]

const subjects = [
  'Re: Demo',
  'AW: Undeliverable: Demo',
  'Re: Out of office',
  'RE: Automatic reply: Demo',
  'Fwd: Mail delivery failed: returning message to sender',
  'Re: Delivery failed, second try',
  'unsubscribe costs',
]

/** Headers that mail clients add to people's mail, which must not mark it as automatic. */
const headers = [
  'X-Auto-Response-Suppress: DR, OOF, AutoReply',
  'Precedence: bulk',
  'Auto-Submitted: no',
  'X-Mailer: Apple Mail (2.3774)',
  'List-Unsubscribe: <mailto:leave@bone.example>\r\nIn-Reply-To: <1@acme.example>',
]

export type HumanReply = { answer: string; raw: Buffer }

export const humanReplies: HumanReply[] = answers.flatMap((answer, row) =>
  tails.flatMap((tail, column) =>
    [0, 1].map(turn => {
      const index = row * 3 + column * 5 + turn * 2
      const from = index % 9 === 0 ? 'postmaster@bone.example' : 'Bob Bone <bob@bone.example>'
      const lines = [
        'Return-Path: <bob@bone.example>',
        `From: ${from}`,
        'To: Ada Byron <ada+k3y@acme.example>',
        `Subject: ${subjects[index % subjects.length]}`,
        `Message-ID: <${row}.${column}.${turn}@bone.example>`,
        'Date: Mon, 5 May 2025 12:00:00 +0200',
        headers[(index + turn) % headers.length],
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
      ]
      const body = (answer + tail).replaceAll('\n', '\r\n')
      return { answer, raw: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}\r\n`) }
    }),
  ),
)
