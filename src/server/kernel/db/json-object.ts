import { type Fragment, Statement } from './sql.ts'

/** A column whose type is known, so that it needs no to_json, which looks up the type of each value. */
class JsonColumn {
  /** An expression for the JSON text of the value. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const uuid = (column: string): JsonColumn => new JsonColumn(`'"' || ${column}::uuid::text || '"'`)

export const jsonb = (column: string): JsonColumn => new JsonColumn(`${column}::jsonb::text`)

/** A column of type timestamptz, formatted as by api_time, whose body PostgreSQL would parse again for each use. */
export const timestamp = (column: string): JsonColumn =>
  new JsonColumn(`to_char(${column} at time zone 'UTC', '\\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\\"')`)

/** Values by field name: an expression, a column, a constant that needs no escaping, or a nested object's fields. */
export type JsonFields = { [name: string]: Fragment | JsonColumn | string | JsonFields }

/**
 * Builds a JSON object as text, without fields whose value is null; nulls inside a value stay. Lists use it for their
 * rows, because it is faster than json_strip_nulls(json_build_object(…)), which writes every object twice.
 * PostgreSQL 16 has `json_object(… absent on null)`, but we support 15.
 */
export function jsonObject(fields: JsonFields): Fragment {
  const values: Fragment[] = []
  const strings: string[] = []
  let text = "('{' || concat_ws(','"
  for (const [name, value] of Object.entries(fields)) {
    text += `, '"${name}":`
    if (typeof value === 'string') {
      text += `"${value}"'`
    } else if (value instanceof JsonColumn) {
      text += `' || ${value.text}`
    } else {
      const isExpression = value instanceof Statement
      strings.push(`${text}' || ${isExpression ? 'to_json(' : ''}`)
      values.push(isExpression ? value : jsonObject(value))
      text = isExpression ? ')::text' : ''
    }
  }
  return new Statement(undefined, [...strings, `${text}) || '}')`], values)
}
