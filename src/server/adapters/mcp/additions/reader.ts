import { type OperationName, type Output, operations } from '../../../../contract/index.ts'
import type { Operation } from '../../../../contract/operation.ts'
import { getPermissionScope } from '../../../../contract/permissions.ts'
import { invoke } from '../../../invoke.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Row } from '../lean-row.ts'

/** A function that calls a read-only operation. Returns undefined when the role does not permit it. */
export type Read = <Name extends OperationName>(
  name: Name,
  input: object,
) => Promise<Output<Name> | undefined>

/** A function that returns the additions to a tool's result, which save further calls. */
export type Addition = (read: Read, result: Row, input: Row, ctx: Context) => Promise<Row>

export const openReader =
  (ctx: Context): Read =>
  async <Name extends OperationName>(name: Name, input: object) => {
    const { permission }: Operation = operations[name]
    if (!getPermissionScope(ctx.role, permission)) return undefined
    const { text } = await invoke(ctx, { name, input })
    return JSON.parse(text) as Output<Name>
  }
