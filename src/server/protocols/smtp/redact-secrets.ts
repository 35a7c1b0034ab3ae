/** A server's answer is hostile text: it may repeat what it was told. */
export function redactSecrets(
  reason: string,
  { user = '', password }: { user?: string | undefined; password?: string | undefined },
): string {
  if (!password) return reason
  const told = [
    password,
    ...[password, `\0${user}\0${password}`].map(text => Buffer.from(text).toString('base64')),
  ]
  return told.reduce((text, secret) => text.replaceAll(secret, '…'), reason)
}
