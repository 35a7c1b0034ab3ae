import { type Task, useOpenTasks } from '../../components/due-tasks.ts'
import { Time } from '../../ui/time.tsx'
import { CardRow, CardRows, DayCard } from './day-card.tsx'

const MAX_ROWS = 4

const titles: Record<Task['channel'], string> = {
  linkedin_connect: 'Invite on LinkedIn',
  linkedin_message: 'Message on LinkedIn',
  linkedin_view: 'Visit LinkedIn profile',
  linkedin_like: 'Like a LinkedIn post',
  linkedin: 'LinkedIn',
  call: 'Call',
  email: 'Email',
  task: 'Task',
  other: 'Task',
}

/** Shows the tasks that are due by the end of the user's day. */
export function TasksCard() {
  return (
    <DayCard
      title="Tasks due today"
      link={{ to: '/tasks', label: 'Show tasks' }}
      query={useOpenTasks()}
      count={({ data, hasMore }) => {
        const { length } = selectDue(data)
        // Tasks are listed in the order in which they are due.
        return hasMore && length === data.length ? `${length}+` : length
      }}
      empty="No tasks are due today."
    >
      {({ data }) => <DueTasks tasks={selectDue(data)} />}
    </DayCard>
  )
}

function DueTasks({ tasks }: { tasks: Task[] }) {
  const today = new Date().setHours(0, 0, 0, 0)
  const overdue = tasks.filter(({ dueAt }) => Date.parse(dueAt) < today).length
  return (
    <>
      {overdue > 0 && <p className="mb-2 text-amber text-sm">{overdue} overdue</p>}
      <CardRows label="Tasks due first">
        {tasks.slice(0, MAX_ROWS).map(task => (
          <CardRow
            key={task.id}
            to="/tasks"
            title={task.title ?? titles[task.channel]}
            text={[task.personName ?? task.email, task.campaignName].filter(Boolean).join(' · ')}
            aside={<Time at={task.dueAt} />}
          />
        ))}
      </CardRows>
    </>
  )
}

function selectDue(tasks: Task[]): Task[] {
  const tomorrow = new Date().setHours(24, 0, 0, 0)
  return tasks.filter(({ dueAt }) => Date.parse(dueAt) < tomorrow)
}
