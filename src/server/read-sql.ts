import type { Pool } from './db.ts'

/** A statement or a part of one, as plain text and values until it is awaited. */
class Statement implements PromiseLike<unknown> {
  readonly #pool: Pool
  readonly #strings: readonly string[]
  readonly #values: readonly unknown[]

  constructor(pool: Pool, strings: readonly string[], values: readonly unknown[] = []) {
    this.#pool = pool
    this.#strings = strings
    this.#values = values
  }

  /** The text, with its parameters and those of its parts in `parameters`. */
  write(parameters: unknown[]): string {
    let text = this.#strings[0]!
    this.#values.forEach((value, i) => {
      const parts = Array.isArray(value) && value[0] instanceof Statement ? (value as Statement[]) : undefined
      if (value instanceof Statement) text += value.write(parameters)
      else if (parts) text += parts.map(part => part.write(parameters)).join(' ')
      else text += `$${parameters.push(value)}`
      text += this.#strings[i + 1]
    })
    return text
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement sends it, as with the driver's own.
  // biome-ignore lint/suspicious/noExplicitAny: the handlers are those of any promise.
  then(resolve: any, reject: any): any {
    const parameters: unknown[] = []
    const text = this.write(parameters)
    return this.#pool.unsafe(text, parameters as never[], { prepare: true }).then(resolve, reject)
  }
}

/**
 * The pool as a handle for reads. To the driver each part of a statement is a promise with a dozen fields, and a
 * list has twenty parts: building them took a third of a request's processor time. Here they cost next to nothing,
 * and the driver sees one text. Names (`sql('m.id')`) and values work as usual; its helpers for writing rows don't.
 */
export function readSql(pool: Pool): Pool {
  const sql = (first: unknown, ...values: unknown[]): Statement => {
    if (Array.isArray(first) && 'raw' in first) return new Statement(pool, first, values)
    if (typeof first !== 'string') throw new TypeError('A read has no rows to write.')
    return new Statement(pool, [`"${first.replaceAll('"', '""').replaceAll('.', '"."')}"`])
  }
  const unsafe = (text: string) => new Statement(pool, [text])
  return Object.assign(sql, pool, { unsafe }) as unknown as Pool
}
