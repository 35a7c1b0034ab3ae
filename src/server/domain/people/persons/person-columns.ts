import {
  isSpecified,
  type PersonField,
  personFieldNames,
  personFields,
} from '../../../../contract/person-fields.ts'

const list = (
  toSql: (column: string, name: PersonField) => string,
  fields: readonly PersonField[] = personFieldNames,
): string => fields.map(name => toSql(personFields[name].column, name)).join(', ')

/** SQL lists of a person's fields. Safe for `sql.unsafe`, because they are built from constants only. */
export const personColumns = {
  /** `first_name, …` */
  names: list(column => column),
  /** `"firstName", …` */
  values: list((_column, name) => `"${name}"`),
  /** `"firstName" text, …` */
  definitions: list((_column, name) => `"${name}" text`),
  /** `p.first_name as "firstName", …` */
  selected: list((column, name) => `p.${column} as "${name}"`),
  /** `first_name = coalesce(p.first_name, f."firstName"), …` */
  filled: list((column, name) => `${column} = coalesce(p.${column}, f."${name}")`),
  /** `'firstName', p.first_name, …` for the fields that are null when unknown. */
  specifiedPairs: list((column, name) => `'${name}', p.${column}`, personFieldNames.filter(isSpecified)),
  /** The same pairs for the fields that are absent when unknown. */
  otherPairs: list(
    (column, name) => `'${name}', p.${column}`,
    personFieldNames.filter(name => !isSpecified(name)),
  ),
}
