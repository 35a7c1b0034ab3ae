import { convert } from 'html-to-text'
import { stripTags } from './strip-tags.ts'

const maxLength = 500_000
/** Converting takes time quadratic in the depth, so HTML beyond these is stripped instead. */
const maxDepth = 100
const maxTags = 20_000

/** Elements without an end tag. */
const voidElements = new Set(
  'area base basefont br col command embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)
/** Elements whose end tag is left out by many: the next one of the kind ends them. */
const endedBySibling = new Set(['p', 'li', 'tr', 'td', 'th', 'dt', 'dd', 'option'])

/** Returns what HTML says in words. Takes linear time, but tens of milliseconds: meant for a worker thread. */
export function htmlToText(given: string): string {
  const html = given.slice(0, maxLength)
  if (isHeavy(html)) return stripTags(html)
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
    // It trips over some lists, such as one numbered in Roman from 10,000 on; the words still count.
    return stripTags(html)
  }
}

/** Whether HTML has more tags, or nests them deeper, than the conversion takes. */
function isHeavy(html: string): boolean {
  const open: string[] = []
  let tags = 0
  for (const [, slash, spelled] of html.matchAll(/<(\/?)([a-z][^\s/<>]*)/gi)) {
    tags += 1
    const name = spelled!.toLowerCase()
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
