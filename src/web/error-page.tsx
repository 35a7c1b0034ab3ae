import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { buttonClass } from './ui/button.tsx'
import { ErrorState } from './ui/error-state.tsx'
import { CardPage } from './ui/page.tsx'

/** Replaces a page that failed to load. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <CardPage title="This page couldn’t be loaded">
      <ErrorState error={error as Error} onRetry={() => router.invalidate()} />
    </CardPage>
  )
}

export const NotFoundPage = () => (
  <CardPage title="Page not found" intro="The address may be mistyped, or the page has moved.">
    <Link to="/" className={buttonClass('primary')}>
      Go to home page
    </Link>
  </CardPage>
)
