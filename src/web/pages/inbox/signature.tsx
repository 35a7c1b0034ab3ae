import { htmlTagPattern } from '../../../contract/html-tags.ts'
import { useOperation } from '../../api.ts'
import { FormattedText } from '../../ui/formatted-text.tsx'
import { parseHtml } from '../../ui/parse-html.ts'
import { FORWARDED } from './email-content.ts'

type Props = {
  repId: string | undefined
  /** The text of the email, which may already contain the signature. */
  text: string
}

/** Shows the rep's signature as it will be added to the text, above a forwarded message. */
export function Signature({ repId = '', text }: Props) {
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  if (!rep?.signature) return null
  const isHtml = new RegExp(htmlTagPattern, 'i').test(rep.signature)
  const [own = ''] = text.split(FORWARDED)
  const signature = removeWhitespace(
    isHtml ? (parseHtml(rep.signature).body.textContent ?? '') : rep.signature,
  )
  if (removeWhitespace(own).includes(signature)) return null
  return (
    <figure className="max-w-[72ch] border-line border-l-2 pl-3 text-sm">
      <figcaption className="mb-1 text-muted">
        The signature of {rep.name} is added{own !== text && ' above the forwarded message'}:
      </figcaption>
      {isHtml ? (
        <FormattedText html={rep.signature} />
      ) : (
        <p className="wrap-anywhere whitespace-pre-line">{rep.signature}</p>
      )}
    </figure>
  )
}

/** Removes whitespace, which differs between HTML and its text. */
const removeWhitespace = (text: string): string => text.replace(/\s+/g, '')
