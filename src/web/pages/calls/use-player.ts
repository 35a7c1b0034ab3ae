import { useEffect, useRef, useState } from 'react'
import { isTyping } from '../../ui/use-shortcuts.ts'

const SKIP_SECONDS = 5
/** Elements that handle the player's keys themselves. Inside the transcript, the player handles the keys. */
const CONTROLS = ':is(a, button, summary, audio, input):not([data-transcript] *)'

export type Player = ReturnType<typeof usePlayer>

/** Plays a recording. The space bar plays and pauses; the arrow keys skip. */
export function usePlayer(isEnabled: boolean) {
  const ref = useRef<HTMLAudioElement>(null)
  /** The position; undefined until the recording plays. */
  const [seconds, setSeconds] = useState<number>()
  const [isUnplayable, setUnplayable] = useState(false)
  const play = () =>
    void ref.current?.play().catch((error: Error) => setUnplayable(error.name === 'NotSupportedError'))
  const playFrom = (at: number) => {
    if (!ref.current) return
    ref.current.currentTime = at
    setSeconds(at)
    play()
  }
  const actions: Record<string, (audio: HTMLAudioElement) => void> = {
    ' ': audio => (audio.paused ? play() : audio.pause()),
    ArrowLeft: audio => skip(audio, -SKIP_SECONDS),
    ArrowRight: audio => skip(audio, SKIP_SECONDS),
  }
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (!isEnabled) return
    const handleKeyDown = (event: KeyboardEvent) => {
      const action = latest.current[event.key]
      if (!action || !ref.current || event.defaultPrevented || isTyping(event)) return
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.matches(CONTROLS)) return
      event.preventDefault()
      action(ref.current)
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [isEnabled])
  const updateSeconds = () => setSeconds(ref.current?.currentTime)
  return {
    audioProps: {
      ref,
      onTimeUpdate: updateSeconds,
      onSeeking: updateSeconds,
      onError: () => setUnplayable(true),
      onPlaying: () => setUnplayable(false),
    },
    seconds,
    isUnplayable,
    playFrom,
  }
}

function skip(audio: HTMLAudioElement, seconds: number): void {
  const end = Number.isFinite(audio.duration) ? audio.duration : Number.POSITIVE_INFINITY
  audio.currentTime = Math.min(Math.max(audio.currentTime + seconds, 0), end)
}
