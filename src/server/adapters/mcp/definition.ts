import type { z } from 'zod'
import type { OperationName } from '../../../contract/index.ts'

/**
 * A tool: its operation, and the MCP properties from which clients decide how to present and confirm it.
 *
 * - `idempotent`: a second call with the same arguments succeeds and changes nothing.
 * - `openWorld`: the effect, now or later, reaches people outside the account.
 */
export type Definition = {
  operation: OperationName
  title: string
  /** Defaults to the operation's description or, without one, its summary. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  acceptsIdempotencyKey?: boolean
  /** The tool that describes a field, by field name. Saves space, because the size of the tool list is limited. */
  shared?: Record<string, string>
  /** Descriptions of fields, in place of the operation's; empty if the name is self-explanatory. */
  described?: Record<string, string>
  /** Fields that only the tool has. The tool converts them to fields of the operation. */
  added?: z.ZodRawShape
  /** Fields of the operation that the tool hides, because only programs need them. */
  omitted?: string[]
  /** Only offered while this account setting is on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls' | 'assistantSendsNeedApproval'
