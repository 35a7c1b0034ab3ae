import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import {
  hasNullReturnPath,
  isFromMailSystem,
  isMailerDaemon,
  mentionsFailure,
  mentionsFailureInSubject,
  startsLikeProgram,
} from './signs.ts'

const toMail = (...header: string[]) =>
  readEmail(Buffer.from([...header, '', 'Hi'].join('\r\n')), defaultLimits)

describe('a mail system', () => {
  it.each([
    'MAILER-DAEMON@mx.acme.example',
    'mailerdaemon@acme.example',
    'mailer_daemon@acme.example',
    'Mailer.Daemon@acme.example',
    'postmaster@acme.example',
    'post-master@acme.example',
    'poostmaster@acme.example',
    'maildelivery@acme.example',
    'mail-delivery@acme.example',
    'mail_administrator@acme.example',
    'mmdf@acme.example',
    'mailer@acme.example',
    'mailsystem@acme.example',
    'mail-system@acme.example',
    'mailserver@acme.example',
    'mail.gateway@acme.example',
    'mdaemon@acme.example',
    'bounce@acme.example',
    'bounces+list=a@acme.example',
    'bounces-7@acme.example',
    'mail.delivery.system@acme.example',
    'delivery-notification@acme.example',
    'deliverynotification@acme.example',
    'system@acme.example',
    'MAILER-DAEMON',
    '"MAILER-DAEMON" <>',
    'Mail Delivery Subsystem <noreply@acme.example>',
    'Mail Delivery System <noreply@acme.example>',
    'Mail Daemon <noreply@acme.example>',
    'MailerDaemon <noreply@acme.example>',
    'Post Master <noreply@acme.example>',
    'Postmaster <noreply@acme.example>',
    'Mail Administrator <noreply@acme.example>',
    'Mail System <noreply@acme.example>',
    'Internet Mail Delivery <noreply@acme.example>',
    'Delivery Subsystem <noreply@acme.example>',
    'Message Delivery System <noreply@acme.example>',
    'Delivery Agent <noreply@acme.example>',
    'Mail Server <noreply@acme.example>',
    'Mail Gateway <noreply@acme.example>',
    'Returned Mail <noreply@acme.example>',
    'System Administrator <noreply@acme.example>',
  ])('is recognized by its name: %s', async from => {
    expect(isFromMailSystem(await toMail(`From: ${from}`))).toBe(true)
  })

  it('is recognized by the header X-MLServer', async () => {
    expect(isFromMailSystem(await toMail('From: list@acme.example', 'X-MLServer: fml'))).toBe(true)
  })

  it.each([
    'Bob Stone <bob@bone.example>',
    'Bob from Delivery <bob@bone.example>',
    'postmasters@acme.example',
    'the.postmaster@acme.example',
    'systems@acme.example',
    'bob@system.example',
    'Bob <bob@mailer-daemon.example>',
  ])('is not %s', async from => {
    expect(isFromMailSystem(await toMail(`From: ${from}`))).toBe(false)
    expect(isMailerDaemon(await toMail(`From: ${from}`))).toBe(false)
  })

  it('is not recognized without a sender', async () => {
    expect(isFromMailSystem(await toMail('Subject: Hi'))).toBe(false)
    expect(isMailerDaemon(await toMail('Subject: Hi'))).toBe(false)
  })

  it.each([
    ['MAILER-DAEMON@mx.acme.example', true],
    ['mailerdaemon@acme.example', true],
    ['MAILER-DAEMON', true],
    ['"MAILER-DAEMON" <>', true],
    ['postmaster@acme.example', false],
    ['the-mailer-daemon@acme.example', false],
    ['mailer-daemons@acme.example', false],
  ])('named %s is a mailer daemon: %s', async (from, expected) => {
    expect(isMailerDaemon(await toMail(`From: ${from}`))).toBe(expected)
  })
})

