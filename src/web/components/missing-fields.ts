import { type PersonVariable, personFields } from '../../contract/person-fields.ts'
import type { updatePerson } from '../../contract/persons.ts'
import type { ProspectStatus } from './prospect-statuses.ts'

type FieldName = Exclude<
  keyof typeof updatePerson.input.shape,
  'personId' | 'custom' | 'companyId' | 'ownerRepId'
>

type ProspectState = { status?: ProspectStatus | undefined; statusReason?: string | undefined }

/** A field of a person that the prospect's sequence needs to continue. */
export type MissingField = { name: FieldName; label: string }

const MISSING_VARIABLE = 'missing_variable:'

/** The fields behind variables that are not named after a single field. */
const fieldsByVariable: Record<string, MissingField[]> = {
  fullName: [
    { name: 'firstName', label: 'First name' },
    { name: 'lastName', label: 'Last name' },
  ],
  jobTitle: [{ name: 'title', label: 'Job title' }],
  company: [{ name: 'company', label: 'Company' }],
  companyDomain: [{ name: 'website', label: 'Company website' }],
}

const email: MissingField = { name: 'email', label: 'Email address' }

const heldReasons = ['undeliverable_domain', 'disposable_address', 'role_address']

/** Reports whether a prospect is paused because of their email address. */
export const isHeldAddress = ({ status, statusReason = '' }: ProspectState): boolean =>
  status === 'paused' && heldReasons.includes(statusReason)

/**
 * Returns the fields to fill in for a failed prospect, or to correct when an address bounced or is held;
 * undefined if something else stops the sequence.
 */
export function findMissingFields(prospect: ProspectState): MissingField[] | undefined {
  const groups = findFieldGroups(prospect)
  return groups && [...new Map(groups.flat().map(field => [field.name, field])).values()]
}

/** Returns the fields that must still be filled in. A variable needs at least one of its fields. */
export const findEmptyFields = (
  prospect: ProspectState,
  values: { [name in FieldName]?: unknown },
): FieldName[] =>
  (findFieldGroups(prospect) ?? [])
    .filter(group => group.every(({ name }) => !values[name]))
    .flatMap(([first]) => first?.name ?? [])

/** Returns a group of fields for each missing variable; undefined if something else stops the sequence. */
function findFieldGroups({ status, statusReason }: ProspectState): MissingField[][] | undefined {
  if (status === 'bounced' || isHeldAddress({ status, statusReason })) return [[email]]
  if (status !== 'failed' || !statusReason) return undefined
  if (statusReason === 'no_email') return [[email]]
  if (!statusReason.startsWith(MISSING_VARIABLE)) return undefined
  const variables = statusReason
    .slice(MISSING_VARIABLE.length)
    .split(',')
    .map(name => name.trim())
  const groups = variables.map(toFields)
  return groups.every(fields => fields !== undefined) ? groups : undefined
}

function toFields(variable: string): MissingField[] | undefined {
  if (Object.hasOwn(fieldsByVariable, variable)) return fieldsByVariable[variable]
  if (!Object.hasOwn(personFields, variable)) return undefined
  const name = variable as PersonVariable & keyof typeof personFields
  return [{ name, label: personFields[name].label }]
}
