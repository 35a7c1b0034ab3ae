import { type ReactNode, useState } from 'react'
import { usePermission } from '../../api.ts'
import { filterClass } from '../../ui/button.tsx'
import { channelLabels } from './search-params.ts'

type Channel = keyof typeof channelLabels

type Props = {
  /** The channel of the open conversation. */
  own: Channel
  /** Returns the composer of the open conversation; `show` switches to it. */
  children: (show: () => void) => ReactNode
  /** The composer of the person's conversation on the other channel, if there is one. */
  other: ReactNode
}

/**
 * Shows the composers of both channels. Only one is visible; the other keeps its text. While the visible composer is
 * closed, the channel buttons stay above it at the bottom of the screen.
 */
export function AnswerChannels({ own, children, other: otherComposer }: Props) {
  const other = usePermission('Inbox.CreateDraft') && otherComposer
  const [chosen, setChosen] = useState(own)
  const [isOtherLoaded, setOtherLoaded] = useState(false)
  const isOwn = chosen === own || !other
  const choose = (channel: Channel) => {
    setChosen(channel)
    if (channel !== own) setOtherLoaded(true)
  }
  return (
    <>
      {other && (
        <fieldset className="flex items-center gap-1 bg-page wide:has-[~.contents>[data-closed]]:sticky wide:has-[~.contents>[data-closed]]:bottom-13 wide:has-[~.contents>[data-closed]]:-mb-3 wide:has-[~.contents>[data-closed]]:pb-3">
          <legend className="float-left mr-2 text-muted text-sm">Reply by</legend>
          {(Object.keys(channelLabels) as Channel[]).map(channel => (
            <button
              key={channel}
              type="button"
              aria-pressed={(channel === own) === isOwn}
              onClick={() => choose(channel)}
              className={filterClass}
            >
              {channelLabels[channel]}
            </button>
          ))}
        </fieldset>
      )}
      <div className={isOwn ? 'contents' : 'hidden'}>{children(() => setChosen(own))}</div>
      {isOtherLoaded && <div className={isOwn ? 'hidden' : 'contents'}>{other}</div>}
    </>
  )
}
