import type { Input } from '../../../contract/index.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { requireKnownIds } from '../../kernel/id-filters.ts'
import { expandSpintax } from '../../protocols/templates/spintax.ts'
import { listVariables } from '../../protocols/templates/template.ts'
import { findDefaultRep } from '../inbox/default-rep.ts'
import { renderWithPlaceholders } from '../rendering/missing-variables.ts'
import { findPersonVariables, type Variables } from '../rendering/person-variables.ts'
import { renderText } from '../rendering/render-step.ts'
import type { Snippet } from './snippets.ts'

/** Low, because a page has up to 100 snippets. */
const MAX_RENDERED_LENGTH = 20_000

/**
 * Returns a function that adds the rendered text to a snippet if there is a person. Throws NotFound for unknown IDs.
 */
export async function openRenderer(
  ctx: Context,
  { personId, repId }: Pick<Input<'getSnippet'>, 'personId' | 'repId'>,
): Promise<(snippet: Snippet) => Promise<void>> {
  await requireKnownIds(ctx, { personId, repId })
  if (!personId) return async () => {}
  const variables = await inAccount(ctx.app.db.app, ctx.accountId, async sql => {
    const tx = { ...ctx, sql }
    const rep = repId ?? (await findDefaultRep(tx, 'Inbox.ReadInbox', personId))
    return findPersonVariables(tx, { personId, repId: rep })
  })
  const yieldIfDue = createYielder()
  return async snippet => {
    await yieldIfDue()
    snippet.rendered = await render(snippet, personId, variables!)
  }
}

async function render(
  { id, text }: Snippet,
  personId: string,
  variables: Variables,
): Promise<NonNullable<Snippet['rendered']>> {
  const { rendered, missing, error } = await renderWithPlaceholders(names => {
    // A custom field may have been deleted since the snippet was written.
    const unset = listVariables(expandSpintax(text)).map(name => [name.split('.')[0]!, null])
    const known = { ...Object.fromEntries(unset), ...variables }
    const result = renderText({ id, text }, { personId, variables: known, missing: names })
    if (result.length > MAX_RENDERED_LENGTH)
      throw invalid('', `becomes longer than ${MAX_RENDERED_LENGTH} characters`)
    return result
  })
  return {
    missing,
    ...(rendered !== undefined && { text: rendered }),
    ...(error && missing.length === 0 && { error: error.message }),
  }
}