it.each([
  [['Return-Path: <>'], true],
  [['Return-Path:'], true],
  [['Return-Path: < >'], true],
  [['Return-Path: <null>'], true],
  [['Return-Path: bob@bone.example', 'Return-Path: <>'], true],
  [['Return-Path: <MAILER-DAEMON@bone.example>'], true],
  [['Return-Path: mailerdaemon'], true],
  [['Return-Path: <the-mailer-daemon@bone.example>'], false],
  [['Return-Path: <mailer-daemons@bone.example>'], false],
  [['Return-Path: <nullo@bone.example>'], false],
  [['Return-Path: <bob@null>'], false],
  [['Return-Path: <bob@bone.example>'], false],
  [['Subject: Hi'], false],
])('the return path %j is empty: %s', async (header, isEmpty) => {
  expect(hasNullReturnPath(await toMail(...header))).toBe(isEmpty)
})

const subjects = `
Undeliverable: Hello
Un-deliverable mail
Undeliverable: Re: Hello
Undeliverable:Re: Hello
Delivery has failed
Delivery error
Delivery problem
Delivery delayed
Delivery incomplete
Delivery unsuccessful
Delivery Status Notification
Delivery impossible
Delivery not possible
Failed to deliver
Error in mail delivery
Problem with delivering
Delivery report
Delivered status
Returned mail: see transcript for details
Returning message to sender
Return to sender
Returned email
Mail system error
Mail failure
Mail System Failure
failure notice
Non remis : Bonjour
Not delivered
Could not be delivered
Couldn't send
Could not be sent
Message delayed
Message rejected
Message status
Message not sent
Message bounced
Message blocked
Postmaster notify
Loop alert
Loop back warning
NOT MEMBER article
UNIX FROM Loop
Could not send message
Error sending your mail
Bounced mail
Bounced email
Bounce message
Bounced e-mail
Considered unsolicited
NDN: Demo
Nondeliverable mail
Warning: message 1abc delayed 24 hours
Unknown user
User unknown
Mail rejected
Message was refused
Address not found
Fehler bei der Zustellung
Benachrichtigung zum Übermittlungsstatus
Undelivrable
Error en la entrega
Notificación de estado de entrega
Notifica sullo stato del recapito
Impossibile recapitare: Demo
Não é possível entregar: Demo
Notificação sobre o estado da entrega
Niet te bezorgen: Demo
Nie można dostarczyć: Demo
Nie dostarczono: Demo
Imposibil de livrat: Demo
Не удается доставить: Demo
Αδυναμία παράδοσης: Demo
Không gửi được: Demo
未送達通知
宛先不明
配達できませんでした
未送达: Demo
傳送失敗
전달되지 않음: Demo
메일 발송 실패
Unzustellbar: Hallo
Zustellung fehlgeschlagen
Zustellung war nicht erfolgreich
Nachricht nicht zugestellt
Nicht zustellbar
Non distribuable
Non délivré
Non consegnato
Non recapitato
Échec de la remise
No se ha podido entregar, no entregado
no se ha podido entrega
Mancata consegna
Não foi entregue
Não entregue: Olá
Falha na entrega
Onbestelbaar
Niet bezorgd
Niet afgeleverd
Inte levererat
Kan ikke leveres
Ikke leveret
Olevererbart: Hej
Toimittaminen epäonnistui
Ei voi toimittaa
Ei voitu toimittaa
Niedostarczone
Nedoručitelné
Nedoručeno
Kézbesíthetetlen
Teslim edilemedi
Не вдалося доставити
Mancato recapito
No se pudo entregar
No se puede entregar
Не доставлено
Недоставленное сообщение
配信不能
配信エラー
配信できません
配送について
送信エラー
送信できません
お届けできません
エラーメール
退信
无法投递
無法送達
无法传递
投递失败
배달 실패
배달되지 않음
전송 실패`
  .trim()
  .split('\n')

