import { Link } from '@tanstack/react-router'
import { useOperation, usePermission } from '../../api.ts'
import { formatRolesWith } from '../../components/permission-roles.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CheckIcon } from '../../ui/icons.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { toSentence } from '../../ui/sentence.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { type SetupStep, useSetupSteps } from './setup-steps.ts'
import { Today } from './today.tsx'

/**
 * Shows the steps to the first campaign. An account that already has conversations sees today's work below.
 */
export function Setup() {
  const { steps, query } = useSetupSteps()
  const { data: counts } = useOperation('getConversationCounts', {})
  return (
    <>
      <Loaded query={{ ...query, data: steps }} skeleton={<TableSkeleton />}>
        {steps => <Checklist steps={steps} />}
      </Loaded>
      {counts && counts.all > 0 && (
        <div className="mt-8">
          <Today />
        </div>
      )}
    </>
  )
}

function Checklist({ steps }: { steps: SetupStep[] }) {
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <section
      aria-labelledby="setup-title"
      className="max-w-4xl overflow-hidden rounded-card border border-line bg-surface"
    >
      <header className="grid gap-2 border-line border-b px-4 py-4 narrow:px-5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 id="setup-title" className="font-semibold text-lg">
            Launch your first campaign
          </h2>
          <p className="text-muted">
            {done} of {steps.length}
          </p>
        </div>
        <ProgressBar label="Steps done" value={done} max={steps.length} />
      </header>
      <ol {...listKeys}>
        {steps.map((step, index) => (
          <Step key={step.title} step={step} number={index + 1} isNext={step === next} />
        ))}
      </ol>
    </section>
  )
}

function Step({ step, number, isNext }: { step: SetupStep; number: number; isNext: boolean }) {
  const { title, text, isDone, action, permission } = step
  const isAllowed = usePermission(permission)
  return (
    <li
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-4 gap-y-3 border-line border-b px-4 py-3.5 last:border-0 narrow:flex-nowrap narrow:px-5"
    >
      <span
        className={`grid size-7 shrink-0 place-items-center rounded-full font-medium text-sm ${isDone ? 'bg-green-quiet text-green' : 'bg-sunken text-muted'}`}
      >
        {isDone ? <CheckIcon size={16} /> : <span aria-hidden="true">{number}</span>}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <h3 className="font-medium">
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </h3>
        <p className="max-w-[72ch] text-muted text-sm">{text}</p>
        {!isDone && !isAllowed && (
          <p className="max-w-[72ch] text-sm">
            {toSentence(`${formatRolesWith(permission)} can do this`)} An admin can change your role.
          </p>
        )}
      </div>
      {isDone ? (
        <span aria-hidden="true" className="text-green text-sm">
          Done
        </span>
      ) : (
        isAllowed && (
          <Link
            to={action.to}
            search={action.search ?? {}}
            className={buttonClass(isNext ? 'primary' : 'secondary')}
          >
            {action.label}
          </Link>
        )
      )}
    </li>
  )
}
