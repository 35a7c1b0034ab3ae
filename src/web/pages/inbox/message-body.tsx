import { useState } from 'react'
import { useSession } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { prose } from '../../ui/prose.ts'
import { getSenderName, type Message } from './message.ts'
import { estimateHeight, getFullText, getOwnText } from './message-text.ts'

type Props = { message: Message; isPlain: boolean; onSwitch: () => void }

/** Shows the content of a message: its HTML in a frame that runs no scripts, or its text. */
export function MessageBody({ message, isPlain, onSwitch }: Props) {
  const [hasImages, setHasImages] = useState(false)
  const { hasHtml, hasRemoteImages } = message
  if (!hasHtml) return <MessageText message={message} />
  return (
    <>
      {isPlain ? <MessageText message={message} /> : <HtmlFrame message={message} hasImages={hasImages} />}
      <p className="mt-2 flex flex-wrap items-center gap-x-1 text-muted text-sm">
        {hasRemoteImages && !isPlain && !hasImages && (
          <>
            Remote images are blocked: they tell the sender that you read this.
            <Button look="quiet" size="small" onClick={() => setHasImages(true)}>
              Show images
            </Button>
          </>
        )}
        <Button look="quiet" size="small" aria-keyshortcuts="v" onClick={onSwitch}>
          {isPlain ? 'Show formatting' : 'Show plain text'}
        </Button>
      </p>
    </>
  )
}

/** Shows a frame with an estimated height, which the reader can change. */
function HtmlFrame({ message, hasImages }: { message: Message; hasImages: boolean }) {
  const { account } = useSession()
  const query = new URLSearchParams({
    accountId: account?.id ?? '',
    ...(hasImages && { images: 'remote' }),
  })
  return (
    <div
      className="max-h-[80vh] min-h-20 resize-y overflow-hidden rounded-control border border-line"
      style={{ height: estimateHeight(message, { hasImages }) }}
    >
      <iframe
        key={String(hasImages)}
        title={`Formatted message from ${getSenderName(message)}`}
        src={`/v1/inbox/email/messages/${message.id}/html?${query}`}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        loading="lazy"
        className="block size-full bg-white"
      />
    </div>
  )
}

function MessageText({ message }: { message: Message }) {
  const ownText = getOwnText(message)
  const fullText = getFullText(message)
  return (
    <>
      <p className={prose}>
        <LinkedText text={ownText} />
      </p>
      {ownText !== fullText && (
        <details open={ownText === ''} className="mt-3 text-sm">
          <summary className="w-fit cursor-pointer rounded-control text-muted hover:text-text">
            Full message
          </summary>
          <p className={`mt-2 text-muted ${prose}`}>
            <LinkedText text={fullText} />
          </p>
        </details>
      )}
    </>
  )
}
