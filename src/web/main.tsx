import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { config } from 'zod/v4/core'
import type { ApiError } from '../client.ts'
import { sessionQuery } from './api.ts'
import { createAppRouter } from './routes.tsx'
import './styles.css'
import { ConnectionBar } from './ui/connection-bar.tsx'

// Compiled validators need eval, which the content security policy forbids. Before any schema is made.
config({ jitless: true })

/** What may be over by the next try. */
const isPassing = ({ code }: ApiError): boolean => ['Unreachable', 'ServiceUnavailable'].includes(code)

/** The session has ended; who writes sees it at the form, and keeps what was typed. Before it is known, the routes lead on. */
const onError = ({ code }: ApiError): void => {
  if (code !== 'Unauthorized' || !cache.getQueryData(sessionQuery.queryKey)) return
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

const cache = new QueryClient({
  queryCache: new QueryCache({ onError }),
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (count, error) => count < 3 && isPassing(error) },
    // What was sent long ago may no longer be meant: it fails at once, and stays in the form.
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
