import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { EyeIcon, EyeOffIcon } from './icons.tsx'

export const controlClass =
  'h-9 w-full min-w-0 rounded-control border border-edge bg-surface px-3 placeholder:text-muted aria-invalid:border-red disabled:opacity-60'

type Frame = {
  label: string
  help?: ReactNode
  /** The validation error, which says how to fix the value. */
  error?: string | undefined
  isOptional?: boolean
}

type FrameProps = Frame & {
  children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** Shows a control with its label, error and help text, associated for screen readers. */
export function Field({ label, help, error, isOptional, children }: FrameProps) {
  const id = useId()
  const describedBy = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
        {isOptional && <span className="ml-1.5 font-normal text-muted text-sm">optional</span>}
      </label>
      {children({
        id,
        ...(describedBy && { 'aria-describedby': describedBy }),
        ...(error && { 'aria-invalid': true }),
      })}
      {error && (
        <p id={`${id}-error`} className="wrap-anywhere whitespace-pre-line text-red text-sm">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="max-w-[72ch] text-muted text-sm">
          {help}
        </p>
      )}
    </div>
  )
}

export function TextField({ label, help, error, isOptional, ...input }: Frame & ComponentProps<'input'>) {
  return (
    <Field {...{ label, help, error, isOptional }}>
      {control => <input type="text" className={controlClass} {...control} {...input} />}
    </Field>
  )
}

export function PasswordField({ label, help, error, isOptional, ...input }: Frame & ComponentProps<'input'>) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOffIcon : EyeIcon
  return (
    <Field {...{ label, help, error, isOptional }}>
      {control => (
        <span className="relative">
          <input
            type={isShown ? 'text' : 'password'}
            className={`${controlClass} pr-10`}
            {...control}
            {...input}
          />
          <button
            type="button"
            aria-label={isShown ? 'Hide password' : 'Show password'}
            onClick={() => setShown(!isShown)}
            className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-control text-muted hover:text-text"
          >
            <Icon size={16} />
          </button>
        </span>
      )}
    </Field>
  )
}

export function LongTextField({
  label,
  help,
  error,
  isOptional,
  ...input
}: Frame & ComponentProps<'textarea'>) {
  return (
    <Field {...{ label, help, error, isOptional }}>
      {control => <textarea rows={3} className={`${controlClass} h-auto py-2`} {...control} {...input} />}
    </Field>
  )
}

export function FileField({
  label,
  help,
  error,
  ...input
}: Omit<Frame, 'isOptional'> & ComponentProps<'input'>) {
  return (
    <Field {...{ label, help, error }}>
      {control => (
        <input
          type="file"
          className="w-full min-w-0 rounded-control border border-edge bg-surface p-1.5 file:mr-3 file:rounded-control file:border-0 file:bg-sunken file:px-3 file:py-1 file:text-text aria-invalid:border-red"
          {...control}
          {...input}
        />
      )}
    </Field>
  )
}

export function SelectField({
  label,
  help,
  error,
  isOptional,
  children,
  ...input
}: Frame & ComponentProps<'select'>) {
  return (
    <Field {...{ label, help, error, isOptional }}>
      {control => (
        <select className={`${controlClass} pr-8`} {...control} {...input}>
          {children}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  help,
  error,
  ...input
}: Omit<Frame, 'isOptional'> & ComponentProps<'input'>) {
  const id = useId()
  const describedBy = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div className="grid grid-cols-[auto_1fr] items-start gap-x-2.5">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 accent-solid"
        {...(describedBy && { 'aria-describedby': describedBy })}
        {...(error && { 'aria-invalid': true })}
        {...input}
      />
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {error && (
        <p id={`${id}-error`} className="wrap-anywhere col-start-2 text-red text-sm">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="col-start-2 text-muted text-sm">
          {help}
        </p>
      )}
    </div>
  )
}

/** Groups controls that belong together under one label. */
export function FieldGroup({
  label,
  help,
  error,
  children,
}: Omit<Frame, 'isOptional'> & { children: ReactNode }) {
  const id = useId()
  const describedBy = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <fieldset className="min-w-0" {...(describedBy && { 'aria-describedby': describedBy })}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="grid gap-2.5">{children}</div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-red text-sm">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="mt-1.5 max-w-[72ch] text-muted text-sm">
          {help}
        </p>
      )}
    </fieldset>
  )
}
