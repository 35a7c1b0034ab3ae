/** A web address up to a space, a quote or a bracket; punctuation at its end belongs to the sentence. */
const link = /(https?:\/\/[^\s<>"'“”‘’(){}[\]]+[^\s<>"'“”‘’(){}[\].,;:!?…])/i

/** Splits text at its web addresses. Every second part is an address. */
export const splitLinks = (text: string): string[] => text.split(link)
