import { type Node as ContentNode, type DOMOutputSpec, DOMParser, DOMSerializer } from '@tiptap/pm/model'
import {
  type Editor,
  EditorContent,
  getSchema,
  type JSONContent,
  Node,
  useEditor,
  useEditorState,
} from '@tiptap/react'
import { StarterKit } from '@tiptap/starter-kit'
import { useId, useState } from 'react'
import { htmlTagPattern } from '../../contract/html-tags.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { parseHtml } from '../ui/parse-html.ts'

type Props = {
  label: string
  /** Plain text, or HTML. */
  value: string
  /** Called with HTML or, if nothing is formatted, with plain text. */
  onChange: (value: string) => void
}

/** Edits short text with bold, italics, links and images. Load it lazily. */
export function RichTextEditor({ label, value, onChange }: Props) {
  const id = useId()
  const hasOtherFormat = htmlTagPattern.test(value) && otherFormatPattern.test(value)
  const editor = useEditor({
    extensions,
    content: toDocument(value),
    // The content security policy forbids style elements.
    injectCSS: false,
    editorProps: {
      attributes: {
        id,
        role: 'textbox',
        'aria-label': label,
        'aria-multiline': 'true',
        class:
          'min-h-24 whitespace-pre-wrap break-words px-3 py-2 outline-none [&_a]:text-accent [&_a]:underline',
      },
    },
    onUpdate: ({ editor }) => onChange(toValue(editor)),
  })
  return (
    <div className="rounded-control border border-edge bg-surface focus-within:outline-2 focus-within:outline-accent">
      <Toolbar editor={editor} label={label} controls={id} />
      <EditorContent editor={editor} />
      {hasOtherFormat && (
        <p className="border-line border-t px-3 py-2 text-muted text-sm">
          Changes made here keep text, bold, italics, links and images. Other formatting is removed.
        </p>
      )}
    </div>
  )
}

/** Matches HTML that the editor does not keep. */
const otherFormatPattern = /<(?!(?:p|br|strong|b|em|i|a|img)\b)[a-z][^<>]*>|<[a-z][^<>]*\sstyle=/i

/** Shows the name of an image in its place: the content security policy forbids images from other hosts. */
const Image = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ src: {}, alt: { default: '' } }),
  parseHTML: () => [{ tag: 'img[src]' }],
  renderHTML: ({ node: { attrs } }) => [
    'span',
    { class: 'rounded-control bg-sunken px-1.5 text-muted text-sm', title: attrs.src },
    `Image: ${attrs.alt || attrs.src}`,
  ],
})

/** Makes Enter insert a line break, because a signature is a single paragraph. */
const LineBreaks = StarterKit.extend({
  addKeyboardShortcuts() {
    return { Enter: () => this.editor.commands.setHardBreak() }
  },
})

const extensions = [
  LineBreaks.configure({
    blockquote: false,
    bulletList: false,
    code: false,
    codeBlock: false,
    heading: false,
    horizontalRule: false,
    listItem: false,
    listKeymap: false,
    orderedList: false,
    strike: false,
    underline: false,
    trailingNode: false,
    link: { openOnClick: false, autolink: false, HTMLAttributes: { target: null, rel: null } },
  }),
  Image,
]

/** Returns the content of the editor: HTML is parsed, and lines of text are separated by breaks. */
function toDocument(value: string): JSONContent {
  if (htmlTagPattern.test(value))
    return DOMParser.fromSchema(getSchema(extensions)).parse(parseHtml(value).body).toJSON()
  const lines = value
    .split('\n')
    .flatMap((text, index) => [
      ...(index > 0 ? [{ type: 'hardBreak' }] : []),
      ...(text ? [{ type: 'text', text }] : []),
    ])
  return { type: 'doc', content: [{ type: 'paragraph', content: lines }] }
}

function toValue(editor: Editor): string {
  if (editor.isEmpty) return ''
  const text = editor.getText()
  return isFormatted(editor.getJSON()) || htmlTagPattern.test(text) ? toHtml(editor.state.doc) : text
}

