import { z } from 'zod'
import { operation } from './operation.ts'
import { dayInput, done, lines, text } from './page.ts'

export const mailClientKinds = ['google', 'google_service_account', 'microsoft', 'microsoft_app'] as const
/** OAuth `state` of the redirect from Microsoft's consent page for administrators. */
export const ADMIN_CONSENT_STATE = 'admin-consent'
export const publishingStatuses = ['internal', 'testing', 'production'] as const

const tag = 'Mailboxes'
const kind = z
  .enum(mailClientKinds)
  .describe(
    '`google` and `microsoft`: the owner of each mailbox consents; `google_service_account` (with domain-wide delegation) and `microsoft_app`: an administrator grants access to the mailboxes of the organization',
  )
const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const DOMAIN = /^([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/i
const severalTenants = ['organizations', 'consumers', 'common']
const tenant = text(100)
  .refine(value => [GUID, DOMAIN].some(pattern => pattern.test(value)) || severalTenants.includes(value), {
    message:
      'must be a tenant ID such as 8eaef023-2b34-4da1-9baa-8bc8c9d6a490, a domain of the tenant, `organizations`, `consumers` or `common`',
  })
  .describe(
    'Microsoft only: the tenant ID or a domain of the tenant, or `organizations`, `consumers` or `common` for a multitenant application',
  )

export const mailClient = z
  .object({
    kind,
    source: z
      .enum(['account', 'installation'])
      .describe('`installation`: the operator provides it to all accounts'),
    clientId: z.string(),
    tenant: z.string().optional(),
    publishingStatus: z.enum(publishingStatuses).optional(),
    secretExpiresOn: z.iso.date().optional(),
    adminConsentUrl: z
      .string()
      .optional()
      .describe('Microsoft only: page on which an administrator consents for the organization'),
    warning: z
      .string()
      .optional()
      .describe('Reason that mailboxes connected through this client will stop working'),
  })
  .meta({ id: 'MailClient' })

export const listMailClients = operation({
  method: 'GET',
  path: '/mail-clients',
  summary: 'List OAuth clients for mailboxes',
  description:
    'Lists the clients registered with Google and Microsoft through which mailboxes connect, without secrets, and the redirect URI to register with them.',
  tag,
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject({}),
  output: z.object({
    redirectUri: z
      .string()
      .describe('Redirect URI to register. The providers accept only https, except for localhost'),
    redirectUriProblem: z
      .string()
      .optional()
      .describe('Reason the providers reject the redirect URI, which prevents sign-in, and what to do'),
    data: z.array(mailClient),
  }),
})

export const setMailClient = operation({
  method: 'PUT',
  path: '/mail-clients',
  summary: 'Set up an OAuth client for mailboxes',
  description:
    'Stores a client registered with Google or Microsoft. It takes precedence over the client of the installation. Mailboxes connected through another client ID must be connected again.',
  tag,
  extension: true,
  permission: 'Account.ManageSettings',
  reachesOutside: 'always',
  input: z
    .strictObject({
      kind,
      clientId: text(500)
        .optional()
        .describe('Required, except for a service account, whose key file contains it'),
      secret: lines(10_000)
        .optional()
        .describe(
          'Client secret, or the JSON key file of the service account. Required the first time and with a different client ID; stored encrypted and never returned',
        ),
      tenant: tenant.optional(),
      publishingStatus: z
        .enum(publishingStatuses)
        .optional()
        .describe('Required for `google`: Google revokes access for clients in `testing` after 7 days'),
      secretExpiresOn: dayInput.optional().describe('Microsoft only: the day on which the secret expires'),
    })
    .refine(input => input.kind === 'google_service_account' || input.clientId !== undefined, {
      path: ['clientId'],
      message: 'is required',
    })
    .refine(
      input =>
        !input.kind.startsWith('microsoft') || input.clientId === undefined || GUID.test(input.clientId),
      {
        path: ['clientId'],
        message:
          'must be the application (client) ID, such as 00001111-aaaa-2222-bbbb-3333cccc4444, from the overview of the app registration',
      },
    )
    .refine(input => input.kind !== 'google' || input.publishingStatus !== undefined, {
      path: ['publishingStatus'],
      message: 'is required for `google`',
    })
    .refine(input => !input.kind.startsWith('microsoft') || input.tenant !== undefined, {
      path: ['tenant'],
      message: 'is required for Microsoft',
    })
    .refine(input => input.kind !== 'microsoft_app' || !severalTenants.includes(input.tenant ?? ''), {
      path: ['tenant'],
      message: 'must be the ID of the tenant that the mailboxes belong to',
    }),
  output: mailClient,
  example: {
    input: {
      kind: 'google',
      clientId: '1234567890-overture.apps.googleusercontent.com',
      secret: 'from the provider',
      publishingStatus: 'internal',
    },
  },
})

export const deleteMailClient = operation({
  method: 'DELETE',
  path: '/mail-clients',
  summary: 'Delete an OAuth client for mailboxes',
  description: 'Mailboxes that use the client stop working, unless the installation has the same one.',
  tag,
  extension: true,
  permission: 'Account.ManageSettings',
  input: z.strictObject({ kind }),
  output: done,
})
