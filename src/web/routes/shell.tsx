import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ApiError } from '../../client.ts'
import { loadSession, request } from '../api.ts'
import { root } from './root.tsx'

/** Parent of every page that needs a session. Redirects to setup or sign-in without one. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  // A loader runs in parallel with the loaders of the pages inside; beforeLoad would delay them.
  loader: async ({ context, location }) => {
    try {
      await loadSession(context.queryClient)
    } catch (error) {
      if ((error as ApiError).code !== 'Unauthorized') throw error
      const { isNeeded } = await request<{ isNeeded: boolean }>('GET', '/setup')
      if (isNeeded) throw redirect({ to: '/setup' })
      throw redirect({ to: '/sign-in', search: { next: location.href === '/' ? undefined : location.href } })
    }
  },
  component: lazyRouteComponent(() => import('../shell.tsx'), 'Shell'),
})
