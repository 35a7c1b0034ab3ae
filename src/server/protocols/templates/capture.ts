import { CaptureTag, type Context as LiquidContext } from 'liquidjs'
import { stripTags } from '../mime/strip-tags.ts'
import { chargeCharacters } from './bounds.ts'
import { Markup } from './markup.ts'

/** A replacement for Liquid's `capture` in HTML. The original escapes the captured HTML again when it is printed. */
export class Capture extends CaptureTag {
  override *render(ctx: LiquidContext): Generator<unknown, void, string> {
    const html = yield this.liquid.renderer.renderTemplates(this.templates, ctx)
    chargeCharacters(ctx, html.length)
    // A blank capture stays a string, so that it is reported when it is printed.
    ctx.bottom()[this.variable] = html.trim() === '' ? html : new Markup({ text: stripTags(html), html })
  }
}
