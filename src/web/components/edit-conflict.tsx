import { Button } from '../ui/button.tsx'

type Props = { children: string; onLoadTheirs: () => void; onKeepMine: () => void }

/** Says that others have changed what the user edits, and lets the user choose a version. */
export const EditConflict = ({ children, onLoadTheirs, onKeepMine }: Props) => (
  <div role="alert" className="grid gap-3 rounded-card border border-amber/40 bg-amber-quiet p-4">
    <p className="font-medium text-amber">{children}</p>
    <div className="flex flex-wrap gap-2">
      <Button size="small" onClick={onLoadTheirs}>
        Load their version
      </Button>
      <Button size="small" onClick={onKeepMine}>
        Keep my version
      </Button>
    </div>
  </div>
)
