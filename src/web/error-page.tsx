import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { buttonClass } from './ui/button.tsx'
import { ErrorState } from './ui/error-state.tsx'
import { CardPage } from './ui/page.tsx'

/** When a page could not be shown at all. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <CardPage title="This page could not be shown">
      <ErrorState error={error as Error} onRetry={() => router.invalidate()} />
    </CardPage>
  )
}

export const NotFoundPage = () => (
  <CardPage title="There is nothing here" intro="The address may be mistyped, or the page has moved.">
    <Link to="/" className={buttonClass('primary')}>
      Go to the start
    </Link>
  </CardPage>
)
