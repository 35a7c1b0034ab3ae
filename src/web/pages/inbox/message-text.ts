import type { Message } from './message.ts'

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

/** Converts the HTML of our own messages to text. React escapes it, so it needs no sanitizing. */
export const htmlToText = (html: string): string =>
  html
    .replace(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>\n?/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, entity => entities[entity]!)
    .replace(/\n{3,}/g, '\n\n')
    .trim()

const isReceived = ({ type }: Message): boolean => type === 'received'

/** Returns the whole text of a message. */
export const getFullText = (message: Message): string =>
  message.hasHtml && !isReceived(message) ? htmlToText(message.body) : message.body.trim()

/** Returns the sender's own text, without the quoted email, the signature and the opt-out footer. */
export function getOwnText(message: Message): string {
  if (message.newText !== undefined) return message.newText.trim()
  const text = getFullText(message)
  const footer = message.type === 'campaign' ? findFooter(text) : -1
  return footer > 0 ? text.slice(0, footer).trimEnd() : text
}

/** Finds the paragraph with the opt-out link. Returns -1 if there is none. */
function findFooter(text: string): number {
  const link = text.search(/https?:\/\/\S+\/u\/\S/)
  return link === -1 ? -1 : text.lastIndexOf('\n\n', link)
}

const LINE_LENGTH = 80
const LINE_HEIGHT_PX = 21
const MARGIN_PX = 56
const IMAGES_PX = 160

/** Estimates the height of a message's HTML: its frame has no origin, so it can't be measured. */
export function estimateHeight(message: Message, { hasImages }: { hasImages: boolean }): number {
  const lines = getOwnText(message)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_LENGTH)), 0)
  const hiddenLines = getFullText(message).length > getOwnText(message).length ? 2 : 0
  return (lines + hiddenLines) * LINE_HEIGHT_PX + MARGIN_PX + (hasImages ? IMAGES_PX : 0)
}
