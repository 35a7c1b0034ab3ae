import { Drop } from 'liquidjs'

/** A variable without a value: falsy in conditions, absent for `default`, and reported when printed. */
export class MissingValue extends Drop {
  readonly #name: string
  readonly #onRead: (name: string) => string

  /** `onRead` returns a replacement text, or throws. */
  constructor(name: string, onRead: (name: string) => string) {
    super()
    this.#name = name
    this.#onRead = onRead
  }

  report(): string {
    return this.#onRead(this.#name)
  }

  override valueOf(): unknown {
    return null
  }

  /** Returns undefined, because a missing value has no properties to read. */
  toLiquid(): undefined {
    return undefined
  }
}
