/** Removes credentials, plain and in base64, from a server's reply, which may repeat them. */
export function redactSecrets(
  reason: string,
  {
    user = '',
    password,
    accessToken,
  }: { user?: string | undefined; password?: string | undefined; accessToken?: string | undefined },
): string {
  const secrets = [
    ...(password ? toSpellings(password, `\0${user}\0${password}`) : []),
    ...(accessToken ? toSpellings(accessToken, `user=${user}\x01auth=Bearer ${accessToken}\x01\x01`) : []),
  ]
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), reason)
}

const toSpellings = (secret: string, sent: string): string[] => [
  secret,
  ...[secret, sent].map(text => Buffer.from(text).toString('base64')),
]
