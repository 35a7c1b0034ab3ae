/** Removes credentials, plain and in base64, from a server's reply: it may echo what it was sent. */
export function redactSecrets(
  reason: string,
  { user = '', password }: { user?: string | undefined; password?: string | undefined },
): string {
  if (!password) return reason
  const secrets = [
    password,
    ...[password, `\0${user}\0${password}`].map(text => Buffer.from(text).toString('base64')),
  ]
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), reason)
}
