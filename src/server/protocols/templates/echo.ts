import {
  type Emitter,
  type Liquid,
  type Context as LiquidContext,
  Tag,
  type TagToken,
  type TopLevelToken,
  Value,
} from 'liquidjs'

/** A replacement for Liquid's `echo`. The original turns a missing variable into null before it can be reported. */
export class Echo extends Tag {
  readonly #value: Value

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    this.#value = new Value(this.tokenizer.readFilteredValue(), liquid)
  }

  *render(ctx: LiquidContext, emitter: Emitter): Generator<unknown, void, unknown> {
    const value = yield this.#value.value(ctx, false)
    const escapeValue = this.liquid.options.outputEscape!
    emitter.write(escapeValue.call({ context: ctx, token: this.token, liquid: this.liquid }, value))
  }

  /** Yields the value, for the analysis of variables. */
  *arguments(): Generator<Value, void> {
    yield this.#value
  }
}
