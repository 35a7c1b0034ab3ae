import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { controlClass, Field } from './field.tsx'
import { insertText } from './insert-text.ts'
import type { TimezoneCombobox } from './timezone-combobox.tsx'
import { formatOffset, getTimezone, type Timezone } from './timezones.ts'

// Loaded when the field is focused, so that pages with the field stay small.
const loadCombobox = () => import('./timezone-combobox.tsx')

type Props = {
  label?: string
  help?: string
  error?: string | undefined
  /** Allows an empty value. */
  isOptional?: boolean
  /** Describes the zone that applies when the field is empty. Also allows an empty value. */
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

/** Lets the user choose a time zone by city, country or offset. */
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
  const [Combobox, setCombobox] = useState<typeof TimezoneCombobox>()
  /** The text that the user enters until the combobox is loaded. */
  const [entered, setEntered] = useState<string>()
  const isFocused = useRef(false)
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
  const inputProps = {
    placeholder: none ?? 'Search for a city, country or offset',
    disabled,
    onFocus: () => {
      isFocused.current = true
      input.current?.select()
      void loadCombobox().then(
        ({ TimezoneCombobox }) => setCombobox(() => TimezoneCombobox),
        () => {},
      )
    },
    onBlur: () => {
      isFocused.current = false
      setEntered(undefined)
      field.onBlur?.({ target: { name, value: latest.current } })
    },
  }
  // Moves the focus and the entered text to the combobox, in a layout effect so that no key press is lost in between.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once.
  useLayoutEffect(() => {
    if (!Combobox || !isFocused.current || !input.current) return
    input.current.focus()
    if (entered !== undefined) insertText(input.current, entered)
  }, [Combobox])
  return (
    <Field {...{ label, help, error, isOptional }}>
      {attributes =>
        Combobox ? (
          <Combobox
            inputProps={{ ...inputProps, ...attributes }}
            inputRef={input}
            {...{ selected, getLabel }}
            onChoose={choose}
          />
        ) : (
          <input
            ref={input}
            role="combobox"
            aria-expanded={false}
            aria-autocomplete="list"
            autoComplete="off"
            {...inputProps}
            {...attributes}
            value={entered ?? (selected ? getLabel(selected) : '')}
            onChange={event => setEntered(event.target.value)}
            className={controlClass}
          />
        )
      }
    </Field>
  )
}

const getLabel = ({ city, offset }: Timezone): string => `${city} (${formatOffset(offset)})`
