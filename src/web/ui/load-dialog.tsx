import { type ComponentType, useEffect, useState } from 'react'
import { showToast } from './toast.tsx'

/**
 * Returns a dialog that is loaded when it opens, so that the pages that offer it stay small: forms bring the schemas with
 * them. If that fails, the user is told, and the dialog closes so that it can be opened again.
 */
export function loadDialog<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function LoadedDialog(props) {
    const { onClose } = props
    const [Dialog, setDialog] = useState(() => loaded)
    // biome-ignore lint/correctness/useExhaustiveDependencies: loads once.
    useEffect(() => {
      if (Dialog) return
      load().then(
        component => {
          loaded = component
          setDialog(() => component)
        },
        () => {
          showToast('This could not be loaded. Check your connection and try again.')
          onClose()
        },
      )
    }, [])
    return Dialog && <Dialog {...props} />
  }
}
