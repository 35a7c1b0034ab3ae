/** Matches the tags that make a text HTML. */
export const htmlTagPattern =
  /<(?:!doctype|html|head|body|style|p|br|hr|div|span|a|b|i|u|s|em|strong|small|font|center|img|ul|ol|li|h[1-6]|blockquote|pre|code|table|thead|tbody|tr|td|th)(?:[\s/][^<>]*)?>/i
