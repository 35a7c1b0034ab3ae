import { useSession } from '../../api.ts'
import { Section } from '../../ui/page.tsx'
import { prose } from '../../ui/prose.ts'
import { listKeys } from '../../ui/roving-focus.ts'
import { formatDuration } from '../../ui/time.tsx'
import { type Call, getContactName } from './call-status.tsx'
import { findCurrentTurn } from './current-turn.ts'
import { type Player, usePlayer } from './use-player.ts'

/** Shows the recording and the transcript, in which the line being spoken is marked. */
export function CallTranscript({ call }: { call: Call }) {
  const { id, recordingUrl, transcript = [], outcome } = call
  const { account } = useSession()
  const player = usePlayer(recordingUrl !== undefined)
  const text =
    transcript.length > 0 ? (
      <Section title="Transcript">
        <Turns call={call} player={recordingUrl ? player : undefined} />
      </Section>
    ) : (
      call.assistantId &&
      (outcome === 'answered' || outcome === 'voicemail') && (
        <p className="mt-6 text-muted">This call has no transcript.</p>
      )
    )
  if (!recordingUrl) return text
  return (
    <Section title="Recording">
      <div className="sticky top-0 z-1 bg-page py-2">
        <audio
          {...player.audioProps}
          controls
          preload="none"
          aria-label="Recording"
          src={`/v1/calls/${id}/recording?accountId=${account?.id}`}
          className="w-full max-w-lg"
        />
      </div>
      {player.isUnplayable ? (
        <p role="alert" className="max-w-[72ch] text-amber">
          The recording can’t be played. The voice provider may be unavailable or may have deleted it.
        </p>
      ) : (
        <p className="hidden text-muted text-sm narrow:block">
          Space plays and pauses, ← and → skip 5 seconds. Click a line of the transcript to play from there.
        </p>
      )}
      {text}
    </Section>
  )
}

function Turns({ call, player }: { call: Call; player: Player | undefined }) {
  const { transcript = [] } = call
  const current = player?.seconds === undefined ? -1 : findCurrentTurn(transcript, player.seconds)
  return (
    <ol aria-label="Transcript" data-transcript {...listKeys} className="grid grid-cols-1 gap-2.5">
      {transcript.map(({ role, text, at }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of turns never changes
          key={index}
          ref={index === current ? scrollIntoView : undefined}
          aria-current={index === current ? 'true' : undefined}
          tabIndex={index === Math.max(current, 0) ? 0 : -1}
          {...(player && {
            onClick: () => !hasSelectedText() && player.playFrom(at),
            onKeyDown: event => {
              if (event.key !== 'Enter' || event.target !== event.currentTarget) return
              event.preventDefault()
              player.playFrom(at)
            },
          })}
          className={`max-w-[72ch] scroll-mt-20 scroll-mb-6 rounded-card border border-line px-4 py-2.5 aria-[current=true]:border-accent aria-[current=true]:bg-accent-quiet ${role === 'person' ? 'bg-surface' : 'bg-sunken/60'} ${player ? 'cursor-pointer' : ''}`}
        >
          <p className="flex justify-between gap-4 text-sm">
            <span className="font-medium">{role === 'person' ? getContactName(call) : 'Assistant'}</span>
            {player ? (
              <button
                type="button"
                aria-label={`Play from ${formatDuration(at)}`}
                // The space bar plays and pauses, even after a click on a line.
                onKeyUp={event => event.key === ' ' && event.preventDefault()}
                onClick={event => {
                  event.stopPropagation()
                  player.playFrom(at)
                }}
                className="rounded-control text-accent tabular-nums underline-offset-2 hover:underline"
              >
                {formatDuration(at)}
              </button>
            ) : (
              <span className="text-muted tabular-nums">{formatDuration(at)}</span>
            )}
          </p>
          <p className={prose}>{text}</p>
        </li>
      ))}
    </ol>
  )
}

/** Reports whether text is selected, as after dragging over it to copy it. */
const hasSelectedText = (): boolean => getSelection()?.isCollapsed === false

const scrollIntoView = (line: HTMLElement | null): void => line?.scrollIntoView({ block: 'nearest' })
