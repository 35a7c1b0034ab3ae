import { useState } from 'react'
import { useOperation, useSession } from '../../api.ts'
import type { Conversation } from '../../components/conversations.ts'
import { Button } from '../../ui/button.tsx'
import { CommandPalette, type Found } from '../../ui/command-palette.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatSnoozeTime, getSnoozeTimes } from './snooze-times.ts'

const nothing: Found = { commands: [], isCurrent: true }
const findNothing = () => nothing

type PickerProps<T extends unknown[]> = { onChoose: (...choice: T) => void; onClose: () => void }

type SnoozeProps = PickerProps<[until: Date]> & { onChooseDate: () => void }

export function SnoozePicker({ onChoose, onChooseDate, onClose }: SnoozeProps) {
  const [times] = useState(() => getSnoozeTimes(new Date()))
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Snooze"
      placeholder="Snooze until"
      useFound={findNothing}
      commands={[
        ...times.map(({ label, at }) => ({
          label,
          hint: formatSnoozeTime(at),
          run: () => onChoose(at),
        })),
        { label: 'Choose date and time', run: onChooseDate },
      ]}
    />
  )
}

export function SnoozeDateDialog({ onChoose, onClose }: PickerProps<[until: Date]>) {
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const handleSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    const until = new Date(value)
    if (!(until.getTime() > Date.now())) {
      setError('Choose a time in the future.')
      return
    }
    onClose()
    onChoose(until)
  }
  return (
    <Dialog isOpen onClose={onClose} title="Snooze">
      <form noValidate onSubmit={handleSubmit} className="grid gap-5">
        <TextField
          label="Until"
          type="datetime-local"
          value={value}
          error={error}
          onChange={({ target }) => setValue(target.value)}
        />
        <div>
          <Button type="submit" look="primary">
            Snooze
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type Member = { id: string; name: string }

export function AssignPicker({ onChoose, onClose }: PickerProps<[member: Member | null]>) {
  const { user } = useSession()
  const { data } = useOperation('listMembers', { limit: 100 })
  const choose = (member: Member | null) => () => onChoose(member)
  const others = (data?.data ?? []).filter(({ id }) => id !== user.id)
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Assign"
      placeholder="Assign to"
      useFound={findNothing}
      commands={[
        { label: 'Me', hint: user.name, run: choose(user) },
        ...others.map(member => ({
          key: member.id,
          label: member.name,
          hint: member.role,
          run: choose(member),
        })),
        { label: 'Nobody', run: choose(null) },
      ]}
    />
  )
}

const MAX_TAG_LENGTH = 100

type TagPickerProps = PickerProps<[tag: string, isAdded: boolean]> & { conversations: Conversation[] }

export function TagPicker({ conversations, onChoose, onClose }: TagPickerProps) {
  const { data } = useOperation('listTags', { limit: 100 })
  const names = data?.data.map(({ name }) => name) ?? []
  const toCommand = (tag: string, label: string, isAdded: boolean, hint?: string) => ({
    label,
    hint,
    run: () => onChoose(tag, isAdded),
  })
  const useNewTag = (text: string): Found => {
    const tag = text.trim().slice(0, MAX_TAG_LENGTH)
    const isKnown = names.some(name => name.toLowerCase() === tag.toLowerCase())
    return {
      commands: tag === '' || isKnown ? [] : [toCommand(tag, `Create tag “${tag}”`, true)],
      isCurrent: true,
    }
  }
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Tag"
      placeholder="Add or remove a tag"
      useFound={useNewTag}
      commands={names.map(name => {
        const hasTag = conversations.every(({ tags }) => tags.includes(name))
        return toCommand(name, name, !hasTag, hasTag ? 'Remove' : 'Add')
      })}
    />
  )
}
