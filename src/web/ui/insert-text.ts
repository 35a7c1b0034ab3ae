/** Puts text where the cursor of the field is, as if it had been typed: React learns of it. */
export function insertText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
