import { parseDocument } from 'htmlparser2'

type Node = ReturnType<typeof parseDocument>['children'][number]
export type Element = Extract<Node, { attribs: object }>

/** Parses a document. Does not expand entities that the document declares. */
export const parseXml = (xml: string): Pick<Element, 'children'> => parseDocument(xml, { xmlMode: true })

/** Lists the children with a name, in any namespace. */
export const listChildren = (parent: Pick<Element, 'children'> | undefined, name: string): Element[] =>
  (parent?.children ?? []).filter(
    (node): node is Element => isElement(node) && node.name.slice(node.name.indexOf(':') + 1) === name,
  )

export const findChild = (parent: Pick<Element, 'children'> | undefined, name: string): Element | undefined =>
  listChildren(parent, name)[0]

/** Lists all elements within the parent, in the order of the document. */
export const listDescendants = ({ children }: Pick<Element, 'children'>): Element[] =>
  children.filter(isElement).flatMap(element => [element, ...listDescendants(element)])

/** Returns the text of the first child with a name, in a form that PostgreSQL can store; empty if there is none. */
export const getText = (parent: Pick<Element, 'children'> | undefined, name: string): string =>
  (findChild(parent, name)?.children ?? [])
    .map(node => ('data' in node ? node.data : ''))
    .join('')
    .replaceAll('\0', '')
    .toWellFormed()
    .trim()

const isElement = (node: Node): node is Element => 'attribs' in node
