/** Returns the element that scrolls this element, or the root element if the window scrolls. */
export function findScrollContainer(element: Element | null): Element {
  for (let parent = element?.parentElement; parent; parent = parent.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(parent).overflowY)) return parent
  }
  return document.documentElement
}
