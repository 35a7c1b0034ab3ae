import type { mailClientKinds } from '../../../contract/mail-clients.ts'
import type { Config } from '../../kernel/config.ts'

export type MailClientKind = (typeof mailClientKinds)[number]

/** A client registered with Google or Microsoft, with its secret decrypted. Never log or store it. */
export type MailClient = {
  kind: MailClientKind
  clientId: string
  /** The client secret, or the key file of a service account. */
  secret: string
  /** Microsoft only: a tenant ID, `organizations`, `consumers` or `common`. */
  tenant?: string | undefined
}

type Urls = Pick<Config, 'googleOauthUrl' | 'microsoftLoginUrl'>

export const isGoogle = (kind: MailClientKind): boolean => kind.startsWith('google')

/** Returns true for clients that open every mailbox of an organization, without a user's consent. */
export const isApplicationKind = (kind: MailClientKind): boolean =>
  kind === 'google_service_account' || kind === 'microsoft_app'

export const GOOGLE_MAIL_SCOPE = 'https://mail.google.com/'
const MICROSOFT_MAIL_SCOPES =
  'https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send'
export const MICROSOFT_APP_SCOPE = 'https://outlook.office365.com/.default'

/**
 * Returns the scopes that a user is asked to grant. Microsoft allows the scopes of only one API per request, so those
 * of Microsoft Graph are not included.
 */
const getScope = (kind: MailClientKind): string =>
  isGoogle(kind)
    ? `${GOOGLE_MAIL_SCOPE} openid email`
    : `openid profile email offline_access ${MICROSOFT_MAIL_SCOPES}`

/** Returns the required scopes that were not granted, because users can deselect scopes. */
export function findMissingScopes(kind: MailClientKind, granted: string): string[] {
  const given = new Set(granted.toLowerCase().split(/\s+/))
  const needed = isGoogle(kind) ? [GOOGLE_MAIL_SCOPE] : MICROSOFT_MAIL_SCOPES.split(' ')
  return needed.filter(scope => !given.has(scope.toLowerCase()))
}

export const getTokenUrl = ({ kind, tenant }: MailClient, urls: Urls): URL =>
  new URL(
    isGoogle(kind)
      ? `${urls.googleOauthUrl}/token`
      : `${urls.microsoftLoginUrl}/${encodeTenant(tenant)}/oauth2/v2.0/token`,
  )

export const getRevocationUrl = (urls: Urls): URL => new URL(`${urls.googleOauthUrl}/revoke`)

/** Google signs users in at a different host from the one that issues tokens. */
const GOOGLE_TOKEN_HOST = 'https://oauth2.googleapis.com'
const getGoogleSignInUrl = ({ googleOauthUrl }: Urls): string =>
  googleOauthUrl === GOOGLE_TOKEN_HOST ? 'https://accounts.google.com' : googleOauthUrl

export type Authorization = {
  redirectUri: string
  state: string
  nonce: string
  challenge: string
  /** The user who is expected to sign in, if known. */
  user: string | undefined
  /** Shows the account picker, after the user chose an account other than the mailbox's. */
  selectsAccount: boolean
}

/** Returns the URL at which the owner of a mailbox signs in and consents. */
export function buildAuthorizationUrl(
  { kind, clientId, tenant }: MailClient,
  { redirectUri, state, nonce, challenge, user, selectsAccount }: Authorization,
  urls: Urls,
): string {
  const url = new URL(
    isGoogle(kind)
      ? `${getGoogleSignInUrl(urls)}/o/oauth2/v2/auth`
      : `${urls.microsoftLoginUrl}/${encodeTenant(tenant)}/oauth2/v2.0/authorize`,
  )
  // Without `consent`, Google returns no refresh token for a user who has consented before. With it, Microsoft would
  // ask users for an approval that they can't give, even if the tenant's administrator has already consented.
  const googlePrompt = selectsAccount ? 'select_account consent' : 'consent'
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: getScope(kind),
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(user && { login_hint: user }),
    ...(isGoogle(kind) ? { access_type: 'offline', prompt: googlePrompt } : { prompt: 'select_account' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Returns the URL at which an administrator of a Microsoft tenant consents for everyone; undefined for Google. */
export function buildAdminConsentUrl(
  { kind, clientId, tenant }: Pick<MailClient, 'kind' | 'clientId' | 'tenant'>,
  { redirectUri, state }: Pick<Authorization, 'redirectUri' | 'state'>,
  urls: Urls,
): string | undefined {
  if (isGoogle(kind)) return undefined
  const isAnyTenant = !tenant || ['common', 'consumers'].includes(tenant)
  const url = new URL(
    `${urls.microsoftLoginUrl}/${encodeTenant(isAnyTenant ? 'organizations' : tenant)}/v2.0/adminconsent`,
  )
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('scope', kind === 'microsoft_app' ? MICROSOFT_APP_SCOPE : MICROSOFT_MAIL_SCOPES)
  url.searchParams.set('redirect_uri', redirectUri)
  url.searchParams.set('state', state)
  return url.href
}

const encodeTenant = (tenant = 'organizations'): string => encodeURIComponent(tenant)
