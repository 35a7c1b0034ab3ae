import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useOperationMutation } from '../../api.ts'
import { canBeDone, type Task } from '../../components/due-tasks.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName, holdReasons, taskLabels, toReason } from './labels.ts'

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
  /** Omitted for read-only users. */
  onDone?: (() => void) | undefined
  onSkip?: (() => void) | undefined
  error?: DisplayError | undefined
  showsRep: boolean
}

/** A task with its person, campaign and message. All content is untrusted and rendered as plain text. */
export function TaskCard({ task, text, onText, onDone, onSkip, error, showsRep }: Props) {
  const name = getPersonName(task)
  const { done } = taskLabels[task.channel]
  const isOpen = task.status === 'open'
  return (
    <article
      aria-label={`${taskLabels[task.channel].title}: ${name}`}
      className="rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <TaskHeader task={task} showsRep={showsRep} />
      <TaskNotes task={task} />
      <TaskText
        task={task}
        text={text}
        onText={onText}
        isEditable={canBeDone(task) && onDone !== undefined}
      />
      {error && (
        <div className="mt-3">
          <ErrorState error={error} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {canBeDone(task) && onDone && (
          <Button look="primary" aria-label={`${done}: ${name}`} onClick={onDone}>
            {done}
          </Button>
        )}
        {isOpen && onSkip && (
          <Button aria-label={`Skip task: ${name}`} onClick={onSkip}>
            Skip task
          </Button>
        )}
        {task.linkedinUrl && (
          <a
            href={task.linkedinUrl}
            target="_blank"
            rel="noreferrer"
            data-profile
            aria-label={`Open profile of ${name}, in a new tab`}
            className={buttonClass('quiet')}
          >
            Open profile
          </a>
        )}
        {task.channel === 'linkedin_connect' && task.status === 'completed' && !task.acceptedAt && onDone && (
          <AcceptedButton task={task} />
        )}
      </div>
    </article>
  )
}

function TaskHeader({ task, showsRep }: { task: Task; showsRep: boolean }) {
  const { channel, title, status, dueAt, endedAt, acceptedAt, repName } = task
  const badge = status !== 'open' && badges[status]
  return (
    <header className="mb-3">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-sm">
        <span>{taskLabels[channel].title}</span>
        <span className="flex items-center gap-2">
          {acceptedAt && <Badge tone="green">Accepted</Badge>}
          {badge && <Badge tone={badge[1]}>{badge[0]}</Badge>}
          <span>
            {endedAt ? '' : 'Due '}
            <Time at={endedAt ?? dueAt} />
          </span>
        </span>
      </p>
      <h2 className="break-words font-semibold text-lg">{title ?? getPersonName(task)}</h2>
      <p className="flex flex-wrap gap-x-3 break-words text-muted text-sm">
        {title && <span>{getPersonName(task)}</span>}
        {channel === 'call' && task.phone && <a href={`tel:${task.phone}`}>{task.phone}</a>}
        {channel === 'email' && task.email && <a href={`mailto:${task.email}`}>{task.email}</a>}
        <CampaignLink task={task} />
        {showsRep && <span>by {repName}</span>}
      </p>
    </header>
  )
}

function CampaignLink({ task: { campaignId, campaignName, linkedinMessageId, step } }: { task: Task }) {
  if (!campaignId) return null
  return (
    <span>
      <Link
        to="/campaigns/$campaignId"
        params={{ campaignId }}
        className="underline-offset-2 hover:underline"
      >
        {campaignName}
      </Link>
      {linkedinMessageId ? ', draft from the inbox' : step !== undefined && `, step ${step}`}
    </span>
  )
}

/** Why a task waits, is sent automatically or was closed. */
function TaskNotes({ task }: { task: Task }) {
  const { status, heldBy, sentBy, sendsAt } = task
  const reason = toReason(task)
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

type TaskTextProps = Pick<Props, 'task' | 'text' | 'onText'> & { isEditable: boolean }

/** The task's text. Messages to the person can be edited; instructions to the rep can't. */
function TaskText({ task: { channel, title, text: originalText }, text, onText, isEditable }: TaskTextProps) {
  const id = useId()
  if (originalText === undefined) return null
  if (!isEditable || channel === 'task' || title)
    return <p className="max-w-[72ch] whitespace-pre-wrap break-words">{originalText}</p>
  return (
    <div className="grid max-w-[72ch] gap-1.5">
      <div className="flex items-end justify-between gap-3">
        <label htmlFor={id} className="font-medium text-sm">
          {channel === 'linkedin_connect' ? 'Invitation note' : 'Message'}
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

function AcceptedButton({ task }: { task: Task }) {
  const accept = useOperationMutation('acceptTask', 'listTasks', 'getProspect')
  const handleClick = () =>
    accept({ taskId: task.id }).then(
      () => showToast(`Invitation to ${getPersonName(task)} marked as accepted. The sequence continues.`),
      error => showToast(error.message),
    )
  return (
    <Button aria-label={`Mark as accepted: ${getPersonName(task)}`} onClick={handleClick}>
      Mark as accepted
    </Button>
  )
}
