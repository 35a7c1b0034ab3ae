/**
 * Copies text to the clipboard. `beside` is an element in the open dialog, or on the page if none is open. Returns
 * false if the browser refuses.
 */
export async function copyText(text: string, beside: Element): Promise<boolean> {
  // Over plain HTTP, browsers offer no clipboard API, but can copy the selection.
  if (!navigator.clipboard) return copySelected(text, beside)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

/**
 * Copies text by selecting it in a temporary element next to `beside`. While a dialog is open, only text inside the
 * dialog can be selected.
 */
function copySelected(text: string, beside: Element): boolean {
  const copied = document.createElement('span')
  copied.className = 'select-text whitespace-pre'
  copied.textContent = text
  beside.after(copied)
  getSelection()?.selectAllChildren(copied)
  const isCopied = document.execCommand('copy')
  getSelection()?.removeAllRanges()
  copied.remove()
  return isCopied
}
