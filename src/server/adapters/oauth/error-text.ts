const texts: Record<string, string> = {
  invalid_client: 'The application is not registered with this server, or its registration has expired.',
  invalid_redirect_uri: 'The application requested a redirect to an address that it did not register.',
  invalid_target: 'The application requested access to a resource that this server does not have.',
}

type ProviderError = { error: string; error_description?: string | undefined }

/** Returns a provider error as a readable sentence, followed by its code. The provider's descriptions are fragments. */
export function toErrorText({ error, error_description: description }: ProviderError): string {
  const text = texts[error] ?? toSentence(description || 'the application sent an invalid request')
  return `${text} (${error})`
}

const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
