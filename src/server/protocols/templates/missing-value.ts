import { Drop } from 'liquidjs'

/** A variable without a value: false in conditions, absent for `default`, and reported where its text is needed. */
export class MissingValue extends Drop {
  readonly #name: string
  readonly #onRead: (name: string) => string

  /** `onRead` returns what stands in its place, or throws. */
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

  /** Liquid reads properties from this: none of a gap is within a template's reach. */
  toLiquid(): undefined {
    return undefined
  }
}
