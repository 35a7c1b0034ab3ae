import type { BounceClass } from '../../../src/server/protocols/mail-reading/bounce/diagnosis.ts'

/** A non-delivery notice in the nonstandard format of a mail server or gateway. */
type ServerNotice = {
  name: string
  class: BounceClass
  /** Header fields to replace or add; null removes a field. */
  header?: Record<string, string | null>
  text: string
  /** RFC 3464 fields in a separate part. */
  status?: string
  /** How the server returns the original email, if it does. */
  returned?: 'attached' | 'quoted'
}

const to = 'bob@bone.example'
const original = [
  'Received: from mx.acme.example by mx.bone.example; Mon, 5 May 2025 10:00:00 +0000',
  'Message-ID: <0f3.step@acme.example>',
  'From: Ada Byron <ada@acme.example>',
  `To: ${to}`,
  'Subject: A demo for you',
]

const domino = (reason: string) =>
  `Your message\n\n  Subject: A demo for you\n\nwas not delivered to:\n\n  ${to}\n\nbecause:\n\n  ${reason}`
const exchange = (code: string, reason = 'The recipient could not be reached') =>
  `Your message\n\n  To:      Bob <bob@acme.example>; carl@bone.example\n  Subject: A demo for you\n  Sent:    Mon, 5 May 2025 10:00:00 +0000\n\ndid not reach the following recipient(s):\n\n${to} on Mon, 5 May 2025 10:00:09 +0000\n    ${reason}\n\tThe MTS-ID of the original message is: c=us;a= ;p=bone\n    MSEXCH:IMS:Bone:HQ:MX 0 (${code})`
const kddi = (reason: string) =>
  `Your mail sent on: Mon, 5 May 2025 10:00:00 +0900\n    Could not be delivered to: <${to}>\n    ${reason}`
const google = (title: string, text: string, response: string) =>
  `** ${title} **\n\n${text}\n\nLearn more here: https://support.google.com/mail/answer/6596\n\nThe response was:\n\n${response}`

const fromDomino = { From: 'Postmaster@bone.example', Subject: 'DELIVERY FAILURE: A demo for you' }
const fromExchange = {
  From: 'Bone Exchange <exchange@bone.example>',
  Subject: 'Undeliverable: A demo for you',
  'X-Mailer': 'Internet Mail Service (5.5.2657.72)',
}
const fromKddi = { From: 'no-reply@mx.dion.ne.jp', Subject: 'Mail' }
const fromFml = {
  'Return-Path': '<team-admin@bone.example>',
  From: 'team-admin@bone.example',
  'Message-ID': '<202505051000.FML00002.team@bone.example>',
  'X-MLServer': 'fml [fml 4.0.3 release (20011202/4.0.3)]',
}
const fromImail = { From: '"Postmaster" <postmaster@bone.example>', 'X-Mailer': '<SMTP32 v8.22>' }
const fromMcafee = { From: '<Postmaster@bone.example>', Subject: 'Delivery Status' }
const fromMessageLabs = { From: 'MAILER-DAEMON@messagelabs.example', Subject: 'Mail Delivery Failure' }
const fromGoogle = {
  From: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
  Subject: 'Delivery Status Notification (Failure)',
  'X-Failed-Recipients': to,
}

