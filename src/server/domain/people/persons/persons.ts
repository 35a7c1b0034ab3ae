import type { Input, Output } from '../../../../contract/index.ts'
import { mapPersonInputs, personFieldNames, personFields } from '../../../../contract/person-fields.ts'
import type { Context } from '../../../kernel/context.ts'
import { pipeline, type Sql } from '../../../kernel/db/database.ts'
import {
  type AppError,
  alreadyExists,
  conflict,
  type ErrorDetail,
  invalid,
  invalidAll,
  notFound,
} from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { withInFlight } from '../../../kernel/with-in-flight.ts'
import { isTimezone } from '../../../protocols/identity/timezone.ts'
import { audit } from '../../accounts/audit-log.ts'
import { getDefaultCountry } from '../../accounts/default-country.ts'
import { lockPeople } from '../companies/lock-people.ts'
import { findOwnDomains } from '../companies/own-domains.ts'
import { requireCompany, resolveCompany } from '../companies/resolve-company.ts'
import { type CustomValues, parseCustomValues } from '../custom-fields/custom-values.ts'
import { parseContact } from './parse-contact.ts'
import { parseCompany, parsePerson } from './parse-person.ts'
import { keepOptedOutIdentifiers } from './person-aliases.ts'
import { personJson } from './person-json.ts'
import { resolvePersons } from './resolve-persons.ts'

export const getPerson = (
  ctx: Context,
  { personId }: Input<'getPerson'>,
): Promise<Json<Output<'getPerson'>>> =>
  findJson(
    ctx,
    'person',
    ctx.sql`select ${personJson(ctx)} from persons p where p.account_id = s.account_id and p.id = ${personId}`,
  )

export async function createPerson(
  ctx: Context,
  { company, website, companyId, custom, ownerRepId, ...fields }: Input<'createPerson'>,
  { retryAtFilledCompanies }: CompanyEffects,
): Promise<Json<Output<'createPerson'>>> {
  const [defaultCountry, ownDomains] = await Promise.all([getDefaultCountry(ctx), findOwnDomains(ctx)])
  const employer = companyId ? await requireCompany(ctx, companyId) : undefined
  const { facts, errors: factErrors } = parsePerson(
    { ...mapPersonInputs(field => fields[field]), company: employer?.name ?? company, website },
    { defaultCountry, ownDomains },
  )
  if (employer) facts.company = { ...employer, website: null }
  const errors = [...factErrors, ...checkTimezone(fields.timezone)]
  if (errors.length > 0) throw invalidAll(errors)
  if (ownerRepId) await requireRep(ctx, ownerRepId)
  const values = await parseCustomValues(ctx, 'person', custom)
  const { persons, getWrites, listFilledCompanies } = await resolvePersons(ctx, [facts])
  const [person] = persons
  if (!person!.isNew) throw alreadyExists('person', 'personId', person!.id)
  await pipeline(...getWrites(persons), audit(ctx, 'create', 'person', person!.id))
  await retryAtFilledCompanies(ctx, listFilledCompanies(persons))
  if (values || ownerRepId || companyId)
    await writeChanges(
      ctx,
      person!.id,
      { ...(ownerRepId && { owner_rep_id: ownerRepId }), ...(companyId && { company_id: companyId }) },
      values,
    )
  return getPerson(ctx, { personId: person!.id })
}

export async function requireRep({ sql, accountId }: Context, repId: string): Promise<void> {
  const [rep] = await sql`select from reps where account_id = ${accountId} and id = ${repId}`
  if (!rep) throw invalid('ownerRepId', 'must be the ID of a rep in this account')
}

const checkTimezone = (timezone: string | null | undefined): ErrorDetail[] =>
  timezone && !isTimezone(timezone)
    ? [{ path: 'timezone', message: 'must be an IANA time zone, such as Europe/London' }]
    : []

