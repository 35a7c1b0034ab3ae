import type { z } from 'zod'
import type { Permission } from './permissions.ts'

/** Rate limits per minute of some operations. `optOuts` replaces the general limit; the others apply in addition. */
export type RateLimitName = 'addProspects' | 'createDraft' | 'optOuts'

/** Path of the error detail that asks the user to confirm the session and repeat the request. */
export const recentSignIn = 'recentSignIn'

/**
 * An API operation as plain data: the REST route, the OpenAPI operation, the handler's type and the client's method
 * all come from it. Its key in `operations` is its only name.
 */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below /v1; `{campaignId}` stands for the `input` field of that name. */
  path: `/${string}`
  /** Short verb phrase without a full stop. */
  summary: string
  description?: string
  /** Section of the reference. `extension` marks what Overture adds to the specified API. */
  tag: string
  extension?: true
  permission: Permission
  /** Only a person signed in to the web app may do this: API tokens and connected apps are refused in any role. */
  needsSession?: true
  /**
   * The operation can cause a message to be sent: always, or only if it is about a launched campaign, a task of a
   * sequence, or a person in a launched campaign or their company. See `assistantSendsNeedApproval`.
   */
  reachesOutside?: 'always' | 'launched_campaign' | 'sequence_task' | 'enrolled_person'
  /** The result outlives the session or changes who can sign in, so a session needs a recent sign-in. */
  needsRecentSignIn?: true
  /** Path, query and body fields in one flat object. */
  input: z.ZodObject
  output: z.ZodType
  rateLimit?: RateLimitName
  /** Defaults to 64 kB. */
  bodyLimitBytes?: number
  /** Time limit for the whole request. Defaults to 30 s. */
  timeoutMs?: number
  /** Calls another server, so it must not run inside a database transaction. */
  isRemote?: true
  /** Field of the output with rows that `Accept: text/csv` returns as CSV. */
  csv?: string
  /** Request body and response shown in the reference. */
  example?: { input?: Record<string, unknown>; output?: unknown }
}

export const operation = <const O extends Operation>(definition: O): O => definition
