import type { z } from 'zod'
import type { Permission } from './permissions.ts'

/** Buckets of requests a minute beside the general one; `optOuts` replaces it, the others count in both. */
export type RateLimitName = 'addProspects' | 'createDraft' | 'optOuts'

/** Path of the detail of an error where a session has to be confirmed before the request can be repeated. */
export const recentSignIn = 'recentSignIn'

/**
 * One thing the service does, as plain data: the REST route, the OpenAPI operation, the handler's type and the
 * client's method all come from here. Its key in `operations` is its only name.
 */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /v1; `{campaignId}` names a field of `input`. */
  path: `/${string}`
  /** What it does, as a short sentence without a full stop. */
  summary: string
  description?: string
  /** Heading in the reference; `extension` marks what Overture adds to the specified API. */
  tag: string
  extension?: true
  permission: Permission
  /** A person decides this in the web app: refused to API tokens and connected applications, whatever their role. */
  needsSession?: true
  /** Outlives the session or decides who can sign in: refused to a session whose person signed in too long ago. */
  needsRecentSignIn?: true
  /** Path, query and body fields together in one flat object. */
  input: z.ZodObject
  output: z.ZodType
  rateLimit?: RateLimitName
  /** 64 kB unless told. */
  bodyLimitBytes?: number
  /** How long the whole answer may take; 30 s unless told. */
  timeoutMs?: number
  /** Talks to another server, so it cannot run inside the write's transaction and takes no idempotency key. */
  isRemote?: true
  /** A body for the reference, and an answer to it. */
  example?: { input?: Record<string, unknown>; output?: unknown }
}

export const operation = <const O extends Operation>(definition: O): O => definition
