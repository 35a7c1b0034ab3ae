import type { MailClientKind } from '../../../src/server/protocols/mail-oauth/provider.ts'
import type { TokenErrorClass } from '../../../src/server/protocols/mail-oauth/token-error.ts'
import type { ImapFault } from './imap-proxy.ts'
import { type OAuthFault, oauthFaultClasses } from './oauth-faults.ts'
import type { TokenReaction } from './oauth-server.ts'
import type { Reaction as SmtpReaction } from './scripted-smtp.ts'

type Named<T> = { name: string } & T

/** An error of the token endpoint, and who has to fix it. */
export type TokenFault = Named<{ reaction: TokenReaction; resolvedBy: TokenErrorClass }>

/**
 * An error of a mail server during a sign-in with a token. `refused`: somebody has to fix it; `deferred`: it resolves
 * itself. With `isAboutToken`, the server may accept another token.
 */
export type SmtpFault = Named<{
  reaction: SmtpReaction
  outcome: 'refused' | 'deferred'
  isAboutToken?: true
}>
export type ImapSignInFault = Named<{ fault: ImapFault; isAboutToken?: true }>

const commonErrors = ['throttled', 'unavailable', 'proxyPage'] as const satisfies OAuthFault[]
const googleErrors = [
  'googleClientDisabled',
  'internalFailure',
  ...commonErrors,
] as const satisfies OAuthFault[]

/** The errors that a provider returns to a client of each kind. */
const names: Record<MailClientKind, readonly OAuthFault[]> = {
  google: [
    ...(['revoked', 'sessionEnded', 'adminPolicy', 'googleClientUnknown', 'googleClientGone'] as const),
    ...(['googleForeignUsers', ...googleErrors] as const),
  ],
  google_service_account: [
    'revoked',
    'unknownAssertion',
    'delegationMissing',
    'adminPolicy',
    ...googleErrors,
  ],
  microsoft: [
    ...(['interactionRequired', 'passwordChanged', 'idle', 'expired', 'signInFrequency', 'mfa'] as const),
    ...(['mfaEnrollment', 'conditionalAccess', 'disabled', 'noConsent', 'adminRequired'] as const),
    ...(['adminRequiredToo', 'unassigned', 'appAbsent', 'wrongSecret', 'secretExpired'] as const),
    ...(['redirectMismatch', 'notMultiTenant', 'tenantUnknown', 'resourceMissing', 'scopeInvalid'] as const),
    ...(['busy', 'serviceBusy', 'loop', ...commonErrors] as const),
  ],
  microsoft_app: [
    ...(['conditionalAccess', 'noConsent', 'adminRequired', 'unassigned', 'appAbsent'] as const),
    ...(['wrongSecret', 'secretExpired', 'resourceMissing', 'scopeInvalid', 'busy'] as const),
    ...(['serviceBusy', 'loop', ...commonErrors] as const),
  ],
}

/** Users don't sign in for an application, so an administrator or the operator has to fix these errors. */
const applicationClasses: Partial<Record<MailClientKind, Partial<Record<OAuthFault, TokenErrorClass>>>> = {
  google_service_account: { revoked: 'operator', unknownAssertion: 'operator', delegationMissing: 'admin' },
  microsoft_app: { conditionalAccess: 'admin' },
}

export const getTokenFaults = (kind: MailClientKind): TokenFault[] => [
  ...names[kind].map(name => ({
    name,
    reaction: name,
    resolvedBy: applicationClasses[kind]?.[name] ?? oauthFaultClasses[name],
  })),
  { name: 'a closed connection', reaction: 'cut', resolvedBy: 'transient' },
  { name: 'a lost response', reaction: 'lost', resolvedBy: 'transient' },
]

const challenge = `334 ${btoa('{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}')}`
const cut: SmtpFault[] = [
  { name: 'a closed connection', reaction: 'cut', outcome: 'deferred' },
  { name: 'a reset connection', reaction: 'reset', outcome: 'deferred' },
]

