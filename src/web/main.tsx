// Imported first, because it must run before any schema is created.
import './zod-jitless.ts'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { ApiError } from '../client.ts'
import { sessionQuery } from './api.ts'
import { createAppRouter } from './router.tsx'
import './styles.css'
import { ConnectionBar } from './ui/connection-bar.tsx'

/** Reports whether a retry may resolve the error. */
const isTransient = ({ code }: ApiError): boolean => ['Unreachable', 'ServiceUnavailable'].includes(code)

/**
 * Sends the user to sign-in when a read finds that the session has ended. Writes show the error in their form and keep
 * the input. Until the session is loaded, the routes redirect.
 */
const onError = ({ code }: ApiError): void => {
  if (code !== 'Unauthorized' || !cache.getQueryData(sessionQuery.queryKey)) return
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

const cache = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (count, error) => count < 3 && isTransient(error) },
    // A write that waited offline may no longer be wanted: fail immediately and keep the input in the form.
    mutations: { networkMode: 'always' },
  },
})
const router = createAppRouter(cache)

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
      <ConnectionBar />
    </QueryClientProvider>
  </StrictMode>,
)
