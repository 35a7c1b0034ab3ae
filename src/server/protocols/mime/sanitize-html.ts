import sanitize from 'sanitize-html'

const MAX_DEPTH = 200

/** Allowed values of CSS properties. Only colors may be functions, because `url()` would load a file. */
const plainValue = [/^[^()\\@]{0,200}$/, /^(?:rgb|hsl)a?\([\d\s.,%/]{1,40}\)$/i]
const properties = [
  ...[
    'color',
    'background',
    'background-color',
    'text-align',
    'text-decoration',
    'vertical-align',
    'direction',
  ],
  ...['font', 'font-family', 'font-size', 'font-style', 'font-weight', 'line-height', 'letter-spacing'],
  ...['padding', 'margin', 'border'].flatMap(name => [
    name,
    ...['top', 'right', 'bottom', 'left'].map(side => `${name}-${side}`),
  ]),
  ...['border-collapse', 'border-color', 'border-radius', 'border-spacing', 'border-style', 'border-width'],
  ...['width', 'max-width', 'min-width', 'height', 'max-height', 'list-style-type', 'white-space', 'display'],
]

const options: sanitize.IOptions = {
  allowedTags: [
    ...sanitize.defaults.allowedTags,
    'img',
    'center',
    'font',
    'del',
    'ins',
    'big',
    'strike',
    'tt',
  ],
  allowedAttributes: {
    '*': ['style', 'align', 'valign', 'width', 'height', 'bgcolor', 'dir', 'lang', 'title'],
    a: ['href', 'name'],
    img: ['src', 'alt', 'border'],
    table: ['border', 'cellpadding', 'cellspacing'],
    td: ['colspan', 'rowspan', 'nowrap'],
    th: ['colspan', 'rowspan', 'nowrap'],
    ol: ['start', 'type'],
    font: ['color', 'face', 'size'],
    blockquote: ['type'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data', 'cid'] },
  allowProtocolRelative: false,
  allowedStyles: { '*': Object.fromEntries(properties.map(name => [name, plainValue])) },
  nonTextTags: ['style', 'script', 'textarea', 'option', 'noscript', 'title', 'xmp', 'iframe', 'template'],
  nestingLimit: MAX_DEPTH,
}

/**
 * Keeps the formatting, links and images of an HTML email; removes everything that runs, submits data or covers the
 * page. Call it in a worker thread: hostile HTML can be slow.
 */
export const sanitizeHtml = (html: string): string => sanitize(html, options)
