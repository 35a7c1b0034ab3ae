/** A value for `${…}`: a parameter, a fragment, or a list of fragments. */
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

/** A statement, or part of one. */
export type Fragment = Statement<Rows<SqlRow[]>>

// biome-ignore lint/suspicious/noExplicitAny: the statement determines the types of its columns.
export type SqlRow = Record<string, any>

/** The rows of a result; `count` is the number of rows read or changed. */
export type Rows<T extends readonly unknown[]> = T & {
  readonly count: number
  readonly columns: readonly { name: string }[]
}

/** A function that sends a statement. The text may contain several statements if `parameters` is undefined. */
export type RunStatement = (text: string, parameters: unknown[] | undefined) => Promise<Rows<SqlRow[]>>

/**
 * A tag for statements: `sql<{ id: string }[]>`select id from reps where name = ${name}``. Awaiting a statement sends
 * it once; inside `${…}` of another statement it becomes part of that statement. Values are sent as parameters, never
 * as text.
 */
export interface Sql {
  // biome-ignore lint/suspicious/noExplicitAny: as for SqlRow.
  <T extends readonly any[] = SqlRow[]>(
    strings: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<Rows<T>>
  /** Quotes names of tables and columns, comma-separated; dots separate the parts of a qualified name. */
  identifier: (...names: string[]) => Fragment
  /** Returns the columns and values for `insert into t ${…}`; the first row determines the columns. */
  rows: (rows: object | readonly object[]) => Fragment
  /** Returns the columns and values for `update t set ${…}`. */
  assignments: (values: object) => Fragment
  json: (value: unknown) => Fragment
  /** Inserts text verbatim. The text may contain several statements. Never pass untrusted text. */
  unsafe: (text: string) => Fragment
  /** Sends text with parameters `$1`, `$2` and so on. */
  send: RunStatement
}

/** A statement or part of one; sent when awaited. */
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

  /** Returns the text and appends its parameters to `parameters`. */
  write(parameters: unknown[]): string {
    let text = this.#strings[0]!
    const values = this.#values ?? []
    for (let i = 0; i < values.length; i += 1) {
      text += writeValue(values[i], parameters) + this.#strings[i + 1]!
    }
    return text
  }

  /** Sends the statement now; awaiting it later returns the same result. */
  execute(): Promise<T> {
    if (!this.#run) throw new TypeError('A fragment is part of a statement and cannot be sent by itself.')
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

/** Casts parameters whose type PostgreSQL might guess wrong, as in `${date} - interval '1 day'`. */
function writeValue(value: Value | undefined, parameters: unknown[]): string {
  if (value instanceof Statement) return value.write(parameters)
  if (isFragmentList(value)) return value.map(part => part.write(parameters)).join(' ')
  switch (typeof value) {
    case 'undefined':
      throw new TypeError('A statement parameter must not be undefined; use null.')
    case 'boolean':
      return `$${parameters.push(value)}::boolean`
    case 'bigint':
      return `$${parameters.push(value)}::bigint`
  }
  if (value instanceof Date) return `$${parameters.push(value.toISOString())}::timestamptz`
  return `$${parameters.push(value)}`
}

const isFragmentList = (value: Value | undefined): value is readonly Fragment[] =>
  Array.isArray(value) && value[0] instanceof Statement

const quote = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

/** Returns a jsonb value. A plain JavaScript array would become a PostgreSQL array. */
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

/** Creates a tag whose statements are sent with `run`. */
export function createSql(run: RunStatement): Sql {
  const tag = (strings: TemplateStringsArray, ...values: readonly Value[]) =>
    new Statement(run, strings, values)
  return Object.assign(tag, parts, { send: run, unsafe: (text: string) => new Statement(run, [text]) }) as Sql
}
