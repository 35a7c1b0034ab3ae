import type { z } from 'zod'
import type { OperationName } from '../../../contract/index.ts'

/**
 * MCP properties of a tool beyond its operation, from which clients decide how to present and confirm it. Idempotent:
 * a second call succeeds and changes nothing. Open world: its effect, now or later, reaches people outside the
 * account.
 */
export type Definition = {
  operation: OperationName
  title: string
  /** Defaults to the operation's description or, without one, its summary. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  acceptsIdempotencyKey?: boolean
  /** Fields that another tool describes: the list of tools is limited in size. */
  shared?: Record<string, string>
  /** Descriptions of fields, in place of the operation's; empty where the name says enough. */
  described?: Record<string, string>
  /** Fields that only the tool has. It converts them to fields of the operation. */
  added?: z.ZodRawShape
  /** Fields that only programs need. */
  omitted?: string[]
  /** Only offered while this account setting is on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls' | 'assistantSendsNeedApproval'
