import { Combobox } from '@base-ui/react/combobox'
import { type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { controlClass, Field } from './field.tsx'
import {
  createTimezoneFilter,
  formatOffset,
  getTimezone,
  getTimezoneGroups,
  type Timezone,
  type TimezoneGroup,
} from './timezones.ts'

type Props = {
  label?: string
  help?: string
  error?: string | undefined
  /** Lets the field be emptied. */
  isOptional?: boolean
  /** Describes the zone that applies when the field is empty, and lets it be emptied. */
  none?: string
  name?: string
  /** The chosen zone, when the field isn't part of a form. */
  value?: string
  onChange?: (event: { target: { name: string; value: string } }) => unknown
  onBlur?: (event: { target: { name: string; value: string } }) => unknown
  disabled?: boolean
  ref?: Ref<FieldHandle>
}

/** The parts of an input element that a form reads and sets. */
type FieldHandle = { name: string; value: string | null; focus: () => void }

/** Chooses a time zone by city, country or offset. */
export function TimezoneField({
  label = 'Time zone',
  help,
  error,
  isOptional,
  none,
  disabled,
  ...field
}: Props) {
  const input = useRef<HTMLInputElement>(null)
  const { name = '', ref } = field
  const [own, setOwn] = useState('')
  const value = field.value ?? own
  const latest = useRef(value)
  latest.current = value
  const [groups, setGroups] = useState<TimezoneGroup[]>([])
  const filter = useMemo(() => createTimezoneFilter(groups), [groups])
  /** The text while the user searches. */
  const [query, setQuery] = useState<string>()
  const selected = value ? getTimezone(value) : null
  useImperativeHandle(
    ref,
    () => ({
      name,
      get value() {
        return latest.current
      },
      set value(next) {
        latest.current = next ?? ''
        setOwn(latest.current)
      },
      focus: () => input.current?.focus(),
    }),
    [name],
  )
  const choose = (zone: Timezone | null) => {
    if (!zone && !isOptional && none === undefined) return
    latest.current = zone?.name ?? ''
    setOwn(latest.current)
    field.onChange?.({ target: { name, value: latest.current } })
  }
  return (
    <Field {...{ label, help, error, isOptional }}>
      {control => (
        <Combobox.Root<Timezone, false>
          items={groups}
          value={selected}
          inputValue={query ?? (selected ? getLabel(selected) : '')}
          onInputValueChange={setQuery}
          onValueChange={choose}
          itemToStringLabel={getLabel}
          isItemEqualToValue={(item, { name }) => item.name === name}
          filter={filter}
          onOpenChange={isOpen => isOpen && groups.length === 0 && setGroups(getTimezoneGroups())}
          autoHighlight
          disabled={disabled ?? false}
        >
          <Combobox.Input
            ref={input}
            {...control}
            placeholder={none ?? 'Search for a city, country or offset'}
            onFocus={event => event.currentTarget.select()}
            onBlur={() => {
              setQuery(undefined)
              field.onBlur?.({ target: { name, value: latest.current } })
            }}
            className={controlClass}
          />
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className="z-40">
              <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-64 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-card border border-line bg-surface p-1.5 text-text shadow-float outline-none">
                <Combobox.Empty className="px-2.5 text-muted empty:hidden">
                  No time zone found.
                </Combobox.Empty>
                <Combobox.List>
                  {(group: TimezoneGroup) => <Group key={group.value} group={group} />}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  )
}

const Group = ({ group }: { group: TimezoneGroup }) => (
  <Combobox.Group items={group.items}>
    <Combobox.GroupLabel className="px-2.5 pt-2 pb-1 text-muted text-xs">{group.value}</Combobox.GroupLabel>
    <Combobox.Collection>
      {(zone: Timezone) => (
        <Combobox.Item
          key={zone.name}
          value={zone}
          className="flex cursor-pointer items-baseline justify-between gap-4 rounded-control px-2.5 py-1.5 data-highlighted:bg-sunken data-selected:text-accent"
        >
          <span className="min-w-0">
            {zone.city} {zone.country && <span className="text-muted text-sm">{zone.country}</span>}
          </span>
          <span className="shrink-0 text-muted text-sm">{formatOffset(zone.offset)}</span>
        </Combobox.Item>
      )}
    </Combobox.Collection>
  </Combobox.Group>
)

const getLabel = ({ city, offset }: Timezone): string => `${city} (${formatOffset(offset)})`