/** Effects on the prospects at the person's company. Higher-level modules implement them. */
type CompanyEffects = {
  /**
   * Retries prospects that failed because a value was missing. Throws if the caller is an application that may not
   * retry them.
   */
  retryAtFilledCompanies: (ctx: Context, companyIds: readonly string[]) => Promise<void>
}

/** Effects on the person's prospects. Higher-level modules implement them; `handlers.ts` passes them in. */
type PersonEffects = CompanyEffects & {
  /** Deletes the queued emails of these prospects' steps, which are planned again. */
  withdrawQueuedSteps: (tx: Sql, prospectIds: readonly string[], now: Date) => Promise<void>
  /** Forgets the LinkedIn member and chats of a person whose profile URL changes. */
  forgetMember: (tx: Sql, personId: string, linkedinUrl: string | null) => Promise<void>
  /** Retries prospects that failed because a value was missing. */
  retryIncompletePersons: (ctx: Context, personIds: readonly string[]) => Promise<void>
  /** Recomputes when the persons' waiting steps are due. */
  rescheduleSteps: (ctx: Context, people: { personIds: readonly string[] }) => Promise<void>
  /** Counts the messages to the old address that can no longer be recalled. */
  countInFlight: (ctx: Context, recipient: { personId: string }) => Promise<number>
  /** Throws if an application changes a person whom a campaign may call. */
  forbidAppChangedCallees: (ctx: Context, people: { personIds: readonly string[] }) => Promise<void>
}

/** Updates the given fields; null clears a field. Future steps go to the new address. */
export async function updatePerson(
  ctx: Context,
  { personId, custom, ownerRepId, companyId, company, website, ...input }: Input<'updatePerson'>,
  effects: PersonEffects,
): Promise<Output<'updatePerson'>> {
  const changes = parseChanges(input, await getDefaultCountry(ctx))
  if (ownerRepId) await requireRep(ctx, ownerRepId)
  if (ownerRepId !== undefined) changes.owner_rep_id = ownerRepId
  const values = await parseCustomValues(ctx, 'person', custom)
  if (companyId) await requireCompany(ctx, companyId)
  if (companyId !== undefined) changes.company_id = companyId
  const namesCompany = company !== undefined || website !== undefined
  if (Object.keys(changes).length > 0 || values || namesCompany) {
    await effects.forbidAppChangedCallees(ctx, { personIds: [personId] })
    await lockPeople(ctx)
    await lockPerson(ctx, personId)
    if (namesCompany) changes.company_id = await findEmployer(ctx, { company, website }, effects)
    await checkAliases(ctx, personId, changes)
    if (changes.email !== undefined) {
      const prospectIds = await findProspectsWithOldEmail(ctx, personId, changes.email)
      await effects.withdrawQueuedSteps(ctx.sql, prospectIds, ctx.app.now())
    }
    if (changes.linkedin_url !== undefined)
      await effects.forgetMember(ctx.sql, personId, changes.linkedin_url)
    await keepOptedOutIdentifiers(ctx, personId, changes)
    await writeChanges(ctx, personId, changes, values)
    await effects.retryIncompletePersons(ctx, [personId])
    if (zoneColumns.some(column => column in changes))
      await effects.rescheduleSteps(ctx, { personIds: [personId] })
    await audit(ctx, 'update', 'person', personId)
  }
  const person = JSON.parse((await getPerson(ctx, { personId })).text) as Output<'getPerson'>
  return changes.email === undefined
    ? person
    : withInFlight(ctx, person, () => effects.countInFlight(ctx, { personId }))
}

/** Columns from which a person's time zone is derived. */
const zoneColumns = ['timezone', 'phone', 'country']

/**
 * Makes a concurrent opt-out of the person wait, because it would otherwise list identifiers that are about to change.
 */
const lockPerson = ({ sql, accountId }: Context, personId: string) => sql`
  select from persons where account_id = ${accountId} and id = ${personId} for no key update`

