import { convert } from 'html-to-text'
import { stripTags } from './strip-tags.ts'

const maxLength = 500_000
/** Conversion takes time quadratic in the nesting depth. HTML beyond these limits only has its tags stripped. */
const maxDepth = 100
const maxTags = 20_000

/** Elements without an end tag. */
const voidElements = new Set(
  'area base basefont br col command embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)
/** Elements whose end tag is often omitted: the next sibling ends them. */
const endedBySibling = new Set(['p', 'li', 'tr', 'td', 'th', 'dt', 'dd', 'option'])

/** Converts HTML to text in linear time. This may take tens of milliseconds: call it in a worker thread. */
export function htmlToText(input: string): string {
  const html = input.slice(0, maxLength)
  if (isTooComplex(html)) return stripTags(html)
  try {
    return convert(html, {
      wordwrap: false,
      limits: { maxInputLength: maxLength, maxDepth, maxChildNodes: 10_000 },
      selectors: [
        { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
        { selector: 'img', format: 'skip' },
        ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({
          selector,
          options: { uppercase: false },
        })),
      ],
    })
  } catch {
    // The library throws on some input, such as Roman list numbers of 10,000 or more.
    return stripTags(html)
  }
}

/** Returns true when HTML has more tags, or nests them deeper, than conversion handles. */
function isTooComplex(html: string): boolean {
  const open: string[] = []
  let tags = 0
  for (const [, slash, tagName] of html.matchAll(/<(\/?)([a-z][^\s/<>]*)/gi)) {
    tags += 1
    const name = tagName!.toLowerCase()
    if (slash) {
      const at = open.lastIndexOf(name)
      if (at !== -1) open.length = at
    } else if (!voidElements.has(name)) {
      if (open.at(-1) === name && endedBySibling.has(name)) open.pop()
      open.push(name)
    }
    if (tags > maxTags || open.length > maxDepth) return true
  }
  return false
}
