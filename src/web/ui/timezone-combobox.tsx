import { Combobox } from '@base-ui/react/combobox'
import { type ComponentProps, type RefObject, useMemo, useState } from 'react'
import { controlClass } from './field.tsx'
import {
  createTimezoneFilter,
  formatOffset,
  getTimezoneGroups,
  type Timezone,
  type TimezoneGroup,
} from './timezones.ts'

type Props = {
  /** Attributes of the input element. */
  inputProps: ComponentProps<'input'>
  inputRef: RefObject<HTMLInputElement | null>
  selected: Timezone | null
  getLabel: (zone: Timezone) => string
  onChoose: (zone: Timezone | null) => void
}

export function TimezoneCombobox({ inputProps, inputRef, selected, getLabel, onChoose }: Props) {
  const [groups, setGroups] = useState<TimezoneGroup[]>([])
  const filter = useMemo(() => createTimezoneFilter(groups), [groups])
  /** The text while the user searches. */
  const [query, setQuery] = useState<string>()
  return (
    <Combobox.Root<Timezone, false>
      items={groups}
      value={selected}
      inputValue={query ?? (selected ? getLabel(selected) : '')}
      onInputValueChange={setQuery}
      onValueChange={onChoose}
      itemToStringLabel={getLabel}
      isItemEqualToValue={(item, { name }) => item.name === name}
      filter={filter}
      onOpenChange={isOpen => isOpen && groups.length === 0 && setGroups(getTimezoneGroups())}
      autoHighlight
      disabled={inputProps.disabled ?? false}
    >
      <Combobox.Input
        ref={inputRef}
        {...inputProps}
        onBlur={event => {
          setQuery(undefined)
          inputProps.onBlur?.(event)
        }}
        className={controlClass}
      />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-40">
          <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-64 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-card border border-line bg-surface p-1.5 text-text shadow-float outline-none">
            <Combobox.Empty className="px-2.5 text-muted empty:hidden">No time zone found.</Combobox.Empty>
            <Combobox.List>
              {(group: TimezoneGroup) => <Group key={group.value} group={group} />}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
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