describe('a subject', () => {
  it.each(subjects)('reports a failed delivery: %s', async subject => {
    expect(mentionsFailureInSubject(await toMail(`Subject: ${subject}`))).toBe(true)
  })

  it.each([
    'Re',
    'AW',
    'Antw',
    'SV',
    'VS',
    'ODP',
    'RES',
    'RIF',
    'YNT',
    'Fw',
    'Fwd',
    'WG',
    'TR',
    'RV',
    'I',
    'ENC',
    'Doorst',
  ])('is that of a reply or forward when it begins with %s', async mark => {
    expect(mentionsFailureInSubject(await toMail(`Subject: ${mark}: Undeliverable`))).toBe(false)
    expect(mentionsFailureInSubject(await toMail(`Subject: ${mark} : Undeliverable`))).toBe(false)
  })

  it.each(['Hello', 'Your message', 'Delivery next week', 'Mail me back', 'The return on it'])(
    'does not report a failure: %s',
    async subject => {
      expect(mentionsFailureInSubject(await toMail(`Subject: ${subject}`))).toBe(false)
    },
  )
})

const notices = `
Your message could not be delivered
It couldn't deliver your mail
We cannot reach the server
We are unable to fully deliver it
It could not be in any way processed
It can't send the mail
It can not process it
The mail was not received
It wasn't accepted
The mail is not delivered
We were unable to deliver it
It was not able to be sent
It failed to be relayed
a failure to receive it
It was unsuccessful in sending, unsuccessfully delivering
It is undeliverable: deliver
Impossible to send
An error occurred trying to deliver it
Delivery has failed
Delivery error
Delivery delayed
Delivery aborted
Delivery is incomplete
Delivery Status Notification
A failure in the delivery
The problem of delivering it
a permanent fatal error
a permanent error
had fatal errors
Returned mail
returned message
returned to sender
The following address(es) failed
following recipients had problems
following recipient was rejected
It was rejected by policy: message
refused your mail
blocked this message
undelivered
Unknown user
unknown address
unknown recipient
User unknown
no valid recipient
invalid user
mailbox is full
Mailbox full
over quota
mail is full
mailbox is full
Unzustellbar
Sie wurde nicht zugestellt
Il est non remis
no entregado
не может быть доставлено
не доставлено
配信できません
届けることができません
送信できません
送信されませんでした`
  .trim()
  .split('\n')

describe('the text of a notice', () => {
  it.each(notices)('reports a failed delivery: %s', notice => {
    expect(mentionsFailure(`Hello.\n${notice}`)).toBe(true)
  })

  it.each(['Thanks for your mail.', 'I will send it.', 'The delivery was fine.', ''])(
    'does not report a failure: %s',
    text => {
      expect(mentionsFailure(text)).toBe(false)
    },
  )

  it('is judged by its start, ignoring quotes and line breaks', () => {
    expect(mentionsFailure('Your mail could not\nbe\n  delivered')).toBe(true)
    expect(mentionsFailure(`${'x '.repeat(1_490)} user unknown`)).toBe(true)
    expect(mentionsFailure(`${'x '.repeat(1_500)} user unknown`)).toBe(false)
    expect(mentionsFailure('Thanks.\n\n> user unknown')).toBe(false)
  })
})

describe('the opening of a notice', () => {
  it.each([
    'This message was created automatically by mail delivery software.',
    '------ Failed Recipients ------',
    '****** Message from InterScan E-Mail VirusWall NT ******',
    'Your message could not be delivered to\n\nbob@bone.example',
    "Votre message\nn'a pas pu être distribué",
  ])('is that of a program: %s', text => {
    expect(startsLikeProgram(text)).toBe(true)
  })

  it.each([
    'Hi Ada,\n\nthis message was created automatically by mail delivery software.',
    'Sehr geehrte Frau Byron, Ihre E-Mail konnte nicht zugestellt werden.',
    '> Dear Ada, delivery failure',
    'Thanks, Tuesday suits us.',
    `${'x '.repeat(150)} automatically`,
    '',
  ])('may be that of a person: %s', text => {
    expect(startsLikeProgram(text)).toBe(false)
  })
})
