import { type ComponentType, useEffect, useState } from 'react'
import { showToast } from './toast.tsx'

/** Props of a dialog. Without `isOpen`, it is open while it is mounted. */
type LoadableProps = { isOpen?: boolean } & ({ onClose: () => void } | { onCancel: () => void })

type LoadedDialog<Props> = ComponentType<Props> & {
  /** Loads the dialog, so that it opens instantly, even offline. */
  preload: () => Promise<unknown>
}

/**
 * Returns a dialog that is loaded when it first opens, so that the pages that offer it stay small. From then on it
 * stays mounted, so that focus returns when it closes. If loading fails, a toast reports it, and the dialog closes
 * so that it can be opened again.
 */
export function loadDialog<Props extends LoadableProps>(
  load: () => Promise<ComponentType<Props>>,
): LoadedDialog<Props> {
  let loaded: ComponentType<Props> | undefined
  const preload = async () => {
    loaded ??= await load()
    return loaded
  }
  function LoadedDialog(props: Props) {
    const { isOpen = true } = props
    const [Dialog, setDialog] = useState<ComponentType<Props>>()
    if (isOpen && !Dialog && loaded) setDialog(() => loaded)
    // biome-ignore lint/correctness/useExhaustiveDependencies: loads when it opens.
    useEffect(() => {
      if (!isOpen || Dialog) return
      preload().then(
        component => setDialog(() => component),
        () => {
          showToast('The dialog could not be loaded. Check your connection and try again.')
          if ('onClose' in props) props.onClose()
          else props.onCancel()
        },
      )
    }, [isOpen])
    return Dialog && <Dialog {...props} />
  }
  return Object.assign(LoadedDialog, { preload })
}
