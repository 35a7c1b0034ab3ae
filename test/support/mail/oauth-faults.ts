import type { TokenErrorClass } from '../../../src/server/protocols/mail-oauth/token-error.ts'

type TokenResponse = { status: number; body: object | string }

const aadsts = (status: number, error: string, code: number, message: string): TokenResponse => ({
  status,
  body: {
    error,
    error_description: `AADSTS${code}: ${message} Trace ID: 0f1e2d3c-0000 Correlation ID: 0f1e2d3c-0001`,
    error_codes: [code],
    timestamp: '2026-11-24 10:00:00Z',
    trace_id: '0f1e2d3c-0000',
    correlation_id: '0f1e2d3c-0001',
  },
})

const grantFault = (code: number, message: string) => aadsts(400, 'invalid_grant', code, message)

/** Error responses of token endpoints, in the format of Google or Microsoft. */
export const oauthFaults = {
  revoked: {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
  },
  sessionEnded: {
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: 'reauth related error (invalid_rapt)',
      error_subtype: 'invalid_rapt',
    },
  },
  interactionRequired: aadsts(400, 'interaction_required', 50076, 'Due to a configuration change, use MFA.'),
  passwordChanged: grantFault(50173, 'The provided grant has expired due to it being revoked.'),
  idle: grantFault(700082, 'The refresh token has expired due to inactivity.'),
  expired: grantFault(70008, 'The provided authorization code or refresh token has expired.'),
  signInFrequency: grantFault(70043, 'The refresh token has expired due to sign-in frequency checks.'),
  mfa: grantFault(50076, 'You must use multi-factor authentication.'),
  mfaEnrollment: grantFault(50079, 'You must enroll in multi-factor authentication.'),
  conditionalAccess: grantFault(53003, 'Access has been blocked by Conditional Access policies.'),
  disabled: grantFault(50057, 'The user account is disabled.'),
  noConsent: grantFault(65001, 'The user or administrator has not consented to use the application.'),
  adminRequired: aadsts(400, 'access_denied', 90094, 'Admin consent is required.'),
  adminRequiredToo: aadsts(400, 'access_denied', 90095, 'Admin consent is required for the request.'),
  unassigned: grantFault(50105, 'The user is not assigned to a role for the application.'),
  adminPolicy: {
    status: 400,
    body: { error: 'admin_policy_enforced', error_description: 'Access is blocked by your administrator.' },
  },
  appAbsent: aadsts(400, 'unauthorized_client', 700016, 'Application was not found in the directory.'),
  delegationMissing: {
    status: 401,
    body: {
      error: 'unauthorized_client',
      error_description: 'Client is unauthorized to retrieve access tokens using this method.',
    },
  },
  unknownAssertion: {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
  },
  wrongSecret: aadsts(401, 'invalid_client', 7000215, 'Invalid client secret provided.'),
  secretExpired: aadsts(401, 'invalid_client', 7000222, 'The provided client secret keys are expired.'),
  googleClientGone: {
    status: 401,
    body: { error: 'deleted_client', error_description: 'The OAuth client was deleted.' },
  },
  googleClientUnknown: {
    status: 401,
    body: { error: 'invalid_client', error_description: 'The OAuth client was not found.' },
  },
  googleClientDisabled: {
    status: 401,
    body: { error: 'disabled_client', error_description: 'The OAuth client was disabled.' },
  },
  googleForeignUsers: {
    status: 403,
    body: {
      error: 'org_internal',
      error_description: 'This client is restricted to users of its organization.',
    },
  },
  redirectMismatch: aadsts(400, 'invalid_request', 50011, 'The redirect URI does not match.'),
  notMultiTenant: aadsts(400, 'invalid_request', 50194, 'Application is not configured as multi-tenant.'),
  tenantUnknown: aadsts(400, 'invalid_request', 90002, "Tenant 'navy.example' not found."),
  resourceMissing: aadsts(400, 'invalid_client', 650057, 'Invalid resource.'),
  scopeInvalid: aadsts(400, 'invalid_scope', 70011, 'The provided value for scope is not valid.'),
  internalFailure: { status: 500, body: { error: 'internal_failure', error_description: 'Backend error.' } },
  throttled: { status: 429, body: { error: 'rate_limit_exceeded' } },
  busy: { status: 400, body: { error: 'temporarily_unavailable', error_description: 'Try again later.' } },
  serviceBusy: aadsts(400, 'temporarily_unavailable', 90033, 'A transient error has occurred.'),
  loop: grantFault(50196, 'The server terminated an operation because it encountered a client request loop.'),
  unavailable: { status: 503, body: '<html>Service unavailable</html>' },
  proxyPage: { status: 403, body: '<html>Sign in to the network</html>' },
} satisfies Record<string, TokenResponse>

export type OAuthFault = keyof typeof oauthFaults

/** Every error of a token endpoint, and who has to fix it. */
export const oauthFaultClasses: Record<OAuthFault, TokenErrorClass> = {
  revoked: 'user',
  sessionEnded: 'user',
  interactionRequired: 'user',
  passwordChanged: 'user',
  idle: 'user',
  expired: 'user',
  signInFrequency: 'user',
  mfa: 'user',
  mfaEnrollment: 'user',
  conditionalAccess: 'user',
  disabled: 'user',
  noConsent: 'admin',
  adminRequired: 'admin',
  adminRequiredToo: 'admin',
  unassigned: 'admin',
  adminPolicy: 'admin',
  appAbsent: 'admin',
  delegationMissing: 'operator',
  unknownAssertion: 'user',
  wrongSecret: 'operator',
  secretExpired: 'operator',
  googleClientGone: 'operator',
  googleClientUnknown: 'operator',
  googleClientDisabled: 'operator',
  googleForeignUsers: 'operator',
  redirectMismatch: 'operator',
  notMultiTenant: 'operator',
  tenantUnknown: 'operator',
  resourceMissing: 'operator',
  scopeInvalid: 'operator',
  internalFailure: 'transient',
  throttled: 'transient',
  busy: 'transient',
  serviceBusy: 'transient',
  loop: 'transient',
  unavailable: 'transient',
  proxyPage: 'transient',
}
