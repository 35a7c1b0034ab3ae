/**
 * The party that can resolve the error, or `transient`:
 * - `user`: the owner of the mailbox has to connect it again.
 * - `admin`: an administrator of the Google Workspace or Microsoft 365 tenant has to allow access.
 * - `operator`: the registered client is wrong; every mailbox that uses it is affected.
 * - `transient`: the token endpoint is unreachable, busy or broken; access may still be granted.
 */
export const tokenErrorClasses = ['user', 'admin', 'operator', 'transient'] as const
export type TokenErrorClass = (typeof tokenErrorClasses)[number]

/** The reason no access token can be obtained. `reason` is a sentence for people, without the final period. */
export type TokenError = { class: TokenErrorClass; code: string; reason: string }

type Meaning = readonly [TokenErrorClass, string]

/**
 * Codes in Microsoft's error responses, which are more specific than `error`. Without a known code, `error` decides.
 */
const microsoftCodes: Record<string, Meaning> = {
  50173: ['user', 'Access was revoked, for example because the password was reset'],
  700082: ['user', 'Access expired because the mailbox was not used for 90 days'],
  70008: ['user', 'Access has expired'],
  70043: ['user', 'Access has expired, because your organization requires a new sign-in from time to time'],
  50076: ['user', 'Your organization requires multi-factor authentication'],
  50079: ['user', 'Your organization requires you to set up multi-factor authentication'],
  53003: ['user', "Your organization's conditional access policy blocked the sign-in"],
  50057: ['user', 'The user account is disabled'],
  65001: ['admin', 'Nobody has consented to Overture in your organization'],
  90094: ['admin', 'An administrator of your organization must consent to Overture'],
  90095: ['admin', 'An administrator of your organization must consent to Overture'],
  50105: ['admin', 'An administrator must assign the user to the enterprise application'],
  700016: ['admin', 'The application does not exist in your organization, so an administrator must add it'],
  7000215: ['operator', 'The client secret is wrong: store its value, not its ID'],
  7000222: ['operator', 'The client secret has expired'],
  90002: ['operator', 'The tenant of the mail client is wrong: enter the ID of your tenant'],
  900023: ['operator', 'The tenant of the mail client is wrong: enter the ID of your tenant'],
  50011: ['operator', 'The redirect URI is not registered with the application'],
  50194: ['operator', 'The application belongs to a single tenant, whose ID must be entered as the tenant'],
  650057: ['operator', 'The application lacks the permissions for IMAP and SMTP'],
  70011: ['operator', 'The provider does not recognize the requested permissions'],
  90033: ['transient', 'Microsoft has a temporary problem'],
  50196: ['transient', 'Microsoft detected too many sign-ins in a short time'],
}

/** Errors of RFC 6749 and OpenID Connect, and those that Google adds. The operator must resolve any other error. */
const errors: Record<string, Meaning> = {
  invalid_grant: ['user', 'Access was revoked or has expired'],
  interaction_required: ['user', 'The provider requires a new sign-in'],
  login_required: ['user', 'The provider requires a new sign-in'],
  access_denied: ['user', 'Access was denied'],
  consent_required: ['admin', 'An administrator of your organization must consent to Overture'],
  admin_policy_enforced: [
    'admin',
    'A policy of your Google Workspace blocks Overture. In the Google Admin console, under Security → Access and data control → API controls → Manage app access, an administrator must trust the client ID that Overture shows under Settings → Google and Microsoft',
  ],
  unauthorized_client: ['operator', 'The provider does not allow this client to obtain tokens'],
  invalid_client: ['operator', 'The provider rejected the client ID or secret'],
  deleted_client: ['operator', 'The OAuth client was deleted at the provider'],
  disabled_client: ['operator', 'The OAuth client was disabled at the provider'],
  org_internal: ['operator', 'The OAuth client is for users of another organization only'],
  temporarily_unavailable: ['transient', 'The provider is temporarily unavailable'],
  server_error: ['transient', 'The provider has a temporary problem'],
  slow_down: ['transient', 'The provider is limiting requests'],
}

/** Errors of clients that act without a user. An administrator grants such clients access. */
const serviceAccountErrors: Record<string, Meaning> = {
  unauthorized_client: [
    'admin',
    'An administrator must delegate the scope https://mail.google.com/ to the service account, with its numeric client ID',
  ],
  invalid_grant: ['operator', 'Google rejected the service account key or does not recognize the address'],
}

export type TokenResponse = { status: number; body: unknown }

const MAX_DETAIL = 300

/** Converts a token endpoint's response to an error. Only an OAuth error response can mean that access was revoked. */
export function toTokenError(
  { status, body }: TokenResponse,
  {
    isServiceAccount = false,
    isApplication = isServiceAccount,
  }: { isServiceAccount?: boolean; isApplication?: boolean } = {},
): TokenError {
  const { error, error_description: description } = (body ?? {}) as Record<string, unknown>
  if (typeof error !== 'string' || status >= 500 || status === 429)
    return {
      class: 'transient',
      code: `http_${status}`,
      reason: `The provider returned status ${status}`,
    }
  const code = findMicrosoftCode(body)
  const [errorClass, message] =
    (code && microsoftCodes[code]) ||
    (isServiceAccount && serviceAccountErrors[error]) ||
    errors[error] ||
    (['operator', 'The provider rejected the request'] as const)
  const detail = typeof description === 'string' && errorClass !== 'user' ? `: ${clean(description)}` : ''
  // An application has access without a user's sign-in, so the user can't resolve the error by signing in again.
  const resolvedBy = isApplication && errorClass === 'user' ? 'admin' : errorClass
  return { class: resolvedBy, code: code ? `AADSTS${code}` : clean(error), reason: `${message}${detail}` }
}

export const toNetworkError = (error: unknown): TokenError => ({
  class: 'transient',
  code: 'network',
  reason: `The provider's sign-in server did not respond: ${clean(String((error as Error)?.message ?? error))}`,
})

/** Finds the first code listed in `microsoftCodes`. */
function findMicrosoftCode(body: unknown): string | undefined {
  const { error_codes: codes, error_description: description } = body as Record<string, unknown>
  const listed = Array.isArray(codes) ? codes.map(String) : []
  const described = [...String(description ?? '').matchAll(/AADSTS(\d+)/g)].map(([, code]) => code!)
  return [...listed, ...described].find(code => code in microsoftCodes)
}

/** Returns the text as one line of at most 300 characters, without Microsoft's trace IDs. */
const clean = (text: string): string =>
  text
    .replace(/\s*(?:Trace ID|Correlation ID|Timestamp):.*$/s, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
    .slice(0, MAX_DETAIL)
