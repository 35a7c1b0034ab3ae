import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageOf, text, time, timeInput } from './page.ts'

const tag = 'Users'

export const user = z.object({ ...base('user'), email: z.string(), name: z.string() }).meta({ id: 'User' })

export const updateUser = operation({
  method: 'PATCH',
  path: '/user',
  summary: 'Change your own name',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ name: text(200) }),
  output: user,
  example: { input: { name: 'Ada Byron' } },
})

const apiToken = z
  .object({
    ...base('api_token'),
    name: z.string(),
    prefix: z.string().describe('Its beginning, which is no secret'),
    isReadOnly: z.boolean(),
    expiresAt: time.optional(),
    lastUsedAt: time.optional().describe('To the minute'),
    revokedAt: time.optional(),
    parentId: id.optional().describe('The API token that created it; absent when a person did'),
  })
  .meta({ id: 'ApiToken' })

export const listApiTokens = operation({
  method: 'GET',
  path: '/api-tokens',
  summary: 'List your API tokens',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageOf(apiToken, 'ApiToken'),
})

export const createApiToken = operation({
  method: 'POST',
  path: '/api-tokens',
  summary: 'Make an API token',
  description:
    'The token is in this answer alone, and works for all your accounts. It may do what your role allows there. You have up to 100 that work. A token created by another token expires no later than that one and is revoked with it; one created in the web app goes on when the session ends. A session needs a sign-in of the last ten minutes for it: else the answer is Forbidden with the detail `recentSignIn`.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  needsRecentSignIn: true,
  input: z.strictObject({
    name: text(100).describe('What it is for'),
    expiresAt: timeInput
      .optional()
      .describe(
        'When it expires; never when absent. Created by a token that expires: no later than that one, which is also the default',
      ),
    isReadOnly: z.boolean().optional(),
  }),
  output: apiToken
    .extend({ token: z.string().describe('The secret: keep it now') })
    .meta({ id: 'NewApiToken' }),
  example: { input: { name: 'CRM sync', isReadOnly: true } },
})

export const revokeApiToken = operation({
  method: 'DELETE',
  path: '/api-tokens/{apiTokenId}',
  summary: 'Revoke an API token',
  description:
    'It stops working with the next request, for good, and so does every token that it created, directly or not.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ apiTokenId: id }),
  output: apiToken,
})

const session = z
  .object({
    ...base('session'),
    userAgent: z.string().optional().describe('The browser that signed in, as it calls itself'),
    address: z.string().optional(),
    lastSeenAt: time.describe('To the minute'),
    expiresAt: time,
    isCurrent: z.boolean().describe('Whether it made this request'),
  })
  .meta({ id: 'Session' })

export const listSessions = operation({
  method: 'GET',
  path: '/sessions',
  summary: 'List where you are signed in',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageOf(session, 'Session'),
})

export const endSession = operation({
  method: 'DELETE',
  path: '/sessions/{sessionId}',
  summary: 'Sign out somewhere',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ sessionId: id }),
  output: done,
})

const connectedApp = z
  .object({
    ...base('connected_app'),
    name: z.string().describe('As it calls itself'),
    host: z.string().describe('Where it was sent once you agreed'),
    accountId: id.describe('The account it works on, chosen when you agreed'),
    scopes: z.array(z.string()),
    lastUsedAt: time.optional().describe('To the minute'),
    expiresAt: time,
  })
  .meta({ id: 'ConnectedApp' })

export const listConnectedApps = operation({
  method: 'GET',
  path: '/connected-apps',
  summary: 'List the applications that act in your name',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject(pageInput),
  output: pageOf(connectedApp, 'ConnectedApp'),
})

export const disconnectApp = operation({
  method: 'DELETE',
  path: '/connected-apps/{connectedAppId}',
  summary: 'Disconnect an application',
  description: 'Its tokens stop working with the next request, for good.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({ connectedAppId: id }),
  output: done,
})
