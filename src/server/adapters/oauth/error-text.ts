const texts: Record<string, string> = {
  invalid_client: 'The application is not registered with this server, or its registration has expired.',
  invalid_redirect_uri: 'The application asked to send you to an address that it did not register.',
  invalid_target: 'The application asked for access to a resource that this server does not have.',
}

type ProviderError = { error: string; error_description?: string | undefined }

/** Returns what a person reads of an error of the provider, which describes it in fragments; its code is last. */
export function errorText({ error, error_description: description }: ProviderError): string {
  const text = texts[error] ?? toSentence(description || 'the application sent a request that is not allowed')
  return `${text} (${error})`
}

const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
