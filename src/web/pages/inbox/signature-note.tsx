import { useOperation } from '../../api.ts'

/** Says that the signature of the rep follows the text, if the rep has one. */
export function SignatureNote({ repId = '' }: { repId: string | undefined }) {
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  return rep?.signature && <p className="text-muted text-sm">The signature of {rep.name} is added.</p>
}
