import { randomUUID } from 'node:crypto'
import type { OperationName, Output, RawInput } from '../contract/index.ts'
import { type AccountSummary, listAccounts } from '../server/domain/accounts/accounts.ts'
import { findFirstOwner, isMember } from '../server/domain/accounts/memberships.ts'
import { findUser } from '../server/domain/accounts/users.ts'
import type { App, Context } from '../server/kernel/context.ts'
import { isId } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** Finds the account that `--account` names by ID or full name; without the option, the only account. */
export async function findAccount({ db }: App, nameOrId: string | undefined): Promise<AccountSummary> {
  const filter = nameOrId && (isId(nameOrId) ? { id: nameOrId } : { name: nameOrId })
  const [account, another] = await listAccounts(db.auth, { ...filter, limit: 2 })
  if (!account) {
    throw new Error(
      nameOrId
        ? `No account found for "${nameOrId}". List accounts with \`overture account list\`.`
        : 'There is no account yet. Create one with `overture account create`.',
    )
  }
  if (another) throw toAmbiguousAccountError(nameOrId)
  return account
}

const toAmbiguousAccountError = (name: string | undefined): UsageError =>
  new UsageError(
    name
      ? `Several accounts are named "${name}". Use the ID that \`overture account list\` shows.`
      : 'There are several accounts. Choose one with --account; `overture account list` shows them.',
  )

/**
 * Returns a context for the member with this address, or for the first owner. Both have an owner's permissions:
 * anyone who can run the command can read the database's files too.
 */
export async function openContext(app: App, account: AccountSummary, email?: string): Promise<Context> {
  return {
    app,
    sql: app.db.app,
    accountId: account.id,
    userId: email ? await findMemberId(app, account, email) : await findOwnerId(app, account),
    role: 'owner',
    actor: 'cli',
    isReadOnly: false,
    requestId: randomUUID(),
    afterCommit: () => {
      throw new Error('afterCommit is only available in writes')
    },
  }
}

async function findOwnerId({ db }: App, account: AccountSummary): Promise<string> {
  const userId = await findFirstOwner(db.auth, account.id)
  if (userId) return userId
  throw new Error(
    `The account ${account.name} has no owner. Add one with \`overture member add --role owner\`.`,
  )
}

async function findMemberId({ db }: App, account: AccountSummary, email: string): Promise<string> {
  const { id } = await findUser(db.auth, email)
  if (await isMember(db.auth, account.id, id)) return id
  throw new Error(`${email} is not a member of the account ${account.name}.`)
}

/** Runs an operation the way HTTP and MCP do, with the same validation and audit log. */
export async function call<N extends OperationName>(
  ctx: Context,
  name: N,
  input: RawInput<N>,
): Promise<Output<N>> {
  // Imported on demand: it loads every operation, and most commands call none.
  const { invoke } = await import('../server/invoke.ts')
  return JSON.parse((await invoke(ctx, { name, input })).text)
}

/** Yields every item of a list, page by page. */
export async function* listAll<
  N extends
    | 'listCampaigns'
    | 'listReps'
    | 'listMailboxes'
    | 'listDomains'
    | 'listAssistants'
    | 'listMembers'
    | 'listWebhooks',
>(ctx: Context, name: N): AsyncGenerator<Output<N>['data'][number]> {
  for (let cursor: string | undefined; ; ) {
    const page = await call(ctx, name, { limit: 100, cursor } as RawInput<N>)
    yield* page.data as Output<N>['data'][number][]
    cursor = page.next
    if (!cursor) return
  }
}