const notices: ServerNotice[] = [
  {
    name: 'Domino, user not in the address book',
    class: 'hard',
    header: fromDomino,
    text: domino(`User bob (${to}) not listed in public Name & Address Book`),
  },
  {
    name: 'Domino in Japanese',
    class: 'hard',
    header: fromDomino,
    text: domino(`ユーザー bob (${to}) は Domino ディレクトリには見つかりません。`),
  },
  {
    name: 'Domino in German',
    class: 'hard',
    header: fromDomino,
    text: domino(`Benutzer bob (${to}) ist nicht im Domino-Verzeichnis aufgeführt`),
  },
  {
    name: 'Domino in French',
    class: 'hard',
    header: fromDomino,
    text: domino(`L'utilisateur bob (${to}) ne figure pas dans l'annuaire Domino`),
  },
  {
    name: 'Domino, ambiguous name',
    class: 'soft',
    header: fromDomino,
    text: domino('Several matches found in Domino Directory'),
  },
  {
    name: 'Domino, no route',
    class: 'unknown',
    header: fromDomino,
    text: domino('Cannot route mail to user bob'),
  },
  {
    name: 'Domino, refused by the next server',
    class: 'hard',
    header: fromDomino,
    text: domino(
      `Error transferring to MX.BONE.EXAMPLE; SMTP Protocol Returned a Permanent Error 550 5.1.1 <${to}>: Recipient address rejected: User unknown`,
    ),
  },
  {
    name: 'Domino, refused as spam',
    class: 'policy',
    header: fromDomino,
    text: domino(
      'Error transferring to MX.BONE.EXAMPLE; SMTP Protocol Returned a Permanent Error 554 Message rejected as spam',
    ),
  },
  {
    name: 'Domino, too many hops',
    class: 'soft',
    header: fromDomino,
    text: domino(
      'Error transferring to MX.BONE.EXAMPLE; Maximum hop count exceeded.  Message probably in a routing loop.',
    ),
  },
  {
    name: 'Notes',
    class: 'hard',
    header: { Subject: 'Undeliverable message' },
    text: `------- Failure Reasons  --------\n\nUser not listed in public Name & Address Book\n${to}\n\n------- Returned Message --------\n\n${original.join('\n')}`,
  },
  {
    name: 'McAfee, user unknown',
    class: 'hard',
    header: fromMcafee,
    text: `    --- The following addresses had delivery problems ---\n\n<${to}>   (User (${to}) unknown.)`,
    status: `Original-Recipient: <${to}>\nAction: failed\nDiagnostic-Code: smtp; 550 User (${to}) unknown.\nRemote-MTA: 192.0.2.7`,
    returned: 'attached',
  },
  {
    name: 'McAfee, unknown user in other words',
    class: 'hard',
    header: fromMcafee,
    text: `    --- The following addresses had delivery problems ---\n\n<${to}>   (Unknown user ${to})`,
    status: `Original-Recipient: <${to}>\nAction: failed\nDiagnostic-Code: smtp; 550 Unknown user ${to}\nRemote-MTA: 192.0.2.7`,
    returned: 'attached',
  },
  {
    name: 'McAfee, refused as spam',
    class: 'policy',
    header: fromMcafee,
    text: `    --- The following addresses had delivery problems ---\n\n<${to}>   (554 Denied. Spam content detected)`,
    status: `Original-Recipient: <${to}>\nAction: failed\nDiagnostic-Code: smtp; 554 Denied. Spam content detected\nRemote-MTA: 192.0.2.7`,
    returned: 'attached',
  },
  {
    name: 'MessageLabs, no such user',
    class: 'hard',
    header: fromMessageLabs,
    text: `This is the mail delivery agent at messagelabs.com.\n\nI was unable to deliver your message to the following addresses:\n\n${to}\n\nReason: 550 No such user`,
    status: `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 No such user`,
  },
  {
    name: 'MessageLabs, recipient rejected',
    class: 'hard',
    header: fromMessageLabs,
    text: `This is the mail delivery agent at messagelabs.com.\n\nI was unable to deliver your message to the following addresses:\n\n${to}\n\nReason: 542 ${to} Rejected`,
    status: `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 542 ${to} Rejected`,
  },
  {
    name: 'MessageLabs, not authenticated',
    class: 'policy',
    header: fromMessageLabs,
    text: `This is the mail delivery agent at messagelabs.com.\n\nI was unable to deliver your message to the following addresses:\n\n${to}\n\nReason: 550 Please turn on SMTP Authentication in your mail client`,
    status: `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 Please turn on SMTP Authentication in your mail client`,
  },
  {
    name: 'IMail, unknown user',
    class: 'hard',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `Unknown user: ${to}\n\nOriginal message follows.\n\n${original.join('\n')}`,
  },
  {
    name: 'IMail, invalid user id',
    class: 'hard',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `Invalid final delivery userid: ${to}\n\nOriginal message follows.\n\n${original.join('\n')}`,
  },
  {
    name: 'IMail, unknown host',
    class: 'hard',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `Unknown host: ${to}\n\nOriginal message follows.\n\n${original.join('\n')}`,
  },
  {
    name: 'IMail, rejected at RCPT TO',
    class: 'hard',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `undeliverable to ${to}\nAdditional RCPT TO generated following response:\n550 no such user here\n\nOriginal message follows.`,
  },
  {
    name: 'IMail, rejected after DATA',
    class: 'policy',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `undeliverable to ${to}\nBody of message generated response:\n554 Message rejected because of unacceptable content\n\nOriginal message follows.`,
  },
  {
    name: 'IMail, unexpected greeting',
    class: 'policy',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `undeliverable to ${to}\nUnexpected connection response from server:\n554 mx.bone.example\n\nOriginal message follows.`,
  },
  {
    name: 'IMail, no reason',
    class: 'unknown',
    header: { ...fromImail, Subject: 'Undeliverable Mail' },
    text: `undeliverable to ${to}\n\nOriginal message follows.`,
  },
  {
    name: 'InterScan in Japanese',
    class: 'hard',
    header: { From: 'InterScan MSS <imss@bone.example>', Subject: 'メール配信に失敗しました' },
    text: `送信 >>> RCPT TO:<${to}>\n受信 <<< 550 5.1.1 <${to}>... user unknown`,
  },
  {
    name: 'InterScan, without an enhanced code',
    class: 'hard',
    header: { From: 'InterScan MSS <imss@bone.example>', Subject: 'Mail could not be delivered' },
    text: `Sent <<< RCPT TO:<${to}>\nReceived >>> 550 <${to}>... User unknown`,
  },
  {
    name: 'InterScan, rejected after DATA',
    class: 'unknown',
    header: { From: 'InterScan MSS <imss@bone.example>', Subject: 'Mail could not be delivered' },
    text: `Unable to deliver message to <${to}>\nSent <<< DATA\nReceived >>> 550 User unknown`,
  },
  {
    name: 'InterScan VirusWall, given up',
    class: 'soft',
    header: { From: 'inetgw1@bone.example', Subject: 'Mail could not be delivered' },
    text: '****** Message from InterScan E-Mail VirusWall NT ******\n\nThe following mail could not be delivered.\n\nReason:  Exceeded Maximum Delivery Attempts.  Verify that the recipient address is correct.\n\n*****************     End of message     ***************',
    returned: 'attached',
  },
  {
    name: 'Google, address not found',
    class: 'hard',
    header: fromGoogle,
    text: google(
      'Address not found',
      `Your message wasn't delivered to ${to} because the address couldn't be found. Check for typos or unnecessary spaces and try again.`,
      '550 Rejected',
    ),
  },
  {
    name: 'Google, address not found, confirmed by the enhanced status code',
    class: 'hard',
    header: fromGoogle,
    text: google(
      'Address not found',
      `Your message wasn't delivered to ${to} because the address couldn't be found, or is unable to receive mail.`,
      '550 #5.1.0 Address rejected.',
    ),
  },
  {
    name: 'Google, address not found or unable to receive',
    class: 'unknown',
    header: fromGoogle,
    text: google(
      'Address not found',
      `Your message wasn't delivered to ${to} because the address couldn't be found, or is unable to receive mail.`,
      '550 : User unknown',
    ),
  },
  {
    name: 'Google, blocked',
    class: 'policy',
    header: fromGoogle,
    text: google(
      'Message blocked',
      `Your message to ${to} has been blocked. See technical details below for more information.`,
      '550 5.7.1 Message refused by policy',
    ),
  },
  {
    name: 'Google, mailbox full',
    class: 'soft',
    header: fromGoogle,
    text: google(
      'Message not delivered',
      `Your message couldn't be delivered to ${to} because their inbox is full, or it's getting too much mail right now.`,
      '452 4.2.2 Mailbox full',
    ),
  },
  {
    name: 'KDDI, no such domain',
    class: 'hard',
    header: fromKddi,
    text: kddi('As the remote domain doesnt exist.'),
    returned: 'attached',
  },
  {
    name: 'KDDI, relaying',
    class: 'policy',
    header: fromKddi,
    text: kddi('Due to the following SMTP relay error:'),
    returned: 'attached',
  },
  {
    name: 'KDDI, with a reverse path',
    class: 'soft',
    header: { ...fromKddi, 'Return-Path': '<no-reply@mx.dion.ne.jp>' },
    text: kddi('As their mailbox is full.'),
    returned: 'attached',
  },
  {
    name: 'KDDI, attempted',
    class: 'soft',
    header: { ...fromKddi, 'Return-Path': '<no-reply@mx.dion.ne.jp>' },
    text: kddi('As their mailbox is full.').replace('sent on', 'attempted to be delivered on'),
  },
  {
    name: 'EZweb, filtered',
    class: 'unknown',
    header: {
      From: '<Postmaster@ezweb.ne.jp>',
      Subject: 'Mail System Error - Returned Mail',
      'X-SPASIGN': 'NG',
    },
    text: `The following recipients did not receive this message:\n\n    <${to}>`,
  },
  {
    name: 'EZweb, limited account',
    class: 'unknown',
    header: { From: '<Postmaster@ezweb.ne.jp>', Subject: 'Mail System Error - Returned Mail' },
    text: `The user(s) account is temporarily limited.\n\n<${to}>`,
  },
  {
    name: 'EZweb, expired',
    class: 'soft',
    header: { From: '<Postmaster@ezweb.ne.jp>', Subject: 'Mail System Error - Returned Mail' },
    text: `Your message was not delivered within 0 days and 1 hours.\nRemote host is not responding.\n\nThe following recipients did not receive your message:\n     <${to}>`,
  },
  {
    name: 'fml, not a member',
    class: 'policy',
    header: { ...fromFml, Subject: 'NOT MEMBER article from ada@acme.example (team ML)' },
    text: `You are not a member of this mailing list <${to}>.\nIf you know the general guide of this list, please send mail with the mail body "guide".\n\nOriginal mail as follows:\n\n   ${original.join('\n   ')}`,
  },
  {
    name: 'fml, sender refused',
    class: 'policy',
    header: { ...fromFml, Subject: 'reject mail from ada@acme.example (team ML)' },
    text: `Reject mail from ada@acme.example to <${to}>.\nOriginal mail as follows:\n\n   ${original.join('\n   ')}`,
  },
  {
    name: 'fml, security alert',
    class: 'policy',
    header: { ...fromFml, Subject: 'Security Alert (team ML)' },
    text: `Security alert: an insecure command was sent to <${to}>.\nOriginal mail as follows:\n\n   ${original.join('\n   ')}`,
  },
  {
    name: 'fml, mail loop',
    class: 'soft',
    header: { ...fromFml, Subject: 'fml system error message (team ML)' },
    text: `fml at bone.example has detected a loop condition so that it stops <${to}>.\nOriginal mail as follows:\n\n   ${original.join('\n   ')}`,
  },
  {
    name: 'Active!hunter',
    class: 'hard',
    header: {
      'Return-Path': '<admin@bone.example>',
      From: 'Hunter <admin@bone.example>',
      Subject: 'FAILURE NOTICE :',
      'X-AHMAILID': '0000',
    },
    text: `  ----- The following addresses had permanent fatal errors -----\n\n>>> Bob <${to}>\n\n  ----- Transcript of session follows -----\n550 sorry, no mailbox here by that name (#5.1.1 - chkusr)`,
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, unknown recipient',
    class: 'hard',
    header: fromExchange,
    text: exchange('000C05A6', 'The recipient name is not recognized'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5 in Japanese',
    class: 'hard',
    header: fromExchange,
    text: exchange('000C05A6', '宛先が認識されません'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, ambiguous recipient',
    class: 'unknown',
    header: fromExchange,
    text: exchange('000C0595) Ambiguous Recipient'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, too many recipients',
    class: 'soft',
    header: fromExchange,
    text: exchange('00010256'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, too many hops',
    class: 'soft',
    header: fromExchange,
    text: exchange('00120270'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, no conversion',
    class: 'unknown',
    header: fromExchange,
    text: exchange('00050311) Conversion to Internet format failed'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, no authentication',
    class: 'policy',
    header: fromExchange,
    text: exchange('000B0981) 502 Server does not support AUTH'),
    returned: 'attached',
  },
  {
    name: 'Exchange 5.5, refused by the next server',
    class: 'soft',
    header: fromExchange,
    text: exchange('000B09B6) Message size exceeds fixed limit'),
    returned: 'attached',
  },
  {
    name: 'm-FILTER, rejected after DATA',
    class: 'unknown',
    header: {
      From: 'Mailer Daemon <MAILER-DAEMON@bone.example>',
      Subject: 'failure notice',
      'X-Mailer': 'm-FILTER',
    },
    text: `以下のメールアドレスへの送信に失敗しました。\n${to}\n\n-------server message\n550 unknown user <${to}>\n\n-------SMTP command\nDATA\n\n-------original message\n${original.join('\n')}`,
  },
  {
    name: 'm-FILTER, rejected at RCPT TO',
    class: 'hard',
    header: {
      From: 'Mailer Daemon <MAILER-DAEMON@bone.example>',
      Subject: 'failure notice',
      'X-Mailer': 'm-FILTER',
    },
    text: `以下のメールアドレスへの送信に失敗しました。\n${to}\n\n-------server message\n550 unknown user <${to}>\n\n-------SMTP command\nRCPT\n\n-------original message\n${original.join('\n')}`,
  },
  {
    name: 'MailFoundry',
    class: 'unknown',
    header: { From: 'postmaster@bone.example', Subject: 'Message delivery has failed' },
    text: `Unable to deliver message to: <${to}>\nDelivery failed for the following reason:\nServer mx22.bone.example[192.0.2.7] failed with: 550 <${to}> No such user here\n\nThis has been a permanent failure.  No further delivery attempts will be made.`,
  },
  {
    name: 'SurfControl',
    class: 'unknown',
    header: {
      From: 'postmaster@bone.example (Mail Delivery System)',
      Subject: 'Undeliverable mail',
      'X-Mailer': 'SurfControl E-mail Filter',
    },
    text: `Your message could not be sent.\nA transcript of the attempts to send the message follows.\nThe number of attempts made: 1\nAddressed To: ${to}\n\nThu 5 May 2025 10:00:00 +0900\nFailed to send to identified host,\n${to}: [192.0.2.5], 550 ${to}... No such user\n--- Message non-deliverable.`,
  },
  {
    name: 'Verizon, by text message',
    class: 'hard',
    header: { 'Return-Path': null, From: 'post_master@vtext.com', Subject: 'Re:A demo for you' },
    text: `Error: Invalid user address\n\nError message below:\n550 - Requested action not taken: no such user here\n\nMessage details:\n  Subject: A demo for you\n  MAIL FROM: ada@acme.example\n  RCPT TO: ${to}`,
  },
  {
    name: 'Verizon, by multimedia message',
    class: 'hard',
    header: { 'Return-Path': null, From: 'sysadmin@mms.vzwpix.com', Subject: 'Undeliverable Message' },
    text: `Message could not be delivered to mobile.\nError: No valid recipients for this MM\n\nOriginal Message:\nFrom: Ada <ada@acme.example>\nTo: ${to}\nSubject: A demo for you`,
  },
  {
    name: 'BIGLOBE, mailbox full',
    class: 'soft',
    header: { From: 'postmaster@biglobe.ne.jp', Subject: 'Returned mail:' },
    text: `   ----- The following addresses had delivery problems -----\n${to}\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.`,
    returned: 'attached',
  },
  {
    name: 'BIGLOBE, reason without an SMTP reply',
    class: 'unknown',
    header: { From: 'postmaster@biglobe.ne.jp', Subject: 'Returned mail:' },
    text: `   ----- The following addresses had delivery problems -----\n${to}\n\n   ----- Non-delivered information -----\nMail Delivery Failed... User unknown`,
    returned: 'attached',
  },
  {
    name: 'an X.400 gateway',
    class: 'hard',
    header: { From: 'postmaster@bone.example', Subject: 'Delivery Report (failure)' },
    text: `This report relates to your message: A demo for you.\n\nYour message was not delivered to ${to} for the following reason:\n\tDiagnostic was Unrecognised OR-name`,
    status: `Final-Recipient: rfc822; ${to}\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: x400; unrecognised-OR-name (0)`,
  },
  {
    name: 'Mailsweeper',
    class: 'hard',
    header: { From: 'directory@bone.example', Subject: 'Unknown user' },
    text: `A message could not be delivered to:\n\n${to}\n\nThe address above does not exist in the directory.`,
    status: 'Reporting-MTA: dns; mx.bone.example',
    returned: 'attached',
  },
  {
    name: 'Road Runner',
    class: 'unknown',
    header: {
      'Return-Path': null,
      From: 'E500_SMTP_Mail_Service@bone.example',
      Subject: 'Returned Mail - Error During Delivery',
    },
    text: `------ Failed Recipients ------\n\n<${to}>: Requested action not taken: mailbox unavailable. [SMTP Error Code 550]\n-------- Returned Mail --------\n\n${original.join('\n')}`,
  },
  {
    name: 'Symantec SMTP gateway, still trying',
    class: 'soft',
    header: {
      'Return-Path': '<gateway@bone.example>',
      From: 'Symantec_AntiVirus_for_SMTP_Gateways@bone.example',
      Subject: 'Delivery failure notification',
    },
    text: `Your message with Subject: A demo for you\ncould not be delivered to the following recipients:\n\n${to}\n\nPlease do not resend your original message.\n\nDelivery attempts will continue to be made for 5  day(s).`,
  },
  {
    name: 'an unknown gateway',
    class: 'unknown',
    header: {
      'Return-Path': '<ndr@bone.example>',
      From: 'ndr@bone.example',
      Subject: 'Mail delivery failed: returning message to sender',
    },
    text: 'This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its recipients.\n\nOne or more of the recipients are not a valid user of the system.',
    returned: 'attached',
  },
  {
    name: 'an unknown system, with the reply of the next server',
    class: 'unknown',
    header: { 'Return-Path': null, From: 'noreply@bone.example', Subject: 'Delivery Failure' },
    text: `Could not deliver message to the following recipient(s):\n\nFailed Recipient: ${to}\nReason: 550 5.1.1 unknown user <${to}>\n\n   -- The header and top 20 lines of the message follows --\n\n${original.join('\n')}`,
  },
]

const defaults = {
  'Return-Path': '<>',
  From: 'postmaster@bone.example',
  To: 'ada+k3y@acme.example',
  Subject: 'Undeliverable mail',
  'MIME-Version': '1.0',
}

const toRaw = ({ header, text, status, returned }: ServerNotice): Buffer => {
  const fields = Object.entries({ ...defaults, ...header }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${encodeHeader(value)}`],
  )
  const parts = [
    ['text/plain; charset=utf-8', text],
    ...(status ? [['message/delivery-status', status]] : []),
    ...(returned === 'attached' ? [['message/rfc822', `${original.join('\n')}\n\nHi Bob,`]] : []),
  ]
  const body =
    parts.length === 1
      ? [`Content-Type: ${parts[0]![0]}`, '', text]
      : [
          'Content-Type: multipart/mixed; boundary=b',
          '',
          ...parts.flatMap(([type, content]) => ['--b', `Content-Type: ${type}`, '', content!]),
          '--b--',
        ]
  return Buffer.from([...fields, ...body, ''].join('\n').replaceAll('\n', '\r\n'))
}

const encodeHeader = (value: string): string =>
  /^[ -~]*$/.test(value) ? value : `=?utf-8?B?${Buffer.from(value).toString('base64')}?=`

export const serverNotices: { name: string; to: string; class: BounceClass; raw: Buffer }[] = notices.map(
  notice => ({ name: notice.name, to, class: notice.class, raw: toRaw(notice) }),
)
