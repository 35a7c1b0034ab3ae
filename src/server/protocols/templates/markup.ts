import { Drop } from 'liquidjs'

/** A value that is already formatted as text and HTML; HTML is not escaped. Filters and conditions get the text. */
export class Markup extends Drop {
  readonly text: string
  readonly html: string

  constructor({ text, html }: { text: string; html: string }) {
    super()
    this.text = text
    this.html = html
  }

  override valueOf(): string {
    return this.text
  }

  /** Returns the text for reading properties such as `size`. */
  toLiquid(): string {
    return this.text
  }
}
