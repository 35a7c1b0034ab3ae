import { formatNumber } from '../../ui/time.tsx'
import type { Channel, StoredStep, Unit } from './step-drafts.ts'

export const channelLabels: Record<Channel, string> = {
  email: 'Email',
  linkedin_view: 'LinkedIn profile visit',
  linkedin_connect: 'LinkedIn invitation',
  linkedin_message: 'LinkedIn message',
  linkedin_like: 'LinkedIn post like',
  call: 'AI call',
  task: 'Task',
}

export const channelDescriptions: Record<Channel, string> = {
  email: 'From one of the rep’s mailboxes',
  linkedin_view: 'Visits their profile',
  linkedin_connect: 'Asks to connect, with a note if you like',
  linkedin_message: 'After they accept the invitation',
  linkedin_like: 'Likes one of their posts',
  call: 'An AI assistant calls them',
  task: 'A reminder for the rep, such as to call them',
}

export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

export const units: Record<Unit, string> = {
  minutes: 'minute',
  hours: 'hour',
  days: 'day',
  business_days: 'business day',
}

export const formatDelay = ({ amount, unit }: StoredStep['delay']): string =>
  `${formatNumber(amount)} ${units[unit]}${amount === 1 ? '' : 's'}`

/** Formats when a step happens, as in `3 days later`. */
export function formatTiming(position: number, delay: StoredStep['delay']): string {
  if (delay.amount === 0) return position === 1 ? 'immediately' : 'immediately after the previous step'
  return position === 1 ? `${formatDelay(delay)} after joining` : `${formatDelay(delay)} later`
}

export const getFirstLine = (text: string): string => text.split('\n').find(line => line.trim()) ?? ''
