import { useRef, useState } from 'react'
import { useSession } from '../../api.ts'
import { Section } from '../../ui/page.tsx'
import { formatDuration } from '../../ui/time.tsx'
import { type Call, getContactName } from './call-status.tsx'

/** The recording and the transcript. Clicking a timestamp plays the recording from there. */
export function CallTranscript({ call }: { call: Call }) {
  const player = useRef<HTMLAudioElement>(null)
  const { id, recordingUrl, transcript = [], outcome } = call
  const { account } = useSession()
  const [isUnplayable, setUnplayable] = useState(false)
  const playFrom = (seconds: number) => {
    if (!player.current) return
    player.current.currentTime = seconds
    player.current.play().catch((error: Error) => setUnplayable(error.name === 'NotSupportedError'))
  }
  return (
    <>
      {recordingUrl && (
        <Section title="Recording">
          {/* biome-ignore lint/a11y/useMediaCaption: the transcript is below */}
          <audio
            ref={player}
            controls
            preload="none"
            aria-label="Recording"
            onError={() => setUnplayable(true)}
            onPlaying={() => setUnplayable(false)}
            src={`/v1/calls/${id}/recording?accountId=${account?.id}`}
            className="w-full max-w-lg"
          />
          {isUnplayable && (
            <p role="alert" className="mt-2 max-w-[72ch] text-amber">
              The recording can’t be played. The voice provider may be unavailable or may have deleted it.
            </p>
          )}
        </Section>
      )}
      {transcript.length > 0 ? (
        <Section title="Transcript">
          <Turns call={call} onPlay={recordingUrl ? playFrom : undefined} />
        </Section>
      ) : (
        (outcome === 'answered' || outcome === 'voicemail') && (
          <p className="mt-6 text-muted">This call has no transcript.</p>
        )
      )}
    </>
  )
}

function Turns({ call, onPlay }: { call: Call; onPlay: ((seconds: number) => void) | undefined }) {
  return (
    <ol aria-label="Transcript" className="grid grid-cols-1 gap-2.5">
      {call.transcript?.map(({ role, text, at }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of turns never changes
          key={index}
          className={`max-w-[72ch] rounded-card border border-line px-4 py-2.5 ${role === 'person' ? 'bg-surface' : 'bg-sunken/60'}`}
        >
          <p className="flex justify-between gap-4 text-sm">
            <span className="font-medium">{role === 'person' ? getContactName(call) : 'Assistant'}</span>
            {onPlay ? (
              <button
                type="button"
                aria-label={`Play from ${formatDuration(at)}`}
                onClick={() => onPlay(at)}
                className="rounded-control text-accent tabular-nums underline-offset-2 hover:underline"
              >
                {formatDuration(at)}
              </button>
            ) : (
              <span className="text-muted tabular-nums">{formatDuration(at)}</span>
            )}
          </p>
          <p className="whitespace-pre-wrap break-words">{text}</p>
        </li>
      ))}
    </ol>
  )
}