/** Finds or creates the company as an import does. */
async function findEmployer(
  ctx: Context,
  { company, website }: Pick<Input<'updatePerson'>, 'company' | 'website'>,
  { retryAtFilledCompanies }: CompanyEffects,
): Promise<string> {
  const facts = parseCompany({ company, website }, await findOwnDomains(ctx))
  const employer = await resolveCompany(ctx, facts)
  if (!employer) throw invalid('website', 'must be the website or domain of a company')
  if (employer.isFilled) await retryAtFilledCompanies(ctx, [employer.id])
  return employer.id
}

type Changes = Record<string, string | null>

/** Throws when another person has the email or profile as an alias. */
async function checkAliases(
  { sql, accountId }: Context,
  personId: string,
  { email = null, linkedin_url = null }: Changes,
): Promise<void> {
  const [alias] = await sql<{ value: string; personId: string }[]>`
    select value, person_id as "personId"
      from person_aliases
     where account_id = ${accountId} and (kind, value) in (('email', ${email}), ('linkedin', ${linkedin_url}))
       and person_id <> ${personId}
     limit 1`
  if (alias)
    throw conflict(
      `${alias.value} is an alias of the person with the ID ${alias.personId}, kept after a merge or an opt-out.`,
    )
}

/** Returns the changed columns. */
function parseChanges(
  input: Omit<
    Input<'updatePerson'>,
    'personId' | 'custom' | 'ownerRepId' | 'companyId' | 'company' | 'website'
  >,
  defaultCountry: string | undefined,
): Changes {
  const { contact, errors } = parseContact(input, defaultCountry)
  errors.push(...checkTimezone(input.timezone))
  if (errors.length > 0) throw invalidAll(errors)
  const changes = { ...input, ...contact }
  return Object.fromEntries(
    personFieldNames.flatMap(field => {
      const value = changes[field]
      return value === undefined ? [] : [[personFields[field].column, value]]
    }),
  )
}

/**
 * Lists the person's prospects when the email changes, because their queued emails are addressed to the old one. An
 * email that a worker has claimed is refused at the gate.
 */
async function findProspectsWithOldEmail(
  { sql, accountId }: Context,
  personId: string,
  email: string | null,
): Promise<string[]> {
  const prospects = await sql<{ id: string }[]>`
    select r.id
      from persons p
      join prospects r on r.account_id = p.account_id and r.person_id = p.id
     where p.account_id = ${accountId} and p.id = ${personId} and p.email is distinct from ${email}`
  return prospects.map(({ id }) => id)
}

async function writeChanges(
  { sql, accountId }: Context,
  personId: string,
  changes: Changes,
  values: CustomValues = {},
): Promise<void> {
  try {
    const { count } = await sql`
      update persons
         set custom = jsonb_strip_nulls(custom || ${sql.json(values)}), updated_at = now()
             ${Object.keys(changes).length > 0 ? sql`, ${sql.assignments(changes)}` : sql``}
       where account_id = ${accountId} and id = ${personId} and erased_at is null`
    if (count === 0) throw notFound('person')
  } catch (error) {
    throw toConflict(error, changes) ?? error
  }
}

/** Deletes all persons' values of a custom field. */
export const deletePersonValues = ({ sql, accountId }: Context, key: string) => sql`
  update persons set custom = custom - ${key}::text, updated_at = now()
   where account_id = ${accountId} and custom ? ${key}::text`

/** Converts a unique violation to a conflict with another person. */
function toConflict(error: unknown, { email, linkedin_url }: Changes): AppError | undefined {
  const { constraint } = error as { constraint?: string }
  if (constraint === 'persons_account_id_email_key') return conflict(`Another person has the email ${email}.`)
  if (constraint === 'persons_account_id_linkedin_url_key')
    return conflict(`Another person has the LinkedIn profile ${linkedin_url}.`)
  return undefined
}
