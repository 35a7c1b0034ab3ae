import type { ReactNode } from 'react'

const tones = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-quiet text-accent',
  green: 'bg-green-quiet text-green',
  amber: 'bg-amber-quiet text-amber',
  red: 'bg-red-quiet text-red',
  blue: 'bg-blue-quiet text-blue',
}
export type Tone = keyof typeof tones

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-block whitespace-nowrap rounded-full border border-transparent px-2 text-xs leading-5 font-medium ${tones[tone]}`}
    >
      {children}
    </span>
  )
}
