import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'

type Stage<Name = Failpoint> = Name extends `${infer First}.${string}` ? First : never

/** The last one is reached only after a death past the gate. */
const stages: readonly Stage[] = ['tick', 'plan', 'send', 'smtp', 'gate', 'record', 'lost_send']

/** The failpoints of emails; other tests cover the others. */
export const sendFailpoints = failpoints.filter(name => stages.includes(name.split('.')[0] as Stage))
