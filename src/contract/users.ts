import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, optionalText, pageInput, pageSchema, text, time, timeInput } from './page.ts'

const tag = 'Users'

export const user = z.object({ ...base('user'), email: z.string(), name: z.string() }).meta({ id: 'User' })

export const updateUser = operation({
  method: 'PATCH',
  path: '/user',
  summary: 'Update your name',
  description: 'The name is the same in all your accounts.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({
    name: optionalText(200).describe('Your name'),
  }),
  output: user,
  example: { input: { name: 'Ada Byron' } },
})

const apiToken = z
  .object({
    ...base('api_token'),
    name: z.string(),
    prefix: z.string().describe('First characters of the token; not secret'),
    isReadOnly: z.boolean(),
    expiresAt: time.optional(),
    lastUsedAt: time.optional().describe('Time of last use, to the minute'),
    revokedAt: time.optional(),
    parentId: id.optional().describe('API token that created it; absent if a person did'),
  })
  .meta({ id: 'ApiToken' })

export const listApiTokens = operation({
  method: 'GET',
  path: '/api-tokens',
  summary: 'List your API tokens',
  description: 'Lists your tokens, including expired and revoked ones, without the tokens themselves.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageSchema(apiToken, 'ApiToken'),
})

export const createApiToken = operation({
  method: 'POST',
  path: '/api-tokens',
  summary: 'Create an API token',
  description:
    'The token is returned only once. It works for all your accounts with the permissions of your role. You can have up to 100 active tokens. A token created by another token is revoked with it and expires no later; one created in the web app outlives the session. A session needs a sign-in within the last ten minutes, otherwise the request fails with `Forbidden` and the detail `recentSignIn`.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  needsRecentSignIn: true,
  input: z.strictObject({
    name: text(100).describe('Purpose of the token'),
    expiresAt: timeInput
      .optional()
      .describe(
        'Expiry; never if absent. A token created by an expiring token expires no later, and by default at the same time',
      ),
    isReadOnly: z.boolean().optional().describe('Whether the token can only read'),
  }),
  output: apiToken
    .extend({ token: z.string().describe('The token; store it now') })
    .meta({ id: 'NewApiToken' }),
  example: { input: { name: 'CRM sync', isReadOnly: true } },
})

export const revokeApiToken = operation({
  method: 'DELETE',
  path: '/api-tokens/{apiTokenId}',
  summary: 'Revoke an API token',
  description:
    'Revokes the token, and every token it created directly or indirectly, permanently and with immediate effect.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ apiTokenId: id.describe('API token ID') }),
  output: apiToken,
})

const session = z
  .object({
    ...base('session'),
    userAgent: z.string().optional().describe('User agent of the browser'),
    address: z.string().optional(),
    lastSeenAt: time.describe('Time of last use, to the minute'),
    expiresAt: time,
    isCurrent: z.boolean().describe('Whether this is the session of the request'),
  })
  .meta({ id: 'Session' })

export const listSessions = operation({
  method: 'GET',
  path: '/sessions',
  summary: 'List your sessions',
  description: 'Lists the browsers in which you are signed in.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageSchema(session, 'Session'),
})

export const endSession = operation({
  method: 'DELETE',
  path: '/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The browser has to sign in again. Other sessions stay active.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ sessionId: id.describe('Session ID') }),
  output: done,
})

const connectedApp = z
  .object({
    ...base('connected_app'),
    name: z.string().describe('Name of the app as registered'),
    host: z.string().describe('Host the app was authorized from'),
    accountId: id.describe('Account you granted access to'),
    scopes: z.array(z.string()),
    lastUsedAt: time.optional().describe('Time of last use, to the minute'),
    expiresAt: time,
  })
  .meta({ id: 'ConnectedApp' })

export const listConnectedApps = operation({
  method: 'GET',
  path: '/connected-apps',
  summary: 'List connected apps',
  description: 'Lists the applications, such as AI assistants, that may act on your behalf.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageSchema(connectedApp, 'ConnectedApp'),
})

export const disconnectApp = operation({
  method: 'DELETE',
  path: '/connected-apps/{connectedAppId}',
  summary: 'Disconnect an app',
  description: 'Revokes its tokens permanently and with immediate effect.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ connectedAppId: id.describe('Connected app ID') }),
  output: done,
})
