import { useSession } from '../../api.ts'
import { formatNumber } from '../../ui/time.tsx'
import type { Message } from './message.ts'

export type Attachment = NonNullable<Message['attachments']>[number]

export const formatSize = (bytes: number): string => `${formatNumber(Math.ceil(bytes / 1024))} kB`

/** Shows the files of a message, each with its size and a link to download it. */
export const MessageAttachments = ({ attachments }: { attachments: Attachment[] }) => (
  <ul aria-label="Attachments" className="mt-3 flex flex-wrap gap-2 text-sm">
    {attachments.map((attachment, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes, and names may repeat
      <li key={index} className="max-w-full rounded-control border border-line bg-page px-2.5 py-1">
        <AttachmentLink attachment={attachment} />{' '}
        <span className="text-muted">
          {formatSize(attachment.size)}
          {!attachment.id && ' (not stored)'}
        </span>
      </li>
    ))}
  </ul>
)

function AttachmentLink({ attachment: { id, name } }: { attachment: Attachment }) {
  const { account } = useSession()
  if (!id) return <span className="break-all">{name}</span>
  return (
    <a
      href={`/v1/inbox/email/attachments/${id}?accountId=${account?.id}`}
      download
      className="break-all rounded-control text-accent underline-offset-2 hover:underline"
    >
      {name}
    </a>
  )
}
