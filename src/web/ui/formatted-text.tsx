import { createElement, Fragment, type ReactNode, useMemo } from 'react'
import { parseHtml } from './parse-html.ts'

const allowedTags = new Set(
  'p br div span b strong i em u s small ul ol li blockquote h1 h2 h3 h4 h5 h6 table tbody tr td th hr'.split(
    ' ',
  ),
)
const hiddenTags = new Set(['style', 'script', 'title', 'template', 'noscript'])

/**
 * Shows an email's HTML without styles. Images are replaced by their alt text, because loading them would reveal that
 * the email was read.
 */
export function FormattedText({ html }: { html: string }) {
  const content = useMemo(() => [...parseHtml(html).body.childNodes].map(toElement), [html])
  return (
    <div className="wrap-anywhere grid gap-3 [&_a]:text-accent [&_a]:underline [&_ol]:list-decimal [&_ol]:pl-5 [&_ul]:list-disc [&_ul]:pl-5">
      {content}
    </div>
  )
}

function toElement(node: ChildNode, key: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  if (node.nodeType !== Node.ELEMENT_NODE) return null
  const element = node as Element
  const name = element.localName
  if (hiddenTags.has(name)) return null
  if (name === 'img') {
    return (
      <span key={key} className="rounded-control bg-sunken px-1.5 text-muted text-sm">
        Image{element.getAttribute('alt') && `: ${element.getAttribute('alt')}`}
      </span>
    )
  }
  const children = [...element.childNodes].map(toElement)
  const address = element.getAttribute('href')
  if (name === 'a' && address && /^(?:https?|mailto|tel):/i.test(address)) {
    return (
      <a key={key} href={address} target="_blank" rel="noreferrer">
        {children}
      </a>
    )
  }
  if (!allowedTags.has(name)) return <Fragment key={key}>{children}</Fragment>
  return createElement(name, { key }, ...children)
}
