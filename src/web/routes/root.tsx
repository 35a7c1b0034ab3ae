import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { ErrorPage, NotFoundPage } from '../error-page.tsx'
import { Root } from '../root.tsx'

type Context = { queryClient: QueryClient }

export const root = createRootRouteWithContext<Context>()({
  component: Root,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
})
