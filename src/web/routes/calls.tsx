import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch, prefetchPage } from '../api.ts'
import {
  type CallsSearch,
  type RequestsSearch,
  toListCallRequestsInput,
  toListCallsInput,
} from '../pages/calls/search-params.ts'
import { shell } from './shell.tsx'
import { toText } from './to-text.ts'

const calls = createRoute({
  getParentRoute: () => shell,
  path: 'calls',
  validateSearch: ({ status, outcome, assistantId, repId, period }): CallsSearch => ({
    status: toText(status),
    outcome: toText(outcome),
    assistantId: toText(assistantId),
    repId: toText(repId),
    period: toText(period),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listCalls', toListCallsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/calls/calls.tsx'), 'CallsPage'),
})
const callRequests = createRoute({
  getParentRoute: () => shell,
  path: 'calls/requests',
  validateSearch: ({ status }): RequestsSearch => ({ status: toText(status) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.queryClient, 'listCallRequests', toListCallRequestsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/calls/requests.tsx'), 'CallRequestsPage'),
})
const assistants = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listAssistants', {}),
  component: lazyRouteComponent(() => import('../pages/calls/assistants.tsx'), 'AssistantsPage'),
})
const newAssistant = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants/new',
  component: lazyRouteComponent(() => import('../pages/calls/new-assistant.tsx'), 'NewAssistantPage'),
})
const assistant = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants/$assistantId',
  loader: ({ context, params }) => prefetch(context.queryClient, 'getAssistant', params),
  component: lazyRouteComponent(() => import('../pages/calls/assistant.tsx'), 'AssistantPage'),
})
const consents = createRoute({
  getParentRoute: () => shell,
  path: 'calls/consents',
  validateSearch: ({ phoneNumber }): { phoneNumber?: string | undefined } => ({
    phoneNumber: toText(phoneNumber),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listConsents', deps),
  component: lazyRouteComponent(() => import('../pages/calls/consents.tsx'), 'ConsentsPage'),
})
const call = createRoute({
  getParentRoute: () => shell,
  path: 'calls/$callId',
  loader: ({ context, params }) => prefetch(context.queryClient, 'getCall', params),
  component: lazyRouteComponent(() => import('../pages/calls/call.tsx'), 'CallPage'),
})

export const callRoutes = [calls, callRequests, assistants, newAssistant, assistant, consents, call]
