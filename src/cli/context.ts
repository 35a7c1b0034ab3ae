import { randomUUID } from 'node:crypto'
import type { OperationName, Output, RawInput } from '../contract/index.ts'
import { type AccountSummary, listAccounts } from '../server/domain/accounts/accounts.ts'
import { findFirstOwner } from '../server/domain/accounts/memberships.ts'
import type { App, Context } from '../server/kernel/context.ts'
import { notFound } from '../server/kernel/errors.ts'
import { isId } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** The account that `--account` names, by id or whole name; the only one when it is left out. */
export async function chooseAccount({ db }: App, nameOrId: string | undefined): Promise<AccountSummary> {
  const filter = nameOrId && (isId(nameOrId) ? { id: nameOrId } : { name: nameOrId })
  const [account, another] = await listAccounts(db.auth, { ...filter, limit: 2 })
  if (!account) {
    if (nameOrId) throw notFound(`account as ${nameOrId}; \`overture account list\` shows what there is`)
    throw new Error('There is no account yet. Make one with `overture account create`.')
  }
  if (another) throw severalAccounts(nameOrId)
  return account
}

const severalAccounts = (name: string | undefined): UsageError =>
  new UsageError(
    name
      ? `Several accounts are called ${name}. Give the id: \`overture account list\` shows it.`
      : 'There are several accounts. Say which one with --account; `overture account list` shows them.',
  )

/** The command line acts with all rights of an owner: whoever may run it can read the database's files too. */
export async function contextIn(app: App, account: AccountSummary): Promise<Context> {
  const userId = await findFirstOwner(app.db.auth, account.id)
  if (!userId) {
    throw new Error(
      `The account ${account.name} has no owner in whose name to act. Name one with \`overture member add --role owner\`.`,
    )
  }
  return {
    app,
    sql: app.db.app,
    accountId: account.id,
    userId,
    role: 'owner',
    actor: 'cli',
    isReadOnly: false,
    requestId: randomUUID(),
    afterCommit: () => {
      throw new Error('afterCommit belongs to writes')
    },
  }
}

/** Runs an operation the way every door does. */
export async function call<N extends OperationName>(
  ctx: Context,
  name: N,
  input: RawInput<N>,
): Promise<Output<N>> {
  // Brings all operations along, which commands that need none of them shall not wait for.
  const { invoke } = await import('../server/invoke.ts')
  return JSON.parse((await invoke(ctx, { name, input })).text)
}

/** Every item of a list, page by page. */
export async function* listAll<
  N extends 'listCampaigns' | 'listReps' | 'listDomains' | 'listAssistants' | 'listWebhooks',
>(ctx: Context, name: N): AsyncGenerator<Output<N>['data'][number]> {
  for (let cursor: string | undefined; ; ) {
    const page = await call(ctx, name, { limit: 100, cursor } as RawInput<N>)
    yield* page.data as Output<N>['data'][number][]
    cursor = page.next
    if (!cursor) return
  }
}
