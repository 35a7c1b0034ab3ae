import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'

type Stage<Name = Failpoint> = Name extends `${infer First}.${string}` ? First : never

const stages: readonly string[] = [
  ...['tick', 'plan', 'send', 'smtp', 'gate', 'record'],
  // Reached only after a death past the gate.
  'lost_send',
] satisfies Stage[]

/** The failpoints of emails; other tests cover the others. */
export const sendFailpoints = failpoints.filter(name => stages.includes(name.split('.')[0]!))
