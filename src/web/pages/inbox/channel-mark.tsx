import { ChatIcon, type Icon, MailIcon, PhoneIcon } from '../../ui/icons.tsx'

const marks: Record<'email' | 'linkedin' | 'call', [label: string, icon: Icon]> = {
  email: ['Email', MailIcon],
  linkedin: ['LinkedIn', ChatIcon],
  call: ['Call', PhoneIcon],
}

/** Shows the channel of a message or call. */
export function ChannelMark({ channel }: { channel: keyof typeof marks }) {
  const [label, MarkIcon] = marks[channel]
  return (
    <span title={label} className="inline-block shrink-0 self-center text-muted">
      <MarkIcon size={14} />
      <span className="sr-only">{label}</span>
    </span>
  )
}
