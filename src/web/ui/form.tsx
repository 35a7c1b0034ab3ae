import { zodResolver } from '@hookform/resolvers/zod'
import { hashKey } from '@tanstack/react-query'
import { type ReactNode, useContext, useState } from 'react'
import {
  type DeepPartial,
  type DefaultValues,
  type FieldValues,
  get,
  type Path,
  type PathValue,
  type RegisterOptions,
  type UseFormRegisterReturn,
  useForm,
} from 'react-hook-form'
import { z } from 'zod'
import { Button } from './button.tsx'
import { type DisplayError, ErrorState } from './error-state.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { PreventCloseContext, usePreventClose } from './prevent-close.ts'
import { capitalize } from './sentence.ts'

/** An error that may name the invalid fields. */
type FormError = DisplayError & { details?: { path: string; message: string }[] }

/** Error message of an empty field. */
export const REQUIRED = 'This field is required'

/** Returns an error that a form shows at these fields when `onSubmit` throws it. */
export const toFieldErrors = (messages: Record<string, string>): FormError =>
  Object.assign(new Error('Some fields are invalid.'), {
    details: Object.entries(messages).map(([path, message]) => ({ path, message })),
  })

/** Validation messages that say how to fix the field. */
z.config({
  customError: issue => {
    if (issue.code === 'too_small' && issue.origin === 'string')
      return Number(issue.minimum) > 1 ? `Enter at least ${issue.minimum} characters` : REQUIRED
    if (issue.code === 'too_big' && issue.origin === 'string')
      return `Enter at most ${issue.maximum} characters`
    if (issue.code === 'too_small' && issue.origin !== 'array') return `Enter ${issue.minimum} or more`
    if (issue.code === 'too_big' && issue.origin !== 'array') return `Enter ${issue.maximum} or less`
    if (issue.code === 'invalid_type' && issue.expected === 'int') return 'Enter a whole number'
    if (issue.code === 'invalid_format' && issue.format === 'email')
      return 'Enter an email address such as ada@acme.example'
    if (issue.code === 'invalid_type' && issue.input === undefined) return REQUIRED
    return undefined
  },
})

export type Form<V extends FieldValues> = {
  /** Returns the props of a field: name, value, handlers and validation error. */
  field: (
    name: Path<V>,
    options?: RegisterOptions<V>,
  ) => UseFormRegisterReturn & { error: string | undefined }
  /** Returns the current value of a controlled field, and renders again when it changes. */
  value: <P extends Path<V>>(name: P) => PathValue<V, P>
  setValue: <P extends Path<V>>(name: P, value: PathValue<V, P>) => void
  /** Returns the validation error of a controlled field. */
  fieldError: (name: Path<V>) => string | undefined
  submit: (event: React.FormEvent) => void
  isBusy: boolean
  isDirty: boolean
  error: DisplayError | undefined
}

type Options<S extends z.ZodObject> = {
  values: DefaultValues<z.input<S>>
  /** Receives the parsed input, and the values that the form started with. */
  onSubmit: (input: z.output<S>, initial: Readonly<DeepPartial<z.input<S>>>) => Promise<unknown>
  /** Resets all fields to their initial values after a successful submit. */
  isCleared?: boolean
  /** Fields that are cleared after a successful submit. */
  secrets?: string[]
}

/** Returns a form validated by the operation's own schema. Server errors that name a field appear at that field. */
export function useSchemaForm<S extends z.ZodObject>(
  schema: S,
  { values, onSubmit, isCleared, secrets = [] }: Options<S>,
): Form<z.input<S> & FieldValues> {
  type Values = z.input<S> & FieldValues
  const form = useForm<Values, unknown, z.output<S> & FieldValues>({
    resolver: zodResolver(schema as never) as never,
    defaultValues: values as DefaultValues<Values>,
  })
  const { isSubmitting, isDirty } = form.formState
  const [error, setError] = useState<DisplayError>()
  const send = form.handleSubmit(async input => {
    setError(undefined)
    try {
      const sent = structuredClone(form.getValues())
      await onSubmit(input, form.formState.defaultValues as Readonly<DeepPartial<z.input<S>>>)
      const cleared = Object.fromEntries(secrets.map(name => [name, '']))
      const changedMeanwhile = getChangedValues(form.getValues(), sent)
      form.reset(isCleared ? undefined : { ...sent, ...cleared })
      for (const [name, value] of Object.entries(changedMeanwhile))
        form.setValue(name as Path<Values>, value as never, { shouldDirty: true })
    } catch (error) {
      showError(error as FormError)
    }
  })
  const showError = (error: FormError): void => {
    const fieldErrors = error.details?.filter(({ path }) => isField(form.getValues(), path)) ?? []
    for (const { path, message } of fieldErrors) {
      form.setError(path as Path<Values>, { message: capitalize(message) }, { shouldFocus: true })
    }
    if (fieldErrors.length === 0) setError(error)
  }
  const fieldError = (name: Path<Values>) => form.getFieldState(name, form.formState).error?.message
  return {
    field: (name, options) => ({ ...form.register(name, options as never), error: fieldError(name) }),
    value: name => form.watch(name),
    setValue: (name, value) => form.setValue(name, value, { shouldDirty: true }),
    fieldError,
    submit: event => void send(event),
    isBusy: isSubmitting,
    isDirty: isDirty && !isSubmitting,
    error,
  }
}

