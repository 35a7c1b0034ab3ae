/** What a statement takes in `${…}`: a parameter, part of another statement, or a list of parts. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | Fragment
  | readonly Value[]

/** Part of a statement, or a whole one. */
export type Fragment = Statement<Rows<SqlRow[]>>

// biome-ignore lint/suspicious/noExplicitAny: columns have the types that the statement gives them.
export type SqlRow = Record<string, any>

/** The rows of an answer; `count` is how many the statement read or changed. */
export type Rows<T extends readonly unknown[]> = T & {
  readonly count: number
  readonly columns: readonly { name: string }[]
}

/** Sends a statement. Text without parameters, not even an empty list of them, may be several statements. */
export type RunStatement = (text: string, parameters: unknown[] | undefined) => Promise<Rows<SqlRow[]>>

/**
 * Writes statements: `sql<{ id: string }[]>`select id from reps where name = ${name}``. Awaiting one sends it, once; used
 * as `${…}` inside another it becomes part of that. Values are sent as parameters, never as text.
 */
export interface Sql {
  // biome-ignore lint/suspicious/noExplicitAny: as for Row.
  <T extends readonly any[] = SqlRow[]>(
    strings: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<Rows<T>>
  /** Names of tables and columns, separated by commas; a dot separates the parts of one name. */
  identifier: (...names: string[]) => Fragment
  /** Columns and values for `insert into t ${…}`. Takes the columns from the first row. */
  rows: (rows: object | readonly object[]) => Fragment
  /** Columns and values for `update t set ${…}`. */
  assignments: (values: object) => Fragment
  json: (value: unknown) => Fragment
  /** Text as it is, also of several statements. Never put text into it that comes from outside. */
  unsafe: (text: string) => Fragment
  /** Sends text in which the parameters are `$1`, `$2` and so on. */
  send: RunStatement
}

/** A statement or part of one: text and values until it is awaited. */
export class Statement<T> implements Promise<T> {
  readonly #run: RunStatement | undefined
  readonly #strings: readonly string[]
  readonly #values: readonly Value[] | undefined
  #sent: Promise<T> | undefined
  readonly [Symbol.toStringTag] = 'Statement'

  constructor(run: RunStatement | undefined, strings: readonly string[], values?: readonly Value[]) {
    this.#run = run
    this.#strings = strings
    this.#values = values
  }

  /** Returns the text, and adds its parameters to `parameters`. */
  write(parameters: unknown[]): string {
    let text = this.#strings[0]!
    const values = this.#values ?? []
    for (let i = 0; i < values.length; i += 1) {
      text += writeValue(values[i], parameters) + this.#strings[i + 1]!
    }
    return text
  }

  /** Sends the statement now; awaiting it later returns the same answer. */
  execute(): Promise<T> {
    if (!this.#run) throw new TypeError('This is part of a statement and cannot be sent by itself.')
    if (!this.#sent) {
      const parameters: unknown[] = []
      const text = this.write(parameters)
      this.#sent = this.#run(text, this.#values && parameters) as Promise<T>
    }
    return this.#sent
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement sends it.
  then<A = T, B = never>(
    onFulfilled?: ((rows: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.execute().then(onFulfilled, onRejected)
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.execute().catch(onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.execute().finally(onFinally)
  }
}

/** The type is part of the text where PostgreSQL might guess another, as in `${date} - interval '1 day'`. */
function writeValue(value: Value | undefined, parameters: unknown[]): string {
  if (value instanceof Statement) return value.write(parameters)
  if (isFragments(value)) return value.map(part => part.write(parameters)).join(' ')
  switch (typeof value) {
    case 'undefined':
      throw new TypeError('A statement was given undefined where it takes a value or null.')
    case 'boolean':
      return `$${parameters.push(value)}::boolean`
    case 'bigint':
      return `$${parameters.push(value)}::bigint`
  }
  if (value instanceof Date) return `$${parameters.push(value.toISOString())}::timestamptz`
  return `$${parameters.push(value)}`
}

const isFragments = (value: Value | undefined): value is readonly Fragment[] =>
  Array.isArray(value) && value[0] instanceof Statement

const quote = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

/** A value for a column of the type jsonb. An array that is not wrapped so is an array of PostgreSQL's. */
export const json = (value: unknown): Fragment =>
  new Statement(undefined, ['', '::jsonb'], [JSON.stringify(value)])

const parts: Pick<Sql, 'identifier' | 'rows' | 'assignments' | 'json'> = {
  identifier: (...names) => new Statement(undefined, [names.map(quote).join(', ')]),
  json,
  rows(given) {
    const rows = Array.isArray(given) ? given : [given]
    if (rows.length === 0) throw new TypeError('There are no rows to insert.')
    const columns = Object.keys(rows[0])
    const strings = rows.flatMap((_row, n) =>
      columns.map((_column, i) =>
        i > 0 ? ', ' : n > 0 ? '), (' : `(${columns.map(quote).join(', ')}) values (`,
      ),
    )
    return new Statement(
      undefined,
      [...strings, ')'],
      rows.flatMap(row => columns.map(column => row[column])),
    )
  },
  assignments(values) {
    const strings = Object.keys(values).map((column, i) => `${i > 0 ? ', ' : ''}${quote(column)} = `)
    return new Statement(undefined, [...strings, ''], Object.values(values))
  },
}

/** Makes the tag whose statements `run` sends. */
export function createSql(run: RunStatement): Sql {
  const tag = (strings: TemplateStringsArray, ...values: readonly Value[]) =>
    new Statement(run, strings, values)
  return Object.assign(tag, parts, { send: run, unsafe: (text: string) => new Statement(run, [text]) }) as Sql
}
