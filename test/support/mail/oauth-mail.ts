import { randomUUIDv7 } from 'node:crypto'
import type { RawInput } from '../../../src/contract/index.ts'
import { storeGrantImap } from '../../../src/server/domain/mailboxes/imap-settings.ts'
import { storeConnection } from '../../../src/server/domain/mailboxes/mailbox-grants.ts'
import { inAccount } from '../../../src/server/kernel/context.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../app.ts'
import { Dovecot } from './dovecot.ts'
import { ImapProxy } from './imap-proxy.ts'
import { makeOAuthUser } from './oauth-grants.ts'
import { OAuthServer, oauthClientId } from './oauth-server.ts'
import { type OAuthSmtp, openOAuthSmtp } from './oauth-smtp.ts'

/** The servers of a provider, and the settings of an installation whose mailboxes connect to them. */
export type MailProviderServers = AsyncDisposable & {
  settings: Record<string, string>
  oauth: OAuthServer
  smtp: OAuthSmtp
  dovecot: Dovecot
}

export type OAuthMail = MailProviderServers & { app: TestApp }

export async function openOAuthMail(mode: 'google' | 'microsoft'): Promise<OAuthMail> {
  const servers = await openMailProvider(mode, 'https://outreach.acme.example')
  const app = await openTestApp(servers.settings)
  return {
    ...servers,
    app,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]()
      await servers[Symbol.asyncDispose]()
    },
  }
}

export async function openMailProvider(
  mode: 'google' | 'microsoft',
  publicUrl: string,
): Promise<MailProviderServers> {
  const oauth = await OAuthServer.open(mode)
  const smtp = await openOAuthSmtp(oauth, mode)
  const dovecot = await Dovecot.open({ introspectionUrl: oauth.introspectionUrl })
  const imap = await openExchange(oauth, dovecot)
  const servers = `smtp://127.0.0.1:${smtp.port}?tls=none,imap://127.0.0.1:${imap.port}?tls=none`
  oauth.redirectUris.add(`${publicUrl}/settings/senders/connected`)
  return {
    settings: {
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      PUBLIC_URL: publicUrl,
      GOOGLE_OAUTH_URL: oauth.url,
      GOOGLE_MAIL_SERVERS: servers,
      MICROSOFT_LOGIN_URL: oauth.url,
      MICROSOFT_MAIL_SERVERS: servers,
    },
    ...{ oauth, smtp, dovecot },
    [Symbol.asyncDispose]: async () => {
      for (const each of [smtp, imap, dovecot, oauth]) await each[Symbol.asyncDispose]()
    },
  }
}

/**
 * Opens an IMAP proxy that lets users sign in to shared mailboxes with their own tokens, as Microsoft does. A user who
 * may not open the mailbox gets an error when opening its first folder.
 */
async function openExchange(oauth: OAuthServer, dovecot: Dovecot): Promise<ImapProxy> {
  const imap = await ImapProxy.open(dovecot.port)
  const closed = new Set<string>()
  imap.findFault = mailbox =>
    closed.has(mailbox)
      ? { reply: 'BAD User is authenticated but not connected.', command: 'EXAMINE' }
      : undefined
  imap.exchangeToken = (mailbox, token) => {
    const exchanged = oauth.exchangeToken(mailbox, token)
    closed.delete(mailbox)
    if (exchanged?.mayOpen === false) closed.add(mailbox)
    return exchanged?.token ?? token
  }
  return imap
}

/** Creates an account with its own client and a mailbox that is not connected yet. */
export async function makeOAuthMailbox({ app, oauth }: OAuthMail, { isShared = false } = {}) {
  const owner = await makeCaller(app)
  const kind = oauth.mode === 'google' ? ('google' as const) : ('microsoft' as const)
  await owner.call('setMailClient', {
    ...{ kind, clientId: oauthClientId, secret: 'client-secret-1' },
    ...(kind === 'google' ? { publishingStatus: 'internal' as const } : { tenant: 'organizations' }),
  })
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const email = `ada-${randomUUIDv7()}@acme.example`
  const { id: mailboxId } = await owner.call('createMailbox', {
    ...{ repId, kind: 'smtp', email, provider: kind, dailyCap: null, minGapSeconds: 0 },
    ...(isShared && { isShared }),
  })
  /**
   * Signs in at the provider, by default as the mailbox's owner, and returns the parameters that the
   * provider adds to the redirect URI.
   */
  const signIn = async (
    user = makeOAuthUser(email),
    options: Omit<RawInput<'connectMailbox'>, 'mailboxId'> = {},
  ) => {
    oauth.user = user
    const { url } = await owner.call('connectMailbox', { mailboxId, ...options })
    const { searchParams } = await oauth.visit(url)
    const [state, code, error] = ['state', 'code', 'error'].map(name => searchParams.get(name) ?? undefined)
    return { state: state!, ...(code && { code }), ...(error && { error }) }
  }
  const connect = async (...given: Parameters<typeof signIn>) =>
    owner.call('completeMailboxConnection', await signIn(...given))
  return { owner, repId, mailboxId, email, kind, signIn, connect }
}

/**
 * Returns settings of an installation whose mailboxes get their tokens from this server, through a client for all
 * accounts.
 */
export const getOAuthSettings = ({ url }: OAuthServer) => ({
  ...{ GOOGLE_OAUTH_URL: url, GOOGLE_CLIENT_ID: oauthClientId, GOOGLE_CLIENT_SECRET: 'client-secret-1' },
  ...{
    MICROSOFT_LOGIN_URL: url,
    MICROSOFT_CLIENT_ID: oauthClientId,
    MICROSOFT_CLIENT_SECRET: 'client-secret-1',
  },
})

/** Stores tokens, as a sign-in by the mailbox's owner does. The mailbox keeps its servers. */
export async function connectToGrant(
  { app, oauth }: Pick<OAuthMail, 'app' | 'oauth'>,
  { email, ...key }: { accountId: string; mailboxId: string; email: string },
): Promise<void> {
  const kind = oauth.mode === 'google' ? ('google' as const) : ('microsoft' as const)
  const tokens = oauth.issueGrant(makeOAuthUser(email))
  const connection = { kind, clientId: oauthClientId, subject: email, login: email, tokens }
  await inAccount(app.db.work, key.accountId, tx => storeConnection(app, tx, key, connection, app.now()))
}

/** Makes a mailbox with a grant receive from this port instead of its provider's server. */
export const receiveWithGrant = (
  { accountId, context }: Caller,
  { mailboxId, user, port }: { mailboxId: string; user: string; port: number },
): Promise<void> =>
  inAccount(context.app.db.app, accountId, sql =>
    storeGrantImap(
      { ...context, sql },
      { accountId, mailboxId },
      { host: '127.0.0.1', port, tls: 'none', user },
    ),
  )
