const ignoredContent = /<!--[\s\S]*?(?:-->|$)|<(style|script|title)\b[\s\S]*?(?:<\/\1\b|$)/gi
const blockTags = /<\/?(?:br|p|div|li|tr|table|h[1-6]|blockquote|ul|ol|hr)\b[^<>]*>/gi
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Strips tags from HTML, in linear time for any input. */
export function stripTags(html: string): string {
  return html
    .replace(ignoredContent, '')
    .replace(blockTags, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, '')
    .replace(/&(?:#(\d{1,7})|([a-z]{2,4}));/gi, (entity, code, name) =>
      name
        ? (entities[name.toLowerCase()] ?? entity)
        : String.fromCodePoint(Math.min(Number(code), 0x10ffff)),
    )
    .replace(/[ \t\r]+/g, ' ')
    .replace(/ ?(?:\n ?){2,}/g, '\n\n')
    .trim()
}
