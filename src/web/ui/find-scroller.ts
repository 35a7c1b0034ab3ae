/** Returns the element that scrolls this one; the root element if the window does. */
export function findScroller(scrolled: Element | null): Element {
  for (let element = scrolled?.parentElement; element; element = element.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(element).overflowY)) return element
  }
  return document.documentElement
}
