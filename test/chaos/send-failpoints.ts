import { type Failpoint, failpoints } from '../../src/server/kernel/failpoints.ts'

type Stage<Name = Failpoint> = Name extends `${infer First}.${string}` ? First : never

/** The stages of an email. `lost_send` is reached only after an engine has died past the gate. */
const stages: readonly Stage[] = ['tick', 'plan', 'send', 'smtp', 'gate', 'record', 'lost_send']

/** The failpoints of emails. Other tests cover the remaining failpoints. */
export const sendFailpoints = failpoints.filter(name => stages.includes(name.split('.')[0] as Stage))