export const smtpFaults: Record<'google' | 'microsoft', SmtpFault[]> = {
  google: [
    { name: 'a challenge, then 535 5.7.8', reaction: challenge, outcome: 'refused', isAboutToken: true },
    {
      name: '535 5.7.8',
      reaction:
        '535-5.7.8 Username and Password not accepted. For more information, go to\r\n535 5.7.8 https://support.google.com/mail/?p=BadCredentials a1-20 - gsmtp',
      ...{ outcome: 'refused', isAboutToken: true },
    },
    {
      name: '534 5.7.9',
      reaction: '534 5.7.9 Please log in with your web browser and then try again. a1-20 - gsmtp',
      outcome: 'refused',
    },
    {
      name: '454 4.7.0',
      reaction: '454 4.7.0 Too many login attempts, please try again later. a1-20 - gsmtp',
      outcome: 'deferred',
    },
    {
      name: '421 4.7.0',
      reaction: '421 4.7.0 Temporary System Problem. Try again later. a1-20 - gsmtp',
      outcome: 'deferred',
    },
    {
      name: '421 4.3.0',
      reaction: '421 4.3.0 Temporary System Problem. Try again later. a1-20 - gsmtp',
      outcome: 'deferred',
    },
    ...cut,
  ],
  microsoft: [
    {
      name: '535 5.7.3',
      reaction: '535 5.7.3 Authentication unsuccessful [AM0PR01CA0001.eurprd01.prod.exchangelabs.com]',
      ...{ outcome: 'refused', isAboutToken: true },
    },
    {
      name: '535 5.7.139 for the tenant',
      reaction:
        '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant. Visit https://aka.ms/smtp_auth_disabled for more information.',
      outcome: 'refused',
    },
    {
      name: '535 5.7.139 for the mailbox',
      reaction:
        '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox.',
      outcome: 'refused',
    },
    {
      name: '432 4.3.2',
      reaction: '432 4.3.2 Concurrent connections limit exceeded. Visit https://aka.ms/concurrent_sending',
      outcome: 'deferred',
    },
    {
      name: '454 4.7.0',
      reaction: '454 4.7.0 Temporary authentication failure',
      outcome: 'deferred',
    },
    {
      name: '451 4.7.0',
      reaction: '451 4.7.0 Temporary server error. Please try again later. PRX5',
      outcome: 'deferred',
    },
    {
      name: '421 4.3.2',
      reaction: '421 4.3.2 Service not available, closing transmission channel',
      outcome: 'deferred',
    },
    ...cut,
  ],
}

const dropped: ImapSignInFault[] = [
  { name: 'BYE', fault: { reply: '* BYE Temporary problem, please try again later' } },
  { name: 'a closed connection', fault: 'cut' },
]

export const imapFaults: Record<'google' | 'microsoft', ImapSignInFault[]> = {
  google: [
    {
      name: 'a challenge, then AUTHENTICATIONFAILED',
      fault: { reply: 'NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)', isChallenged: true },
      isAboutToken: true,
    },
    {
      name: 'WEBALERT',
      fault: { reply: 'NO [WEBALERT https://accounts.google.com/signin] Web login required.' },
      isAboutToken: true,
    },
    {
      name: 'too many connections',
      fault: { reply: 'NO [ALERT] Too many simultaneous connections. (Failure)' },
    },
    { name: 'UNAVAILABLE', fault: { reply: 'NO [UNAVAILABLE] Temporary System Error' } },
    ...dropped,
  ],
  microsoft: [
    { name: 'AUTHENTICATE failed', fault: { reply: 'NO AUTHENTICATE failed.' }, isAboutToken: true },
    {
      name: 'authenticated but not connected',
      fault: { reply: 'BAD User is authenticated but not connected.', command: 'EXAMINE' },
    },
    { name: 'UNAVAILABLE', fault: { reply: 'NO [UNAVAILABLE] Server Unavailable. 15' } },
    {
      name: 'LIMIT',
      fault: { reply: 'NO [LIMIT] Request is throttled. Suggested Backoff Time: 1000 milliseconds' },
    },
    ...dropped,
  ],
}
