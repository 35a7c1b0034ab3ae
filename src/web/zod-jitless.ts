import { config } from 'zod/v4/core'

// Compiled validators need eval, which the content security policy forbids.
config({ jitless: true })