/** Reports whether the form has this field, which may be nested, as in `http.baseUrl`. */
const isField = (values: FieldValues, path: string): boolean => {
  const [last = '', ...outer] = path.split('.').reverse()
  const parent: unknown = outer.length > 0 ? get(values, outer.reverse().join('.')) : values
  return typeof parent === 'object' && parent !== null && last in parent
}

type FormProps = {
  form: Pick<Form<never>, 'submit' | 'isBusy' | 'isDirty' | 'error'>
  /** Label of the submit button: a verb and its object. */
  submit: string
  /** Content beside the submit button. */
  aside?: ReactNode
  /** Asks before navigating away with unsaved changes, as a form in a dialog always does. */
  isGuarded?: boolean
  /** Lets Escape or leaving the page close the enclosing dialog without asking, even with unsaved input. */
  allowsDiscard?: boolean
  /** Makes the submit button secondary: the form isn't the page's main action. */
  isMinor?: boolean
  /** Styles the submit button as one whose action can’t be undone. */
  isDanger?: boolean
  /** Disables the fields and hides the submit button. */
  isReadOnly?: boolean
  children: ReactNode
}

export function FormBody({
  form,
  submit,
  aside,
  isGuarded,
  allowsDiscard,
  isMinor,
  isDanger,
  isReadOnly = false,
  children,
}: FormProps) {
  const isInDialog = useContext(PreventCloseContext) !== undefined
  usePreventClose(form.isBusy ? 'always' : form.isDirty && !allowsDiscard ? 'escape' : undefined)
  return (
    <form
      noValidate
      onSubmit={form.submit}
      onKeyDown={event => {
        const isSubmit = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
        // In other fields, Enter alone submits.
        if (!isSubmit || !(event.target instanceof HTMLTextAreaElement) || form.isBusy || isReadOnly) return
        event.preventDefault()
        event.currentTarget.requestSubmit()
      }}
      className="grid max-w-lg gap-5"
    >
      {(isGuarded || (isInDialog && !allowsDiscard)) && <LeaveGuard isDirty={form.isDirty} />}
      <fieldset disabled={isReadOnly} className="contents">
        {children}
      </fieldset>
      {form.error && <ErrorState error={form.error} />}
      {!isReadOnly && (
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            look={isDanger ? 'danger' : isMinor ? 'secondary' : 'primary'}
            isBusy={form.isBusy}
          >
            {submit}
          </Button>
          {aside}
        </div>
      )}
    </form>
  )
}

type Changed<T> = string extends keyof T ? T : Partial<T>

/** Returns the values that differ from the initial ones. Sending only these keeps changes that other users made. */
export function getChangedValues<T extends object>(
  values: T | undefined,
  initial: object | undefined,
): Changed<T> {
  const before = new Map(Object.entries(initial ?? {}))
  const isChanged = ([key, value]: [string, unknown]) => hashKey([value]) !== hashKey([before.get(key)])
  return Object.fromEntries(Object.entries(values ?? {}).filter(isChanged)) as Changed<T>
}

/** Options that convert a field's raw value: omit an empty field, clear the stored value, or parse a number. */
export const emptyToUndefined = { setValueAs: (value: string | undefined) => value || undefined }
export const emptyToNull = { setValueAs: (value: string | null) => value || null }
export const toNumber = {
  setValueAs: (value: string | number | undefined) =>
    value === '' || value === undefined ? undefined : Number(value),
}
