import { useOperation, useSession } from '../../api.ts'
import { type Conversation, describeConversations } from '../../components/conversations.ts'
import { CommandPalette, type CommandResults } from '../../ui/command-palette.tsx'

type PickerProps<T extends unknown[]> = {
  conversations: Conversation[]
  onChoose: (...choice: T) => void
  onClose: () => void
}

type Member = { id: string; name: string }

export function AssignPicker({ conversations, onChoose, onClose }: PickerProps<[member: Member | null]>) {
  const { user } = useSession()
  const { data } = useOperation('listMembers', { limit: 100 })
  const choose = (member: Member | null) => () => onChoose(member)
  const others = (data?.data ?? []).filter(({ id, role }) => id !== user.id && role !== 'viewer')
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title={`Assign ${describeConversations(conversations)}`}
      isTitled
      placeholder="Assign to"
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

type TagPickerProps = PickerProps<[tag: string, isAdded: boolean]>

export function TagPicker({ conversations, onChoose, onClose }: TagPickerProps) {
  const { data } = useOperation('listTags', { limit: 100 })
  const names = data?.data.map(({ name }) => name) ?? []
  const toCommand = (tag: string, label: string, isAdded: boolean, hint?: string) => ({
    label,
    hint,
    run: () => onChoose(tag, isAdded),
  })
  const useNewTag = (text: string): CommandResults => {
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
      title={`Tag ${describeConversations(conversations)}`}
      isTitled
      placeholder="Add or remove a tag"
      useResults={useNewTag}
      commands={names.map(name => {
        const hasTag = conversations.every(({ tags }) => tags.includes(name))
        return toCommand(name, name, !hasTag, hasTag ? 'Remove' : 'Add')
      })}
    />
  )
}
