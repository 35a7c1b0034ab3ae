import type { z } from 'zod'
import type { OperationName } from '../../../contract/index.ts'

/**
 * A tool: its operation, and the MCP properties from which clients decide how to present and confirm it. Idempotent
 * means that a second call succeeds and changes nothing, open world that the effect, now or later, reaches people
 * outside the account.
 */
export type Definition = {
  operation: OperationName
  title: string
  /** Defaults to the operation's description or, without one, its summary. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  acceptsIdempotencyKey?: boolean
  /** Fields described by another tool, with its name. They save space, because the list of tools is limited in size. */
  shared?: Record<string, string>
  /** Descriptions of fields, in place of the operation's; empty where the name says enough. */
  described?: Record<string, string>
  /** Fields that only the tool has. It converts them to fields of the operation. */
  added?: z.ZodRawShape
  /** Fields of the operation that the tool hides, because only programs need them. */
  omitted?: string[]
  /** Only offered while this account setting is on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls' | 'assistantSendsNeedApproval'