/** Serializes the content in a separate document, so that images are not loaded. */
function toHtml(content: ContentNode): string {
  const document = parseHtml('')
  const { schema } = content.type
  const nodes = { ...DOMSerializer.nodesFromSchema(schema), image: toImage }
  const serializer = new DOMSerializer(nodes, DOMSerializer.marksFromSchema(schema))
  document.body.append(serializer.serializeFragment(content.content, { document }))
  return document.body.innerHTML
}

const toImage = ({ attrs }: ContentNode): DOMOutputSpec => ['img', attrs]

const isFormatted = ({ type, marks, content = [] }: JSONContent): boolean =>
  type === 'image' || (marks !== undefined && marks.length > 0) || content.some(isFormatted)

type ToolbarProps = { editor: Editor; label: string; controls: string }

function Toolbar({ editor, label, controls }: ToolbarProps) {
  const [adding, setAdding] = useState<'link' | 'image'>()
  const active = useEditorState({
    editor,
    selector: ({ editor }) => ({
      bold: editor.isActive('bold'),
      italic: editor.isActive('italic'),
      link: editor.isActive('link'),
    }),
  })
  const close = () => {
    setAdding(undefined)
    editor.commands.focus()
  }
  return (
    <div className="border-line border-b p-1.5">
      <div
        role="toolbar"
        aria-label={`${label} formatting`}
        aria-controls={controls}
        className="flex flex-wrap gap-1"
      >
        <Tool isPressed={active.bold} onClick={() => editor.chain().focus().toggleBold().run()}>
          Bold
        </Tool>
        <Tool isPressed={active.italic} onClick={() => editor.chain().focus().toggleItalic().run()}>
          Italic
        </Tool>
        <Tool
          isPressed={active.link}
          onClick={() => (active.link ? editor.chain().focus().unsetLink().run() : setAdding('link'))}
        >
          {active.link ? 'Remove link' : 'Link'}
        </Tool>
        <Tool isPressed={adding === 'image'} onClick={() => setAdding('image')}>
          Image
        </Tool>
      </div>
      {adding === 'link' && (
        <AddressForm
          key="link"
          label="Link address"
          placeholder="https://acme.example"
          submit="Add link"
          onCancel={close}
          onSubmit={href => {
            const { from, to, empty } = editor.state.selection
            if (empty) editor.commands.insertContent({ type: 'text', text: href })
            const end = empty ? from + href.length : to
            editor.chain().setTextSelection({ from, to: end }).setLink({ href }).setTextSelection(end).run()
            close()
          }}
        />
      )}
      {adding === 'image' && (
        <AddressForm
          key="image"
          label="Image address"
          placeholder="https://acme.example/logo.png"
          submit="Add image"
          onCancel={close}
          onSubmit={src => {
            editor.commands.insertContent({ type: 'image', attrs: { src } })
            close()
          }}
        />
      )}
    </div>
  )
}

type ToolProps = { isPressed: boolean; onClick: () => void; children: string }

const Tool = ({ isPressed, onClick, children }: ToolProps) => (
  <Button
    look="quiet"
    size="small"
    aria-pressed={isPressed}
    // Keeps the text selected.
    onMouseDown={event => event.preventDefault()}
    onClick={onClick}
    className={isPressed ? 'bg-accent-quiet' : ''}
  >
    {children}
  </Button>
)

type AddressFormProps = {
  label: string
  placeholder: string
  submit: string
  onSubmit: (address: string) => void
  onCancel: () => void
}

/**
 * Asks for the address of a link or image. Renders no form element, because the editor is already inside one.
 */
function AddressForm({ label, placeholder, submit, onSubmit, onCancel }: AddressFormProps) {
  const [address, setAddress] = useState('')
  const [error, setError] = useState<string>()
  const handleSubmit = () => {
    const url = /^[a-z]+:/i.test(address.trim()) ? address.trim() : `https://${address.trim()}`
    if (/^(?:https?:\/\/[^\s/]+\.|mailto:)\S+$/i.test(url)) onSubmit(url)
    else setError('Enter an address such as https://acme.example')
  }
  return (
    <div className="mt-2 grid gap-2 p-1.5">
      <TextField
        label={label}
        type="url"
        placeholder={placeholder}
        autoFocus
        value={address}
        error={error}
        onChange={event => setAddress(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          handleSubmit()
        }}
      />
      <div className="flex gap-2">
        <Button size="small" onClick={handleSubmit}>
          {submit}
        </Button>
        <Button size="small" look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
