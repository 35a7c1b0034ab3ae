import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ApiError } from '../../client.ts'
import { loadSession } from '../api.ts'
import { root } from './root.tsx'
import { toText } from './to-text.ts'

const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  validateSearch: ({ code }): { code?: string } => ({ code: toText(code) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/set-up.tsx'), 'SetupPage'),
})
type SignInSearch = { next?: string; app?: string; step?: string; problem?: string; notice?: string }
const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: ({ next, app, step, problem, notice }): SignInSearch => ({
    next: toText(next),
    app: toText(app),
    step: toText(step),
    problem: toText(problem),
    notice: toText(notice),
  }),
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in.tsx'), 'SignInPage'),
})
const confirm = createRoute({
  getParentRoute: () => root,
  path: 'confirm',
  validateSearch: ({ next, problem }): { next?: string; problem?: string } => ({
    next: toText(next),
    problem: toText(problem),
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps: { next } }) => {
    await loadSession(context.queryClient).catch((error: ApiError) => {
      if (error.code !== 'Unauthorized') throw error
      throw redirect({ to: '/sign-in', search: { next } })
    })
  },
  component: lazyRouteComponent(() => import('../pages/sign-in/confirm-identity.tsx'), 'ConfirmPage'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset',
  validateSearch: ({ token }): { token?: string } => ({ token: toText(token) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/reset-password.tsx'), 'ResetPage'),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: 'invitation',
  validateSearch: ({ token }): { token?: string } => ({ token: toText(token) }),
  component: lazyRouteComponent(() => import('../pages/sign-in/invitation.tsx'), 'InvitationPage'),
})
const reference = createRoute({
  getParentRoute: () => root,
  path: 'docs',
  component: lazyRouteComponent(() => import('../pages/docs/reference.tsx'), 'ReferencePage'),
})
const introduction = createRoute({
  getParentRoute: () => reference,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/docs/reference.tsx'), 'IntroductionPage'),
})
const referenceEntry = createRoute({
  getParentRoute: () => reference,
  path: '$name',
  component: lazyRouteComponent(() => import('../pages/docs/entry.tsx'), 'EntryPage'),
})
const docs = reference.addChildren([introduction, referenceEntry])

/** Pages outside the app shell. */
export const publicRoutes = [setup, signIn, confirm, reset, invitation, docs]
