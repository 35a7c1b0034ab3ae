import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useOperationMutation } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { isDue, type Task } from './due-tasks.ts'
import { holds, nameOf, taskLabels, toReason } from './labels.ts'

const marks: Record<Exclude<Task['status'], 'open'>, [label: string, tone: Tone]> = {
  completed: ['done', 'green'],
  skipped: ['skipped', 'neutral'],
  cancelled: ['called off', 'neutral'],
}

type Props = {
  task: Task
  /** What the rep writes, as changed here. */
  text: string
  onText: (text: string) => void
  /** Absent for who may only look. */
  onDone?: (() => void) | undefined
  onSkip?: (() => void) | undefined
  error?: DisplayError | undefined
  hasRep: boolean
}

/** One deed: whose, about whom, in which words. All of it as text, since others wrote it. */
export function TaskCard({ task, text, onText, onDone, onSkip, error, hasRep }: Props) {
  const name = nameOf(task)
  const { done } = taskLabels[task.channel]
  const isOpen = task.status === 'open'
  return (
    <article
      aria-label={`${taskLabels[task.channel].title}: ${name}`}
      className="rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <TaskHeader task={task} hasRep={hasRep} />
      <WhatHolds task={task} />
      <Words task={task} text={text} onText={onText} isEditable={isDue(task) && onDone !== undefined} />
      {error && (
        <div className="mt-3">
          <ErrorState error={error} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {isDue(task) && onDone && (
          <Button look="primary" aria-label={`${done}: ${name}`} onClick={onDone}>
            {done}
          </Button>
        )}
        {isOpen && onSkip && (
          <Button aria-label={`Skip: ${name}`} onClick={onSkip}>
            Skip
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
          <Accept task={task} />
        )}
      </div>
    </article>
  )
}

function TaskHeader({ task, hasRep }: { task: Task; hasRep: boolean }) {
  const { channel, status, dueAt, endedAt, acceptedAt, campaignId, campaignName, step, repName } = task
  const mark = status !== 'open' && marks[status]
  return (
    <header className="mb-3">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-sm">
        <span>{taskLabels[channel].title}</span>
        <span className="flex items-center gap-2">
          {acceptedAt && <Badge tone="green">accepted</Badge>}
          {mark && <Badge tone={mark[1]}>{mark[0]}</Badge>}
          <span>
            {endedAt ? '' : 'due '}
            <Time at={endedAt ?? dueAt} />
          </span>
        </span>
      </p>
      <h2 className="break-words font-semibold text-lg">{nameOf(task)}</h2>
      <p className="break-words text-muted text-sm">
        <Link
          to="/campaigns/$campaignId"
          params={{ campaignId }}
          className="underline-offset-2 hover:underline"
        >
          {campaignName}
        </Link>
        {task.linkedinMessageId ? ', a draft from the inbox' : step !== undefined && `, step ${step}`}
        {hasRep && `, by ${repName}`}
      </p>
    </header>
  )
}

/** Why there is nothing to do about it yet, or any more. */
function WhatHolds({ task }: { task: Task }) {
  const { status, heldBy, sentBy, sendsAt } = task
  const reason = toReason(task)
  if (!reason && !heldBy && !sentBy) return null
  return (
    <p
      className={`mb-3 max-w-[72ch] break-words text-sm ${status === 'open' && !sentBy ? 'text-amber' : 'text-muted'}`}
    >
      {reason && <span className="block">{reason}</span>}
      {heldBy && <span className="block">{holds[heldBy]}</span>}
      {sentBy && sendsAt && (
        <span className="block">
          Unipile sends it in your place, <Time at={sendsAt} /> at the earliest.
        </span>
      )}
    </p>
  )
}

type WordsProps = Pick<Props, 'task' | 'text' | 'onText'> & { isEditable: boolean }

/** What is written to the person can be changed before it is; what a rep is told to do can't. */
function Words({ task: { channel, text: given }, text, onText, isEditable }: WordsProps) {
  const id = useId()
  if (given === undefined) return null
  if (!isEditable || channel === 'task')
    return <p className="max-w-[72ch] whitespace-pre-wrap break-words">{given}</p>
  return (
    <div className="grid max-w-[72ch] gap-1.5">
      <div className="flex items-end justify-between gap-3">
        <label htmlFor={id} className="font-medium text-sm">
          {channel === 'linkedin_connect' ? 'Note with the invitation' : 'Message'}
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
      <p className="text-muted text-sm">Change it to what you really send: it is kept as that.</p>
    </div>
  )
}

const LINE = 72

const countRows = (text: string): number =>
  Math.min(
    12,
    text.split('\n').reduce((rows, { length }) => rows + 1 + Math.floor(length / LINE), 0),
  )

function Accept({ task }: { task: Task }) {
  const accept = useOperationMutation('acceptTask', 'listTasks', 'getProspect')
  const press = () =>
    accept({ taskId: task.id }).then(
      () => showToast(`${nameOf(task)} accepted. What waited for that follows.`),
      error => showToast(error.message),
    )
  return (
    <Button aria-label={`They accepted: ${nameOf(task)}`} onClick={press}>
      They accepted
    </Button>
  )
}
