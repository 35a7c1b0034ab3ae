import { type ErrorComponentProps, Link, useLocation, useRouter } from '@tanstack/react-router'
import { buttonClass } from './ui/button.tsx'
import { type DisplayError, ErrorState } from './ui/error-state.tsx'
import { CardPage, Page } from './ui/page.tsx'

/** Replaces a page that failed to load. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <CardPage title="This page couldn’t be loaded">
      <ErrorState error={error as Error} onRetry={() => router.invalidate()} />
    </CardPage>
  )
}

const HomeLink = () => (
  <Link to="/" className={buttonClass('primary')}>
    Go to Home
  </Link>
)

const notFound = {
  title: 'Page not found',
  intro: 'The address may be mistyped, or the page has moved.',
}

/** Reports outside the app shell that the page does not exist. */
export const NotFoundPage = () => (
  <CardPage {...notFound}>
    <HomeLink />
  </CardPage>
)

/** Reports inside the app shell that the page does not exist. */
export const UnknownPage = () => (
  <Page {...notFound}>
    <HomeLink />
  </Page>
)

/** The list that an object belongs to, by URL prefix; longer prefixes first. */
const lists = [
  { to: '/inbox', label: 'Open inbox' },
  { to: '/campaigns', label: 'Show campaigns' },
  { to: '/people', label: 'Show people' },
  { to: '/companies', list: '/people', label: 'Show people' },
  { to: '/tasks', label: 'Show tasks' },
  { to: '/calls/assistants', label: 'Show assistants' },
  { to: '/calls', label: 'Show calls' },
  { to: '/settings/webhooks', label: 'Show webhooks' },
]

/** Explains what to do about a data error that a retry can't resolve. */
export function ErrorHelp({ error }: { error: DisplayError }) {
  const { pathname } = useLocation()
  if (error.code === 'Forbidden') {
    return (
      <>
        <p>An admin or owner of the account can change your role under Settings › Members.</p>
        <HomeLink />
      </>
    )
  }
  if (!isUnknownId(error)) return null
  const {
    to,
    list = to,
    label,
  } = lists.find(each => pathname.startsWith(`${each.to}/`)) ?? {
    to: '/',
    label: 'Go to Home',
  }
  return (
    <Link to={list} className={buttonClass()}>
      {label}
    </Link>
  )
}

/** Reports whether the error means that an object does not exist, or that the ID in the URL is malformed. */
const isUnknownId = ({ code, details }: DisplayError): boolean =>
  code === 'NotFound' ||
  (code === 'ValidationError' && details?.some(({ path }) => /Id$/.test(path)) === true)
