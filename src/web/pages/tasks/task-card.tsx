import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { Task } from '../../components/due-tasks.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { prose } from '../../ui/prose.ts'
import { Time } from '../../ui/time.tsx'
import { formatReason, getPersonName, holdReasons, isUserTask, taskLabels } from './labels.ts'

const badges: Record<Exclude<Task['status'], 'open'>, [label: string, tone: Tone]> = {
  completed: ['Done', 'green'],
  skipped: ['Skipped', 'neutral'],
  cancelled: ['Cancelled', 'neutral'],
}

type Props = {
  task: Task
  /** The message text, possibly edited. */
  text: string
  onText: (text: string) => void
  isEditable: boolean
  error?: DisplayError | undefined
  isRepShown: boolean
  /** Selects the task; absent when nothing can be done with it. */
  checkbox?: ReactNode
  /** The buttons. */
  children: ReactNode
}

/**
 * Shows a task with its person, campaign and message. All content is untrusted and rendered as plain text.
 */
export function TaskCard({ task, text, onText, isEditable, error, isRepShown, checkbox, children }: Props) {
  return (
    <article
      aria-label={`${taskLabels[task.channel].title}: ${getPersonName(task)}`}
      className="rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <TaskHeader task={task} isRepShown={isRepShown} checkbox={checkbox} />
      <TaskNotes task={task} />
      <TaskText task={task} text={text} onText={onText} isEditable={isEditable} />
      {error && (
        <div className="mt-3">
          <ErrorState error={error} />
        </div>
      )}
      {children}
    </article>
  )
}

const linkClass = 'underline-offset-2 hover:underline'

function TaskHeader({ task, isRepShown, checkbox }: Pick<Props, 'task' | 'isRepShown' | 'checkbox'>) {
  const { channel, title, status, dueAt, endedAt, acceptedAt, repName, email, phone } = task
  const badge = status !== 'open' && badges[status]
  return (
    <header className="mb-3">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-sm">
        <span className="flex items-center gap-2.5">
          {checkbox}
          {taskLabels[channel].title}
        </span>
        <span className="flex items-center gap-2">
          {acceptedAt && <Badge tone="green">Accepted</Badge>}
          {badge && <Badge tone={badge[1]}>{badge[0]}</Badge>}
          <span>
            {endedAt ? '' : 'Due '}
            <Time at={endedAt ?? dueAt} />
          </span>
        </span>
      </p>
      <h2 className="wrap-anywhere font-semibold text-lg">{title ?? <PersonLink task={task} />}</h2>
      <p className="wrap-anywhere flex flex-wrap gap-x-3 text-muted text-sm">
        {title && <PersonLink task={task} />}
        {channel === 'call' && phone && (
          <a href={`tel:${phone}`} className={linkClass}>
            {phone}
          </a>
        )}
        {channel === 'email' && email && (
          <a href={`mailto:${email}`} className={linkClass}>
            {email}
          </a>
        )}
        <CampaignLink task={task} />
        {isRepShown && <span>by {repName}</span>}
      </p>
    </header>
  )
}

const PersonLink = ({ task }: { task: Task }) => (
  <Link to="/people/$personId" params={{ personId: task.personId }} className={linkClass}>
    {getPersonName(task)}
  </Link>
)

function CampaignLink({ task: { campaignId, campaignName, linkedinMessageId, step } }: { task: Task }) {
  if (!campaignId) return null
  return (
    <span>
      <Link to="/campaigns/$campaignId" params={{ campaignId }} className={linkClass}>
        {campaignName}
      </Link>
      {linkedinMessageId ? ', draft from the inbox' : step !== undefined && `, step ${step}`}
    </span>
  )
}

/** Explains why a task can't be done yet or was closed, or when its message is sent automatically. */
function TaskNotes({ task }: { task: Task }) {
  const { status, heldBy, sentBy, sendsAt } = task
  const reason = formatReason(task)
  if (!reason && !heldBy && !sentBy) return null
  return (
    <p
      className={`mb-3 max-w-[72ch] break-words text-sm ${status === 'open' && !sentBy ? 'text-amber' : 'text-muted'}`}
    >
      {reason && <span className="block">{reason}</span>}
      {heldBy && <span className="block">{holdReasons[heldBy]}</span>}
      {sentBy && sendsAt && (
        <span className="block">
          Unipile sends this automatically, <Time at={sendsAt} /> at the earliest.
        </span>
      )}
    </p>
  )
}

/** Shows the task's text. Messages to the person can be edited; instructions to the rep can't. */
function TaskText({
  task,
  text,
  onText,
  isEditable,
}: Pick<Props, 'task' | 'text' | 'onText' | 'isEditable'>) {
  const id = useId()
  if (task.text === undefined) return null
  if (!isEditable || task.channel === 'task' || isUserTask(task)) return <p className={prose}>{task.text}</p>
  return (
    <div className="grid max-w-[72ch] gap-1.5">
      <div className="flex items-end justify-between gap-3">
        <label htmlFor={id} className="font-medium text-sm">
          {task.channel === 'linkedin_connect' ? 'Invitation note' : 'Message'}
        </label>
        <span data-copy>
          <CopyButton text={text} label="Copy text" />
        </span>
      </div>
      <textarea
        id={id}
        rows={countRows(text)}
        maxLength={8000}
        value={text}
        onChange={({ target }) => onText(target.value)}
        className="w-full min-w-0 rounded-control border border-edge bg-surface px-3 py-2"
      />
      <p className="text-muted text-sm">
        Edit the text to match what you send. It is stored with the conversation.
      </p>
    </div>
  )
}

/** Characters per line in the text field. */
const LINE_LENGTH = 72

const countRows = (text: string): number =>
  Math.min(
    12,
    text.split('\n').reduce((rows, { length }) => rows + 1 + Math.floor(length / LINE_LENGTH), 0),
  )
