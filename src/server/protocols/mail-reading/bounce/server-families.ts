import type { ParsedEmail } from '../../mime/parse.ts'
import type { ReasonPhrases } from './phrases.ts'

/** A mail server product whose notices follow no standard. */
export type ServerFamily = {
  name: string
  /** A header field that only this program's notices have. */
  header?: [name: string, value: RegExp]
  /** Matches the opening of the program's notices, in lower case on one line. */
  opening?: RegExp
  /** Matches the line above the failed recipients. The text above that line lists all recipients of the original. */
  recipientsBelow?: RegExp
  /** The program's own phrases. They take precedence over general phrases, and `hard` needs no further proof. */
  reasons?: ReasonPhrases[]
  /** Set if the program reports an unknown user only after its own lookup or a refused `RCPT TO`. */
  verifiesRecipients?: true
  /** Set if the subject explains the failure and never repeats the subject of the returned email. */
  explainsInSubject?: true
}

export const serverFamilies: readonly ServerFamily[] = [
  {
    name: 'Domino',
    opening: /^your message subject: .{0,300}? was not delivered to: /,
    recipientsBelow: /^was not delivered to:/im,
    reasons: [
      { class: 'soft', reason: 'server busy or broken', phrases: [/several matches found/] },
      { class: 'unknown', reason: 'no route to the user', phrases: [/cannot route mail to user/] },
      {
        class: 'hard',
        reason: 'unknown user',
        // The directory's name is not translated: "User bob (bob@…) not listed in Domino Directory"
        phrases: [/\(@\).{0,60}(?:\bdomino\b|name & address book)/],
      },
    ],
  },
  {
    name: 'Notes',
    opening: /^-{3,20} {0,3}failure reasons {0,3}-{3,20}/,
    reasons: [{ class: 'hard', reason: 'unknown user', phrases: [/ディレクトリのリストにありません/] }],
    verifiesRecipients: true,
  },
  {
    name: 'McAfee Email Gateway',
    opening: /^--- the following addresses had delivery problems --- /,
    verifiesRecipients: true,
  },
  {
    name: 'MessageLabs',
    opening: /^this is the mail delivery agent at messagelabs\b/,
    reasons: [{ class: 'hard', reason: 'unknown user', phrases: [/\b542 <?@>? rejected/] }],
    verifiesRecipients: true,
  },
  {
    name: 'IMail',
    opening:
      /^(?:(?:unknown user|unknown host|invalid final delivery userid|user mailbox exceeds allowed size|delivery failed \d{1,4} attempts): \S{1,200}@|undeliverable to \S{1,200}@)/,
    reasons: [
      { class: 'soft', reason: 'mailbox full', phrases: [/user mailbox exceeds allowed size/] },
      { class: 'hard', reason: 'unknown user', phrases: [/invalid final delivery userid: @/] },
      { class: 'hard', reason: 'unknown host', phrases: [/unknown host: @/] },
    ],
    verifiesRecipients: true,
  },
  {
    name: 'InterScan',
    opening: /^\*{3,20} message from interscan /,
  },
  {
    name: 'KDDI',
    opening: /^your mail (?:sent|attempted to be delivered) on:? .{1,80}? could not be delivered to: /,
  },
  {
    name: 'Active!hunter',
    header: ['x-ahmailid', /./],
    verifiesRecipients: true,
  },
  {
    name: 'fml',
    header: ['message-id', /^<\d{1,30}\.fml/i],
    reasons: [
      {
        class: 'policy',
        reason: 'sender refused',
        phrases: [
          /not member article from|are not (?:a )?member|reject (?:mail|spammers|since)|spam mail from a spammer|security alert/,
        ],
      },
      {
        class: 'soft',
        reason: 'network',
        phrases: [/duplicated message-id|detected a loop|loop (?:alert|back warning)|unix from loop/],
      },
    ],
    explainsInSubject: true,
  },
  {
    name: 'Exchange 5.5',
    header: ['x-ms-embedded-report', /^/],
    opening: /^your message to: .{0,900}? did not reach the following recipient\(s\): /,
    recipientsBelow: /^did not reach the following recipient\(s\):/im,
    // The codes are the same in every language of the server.
    reasons: [
      { class: 'hard', reason: 'unknown user', phrases: [/\(000c05a6\)/] },
      { class: 'unknown', reason: 'ambiguous recipient', phrases: [/\(000c0595\)/] },
      { class: 'soft', reason: 'server busy or broken', phrases: [/\((?:00010256|000d06b5|00120270)\)/] },
      { class: 'unknown', reason: 'content refused', phrases: [/\((?:00050311|000502cc)\)/] },
      { class: 'policy', reason: 'sender not authenticated', phrases: [/\(000b0981\)/] },
    ],
  },
  {
    name: 'Verizon',
    header: ['from', /^<?(?:post_master|sysadmin)@(?:[\w-]{1,60}\.){0,5}(?:vtext|vzwpix)\.com>?$/i],
    reasons: [
      {
        class: 'hard',
        reason: 'unknown user',
        phrases: [/error: invalid user address|no valid recipients for this mm/],
      },
    ],
  },
]

const openingLength = 1_500
/** Remains of a broken MIME structure. */
const mimeDebris = /^(?:--\S{1,100}|content-[\w-]{1,40}:.{0,200}|[ \t]{0,9}boundary=.{0,200})$/gim

/** Finds the program that wrote a notice; returns undefined when the format is not specific to one program. */
export function findServerFamily({ headers }: ParsedEmail, notice: string): ServerFamily | undefined {
  const opening = notice
    .slice(0, openingLength)
    .replace(mimeDebris, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
  return serverFamilies.find(
    ({ header, opening: opens }) =>
      (header && headers.get(header[0])?.some(value => header[1].test(value))) || opens?.test(opening),
  )
}
