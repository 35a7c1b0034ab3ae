import { zodResolver } from '@hookform/resolvers/zod'
import { type ReactNode, useState } from 'react'
import {
  type DefaultValues,
  type FieldValues,
  get,
  type Path,
  type RegisterOptions,
  type UseFormRegisterReturn,
  useForm,
} from 'react-hook-form'
import { z } from 'zod'
import { Button } from './button.tsx'
import { usePreventClose } from './dialog.tsx'
import { type DisplayError, ErrorState } from './error-state.tsx'
import { LeaveGuard } from './leave-guard.tsx'

/** A fault of the server may name the fields that it lies in. */
type FormError = DisplayError & { details?: { path: string; message: string }[] }

/** What the schemas ask for, in words that say how to mend it. */
z.config({
  customError: issue => {
    if (issue.code === 'too_small' && issue.origin === 'string')
      return Number(issue.minimum) > 1 ? `Use at least ${issue.minimum} characters` : 'Fill this in'
    if (issue.code === 'too_big' && issue.origin === 'string')
      return `Use at most ${issue.maximum} characters`
    if (issue.code === 'too_small' && issue.origin !== 'array') return `Give at least ${issue.minimum}`
    if (issue.code === 'too_big' && issue.origin !== 'array') return `Give at most ${issue.maximum}`
    if (issue.code === 'invalid_type' && issue.expected === 'int') return 'Give a whole number'
    if (issue.code === 'invalid_format' && issue.format === 'email')
      return 'Write an address such as ada@acme.example'
    if (issue.code === 'invalid_type' && issue.input === undefined) return 'Fill this in'
    return undefined
  },
})

export type Form<V extends FieldValues> = {
  /** What a field needs: its name, its value and its error. */
  field: (
    name: Path<V>,
    options?: RegisterOptions<V>,
  ) => UseFormRegisterReturn & { error: string | undefined }
  submit: (event: React.FormEvent) => void
  isBusy: boolean
  isDirty: boolean
  error: DisplayError | undefined
}

type Options<S extends z.ZodObject> = {
  values: DefaultValues<z.input<S>>
  /** Gets what the schema made of the fields. */
  onSubmit: (input: z.output<S>) => Promise<unknown>
  /** Whether its fields are as at the beginning again once it worked. */
  isCleared?: boolean
  /** Those that are emptied then. */
  secrets?: string[]
}

/** A form that the operation's own schema validates; what the server finds wrong stands at its field too. */
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
      await onSubmit(input)
      const emptied = Object.fromEntries(secrets.map(name => [name, '']))
      form.reset(isCleared ? undefined : { ...form.getValues(), ...emptied })
    } catch (error) {
      showError(error as FormError)
    }
  })
  const showError = (error: FormError): void => {
    const known = error.details?.filter(({ path }) => isField(form.getValues(), path)) ?? []
    for (const { path, message } of known) {
      form.setError(path as Path<Values>, { message: capitalize(message) }, { shouldFocus: true })
    }
    if (known.length === 0) setError(error)
  }
  return {
    field: (name, options) => ({
      ...form.register(name, options as never),
      error: form.getFieldState(name, form.formState).error?.message,
    }),
    submit: event => void send(event),
    isBusy: isSubmitting,
    isDirty: isDirty && !isSubmitting,
    error,
  }
}

/** Also one inside another, as in `http.baseUrl`. */
const isField = (values: FieldValues, path: string): boolean => {
  const [last = '', ...outer] = path.split('.').reverse()
  const parent: unknown = outer.length > 0 ? get(values, outer.reverse().join('.')) : values
  return typeof parent === 'object' && parent !== null && last in parent
}

const capitalize = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1)

type FormProps = {
  form: Pick<Form<never>, 'submit' | 'isBusy' | 'isDirty' | 'error'>
  /** A verb and its object. */
  submit: string
  /** Stands beside the button. */
  aside?: ReactNode
  /** Asks before what was typed is lost. */
  isGuarded?: boolean
  /** Lets Escape close the dialog around it with what was typed, such as a password. */
  isDisposable?: boolean
  /** Not what the page is for. */
  isMinor?: boolean
  children: ReactNode
}

export function FormBody({ form, submit, aside, isGuarded, isDisposable, isMinor, children }: FormProps) {
  usePreventClose(form.isBusy ? 'open' : form.isDirty && !isDisposable ? 'typed' : undefined)
  return (
    <form noValidate onSubmit={form.submit} className="grid max-w-lg gap-5">
      {isGuarded && <LeaveGuard isDirty={form.isDirty} />}
      {children}
      {form.error && <ErrorState error={form.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look={isMinor ? 'secondary' : 'primary'} isBusy={form.isBusy}>
          {submit}
        </Button>
        {aside}
      </div>
    </form>
  )
}

/** How fields are read: what is empty is not given, or clears what was there; a number. */
export const emptyToUndefined = { setValueAs: (value: string | undefined) => value || undefined }
export const emptyToNull = { setValueAs: (value: string | null) => value || null }
export const toNumber = {
  setValueAs: (value: string | number | undefined) =>
    value === '' || value === undefined ? undefined : Number(value),
}
