import { generateKeyPairSync, randomUUIDv7 } from 'node:crypto'
import { createSemaphore } from '../../src/server/kernel/async/semaphore.ts'
import { isApplicationKind, type MailClientKind } from '../../src/server/protocols/mail-oauth/provider.ts'
import { readXoauth2 } from '../chaos/faulty-oauth.ts'
import { Journal } from '../chaos/journal.ts'
import { openJournaledSmtp } from '../chaos/journaled-smtp.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { Dovecot } from '../support/mail/dovecot.ts'
import { ImapProxy } from '../support/mail/imap-proxy.ts'
import { makeOAuthUser } from '../support/mail/oauth-grants.ts'
import { OAuthServer } from '../support/mail/oauth-server.ts'
import {
  getTokenFaults,
  type ImapSignInFault,
  imapFaults,
  type SmtpFault,
  smtpFaults,
  type TokenFault,
} from '../support/mail/sign-in-errors.ts'

export type Provider = 'google' | 'microsoft'
export type Activity = 'connecting' | 'sending' | 'syncing'

/** An error from one of the provider's servers, for mailboxes that connect through a client of this kind. */
export type Case = { kind: MailClientKind } & (
  | { server: 'token endpoint'; fault: TokenFault }
  | { server: 'SMTP server'; fault: SmtpFault }
  | { server: 'IMAP server'; fault: ImapSignInFault }
)

const kinds = {
  google: ['google', 'google_service_account'],
  microsoft: ['microsoft', 'microsoft_app'],
} as const satisfies Record<Provider, MailClientKind[]>

export const getCases = (provider: Provider): Case[] =>
  kinds[provider].flatMap(kind => [
    ...getTokenFaults(kind).map(fault => ({ kind, server: 'token endpoint', fault }) as const),
    ...smtpFaults[provider].map(fault => ({ kind, server: 'SMTP server', fault }) as const),
    ...imapFaults[provider].map(fault => ({ kind, server: 'IMAP server', fault }) as const),
  ])

/** The activities in which the server can return an error. */
export const activitiesByServer: Record<Case['server'], Activity[]> = {
  'token endpoint': ['connecting', 'sending', 'syncing'],
  'SMTP server': ['connecting', 'sending'],
  'IMAP server': ['connecting', 'syncing'],
}

export const formatCase = ({ kind, server, fault }: Case): string => `${kind}, ${server}: ${fault.name}`

export type Mailbox = Case & {
  owner: Caller
  repId: string
  mailboxId: string
  email: string
  /** Signs in as the owner of the mailbox, or verifies a mailbox that an application opens. */
  connect: () => Promise<unknown>
}

export type Servers = {
  app: TestApp
  oauth: OAuthServer
  dovecot: Dovecot
  journal: Journal
  /** The mailboxes for which the servers return errors, by address. */
  failing: Map<string, Case>
  requests: Map<string, number>
}

/** Opens the servers of a provider, each of which fails for the mailboxes whose case names it. */
export async function openServers(provider: Provider, opened: AsyncDisposableStack): Promise<Servers> {
  const journal = opened.use(new Journal())
  const failing: Servers['failing'] = new Map()
  const requests = new Map<string, number>()
  const oauth = opened.use(await OAuthServer.open(provider))
  oauth.onToken = ({ email = '' }) => {
    requests.set(email, (requests.get(email) ?? 0) + 1)
    const found = failing.get(email)
    return found?.server === 'token endpoint' ? found.fault.reaction : undefined
  }
  const smtp = await openJournaledSmtp(
    journal,
    (step, line) => {
      const found = step === 'AUTH' ? failing.get(readXoauth2(line).user) : undefined
      return found?.server === 'SMTP server' ? { reaction: found.fault.reaction } : undefined
    },
    oauth,
  )
  opened.use(smtp)
  const dovecot = opened.use(await Dovecot.open({ introspectionUrl: oauth.introspectionUrl }))
  const imap = opened.use(await ImapProxy.open(dovecot.port))
  imap.findFault = user => {
    const found = failing.get(user)
    return found?.server === 'IMAP server' ? found.fault.fault : undefined
  }
  const mailServers = `smtp://127.0.0.1:${smtp.port}?tls=none,imap://127.0.0.1:${imap.port}?tls=none`
  const app = await openTestApp({
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PUBLIC_URL: 'https://outreach.acme.example',
    GOOGLE_OAUTH_URL: oauth.url,
    GOOGLE_MAIL_SERVERS: mailServers,
    MICROSOFT_LOGIN_URL: oauth.url,
    MICROSOFT_MAIL_SERVERS: mailServers,
  })
  opened.use(app)
  oauth.now = app.now
  oauth.redirectUris.add('https://outreach.acme.example/settings/senders/connected')
  oauth.serviceAccounts.set(issuer, { key: privateKey, users: new Set() })
  return { app, oauth, dovecot, journal, failing, requests }
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = 'overture@project.iam.gserviceaccount.example'
const keyFile = JSON.stringify({
  type: 'service_account',
  client_id: '1234567890',
  client_email: issuer,
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
})

/** Creates an account with its own client and a mailbox that is not connected yet. */
export async function makeMailbox({ app, oauth }: Servers, each: Case): Promise<Mailbox> {
  const { kind } = each
  const owner = await makeCaller(app)
  const email = `ada-${randomUUIDv7()}@acme.example`
  // The client ID identifies the mailbox for which an application requests a token.
  const clientId = owner.accountId
  oauth.clients.set(clientId, 'client-secret-1')
  oauth.appMailboxes.set(clientId, email)
  oauth.serviceAccounts.get(issuer)!.users.add(email)
  const secret = kind === 'google_service_account' ? keyFile : 'client-secret-1'
  await owner.call('setMailClient', {
    ...{ kind, secret, ...(kind !== 'google_service_account' && { clientId }) },
    ...(kind === 'google' && { publishingStatus: 'internal' as const }),
    ...(kind === 'microsoft' && { tenant: 'organizations' }),
    ...(kind === 'microsoft_app' && { tenant: 'acme.example' }),
  })
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'smtp', email, provider: kind })
  const signIn = async () => {
    const { url } = await owner.call('connectMailbox', { mailboxId })
    const { searchParams } = await visitOneAtATime(async () => {
      oauth.user = makeOAuthUser(email)
      return oauth.visit(url)
    })
    await owner.call('completeMailboxConnection', {
      state: searchParams.get('state')!,
      code: searchParams.get('code')!,
    })
  }
  const verify = () => owner.call('verifyMailbox', { mailboxId })
  return { ...each, owner, repId, mailboxId, email, connect: isApplicationKind(kind) ? verify : signIn }
}

/** Serializes sign-ins, because the fake provider signs in its current `user`, regardless of who visits it. */
const visitOneAtATime = createSemaphore(1)
