/** What the sandbox and the service are told of each other where nothing else is configured. */
export const sandboxKeys = { apiKey: 'sandbox', collectionId: 'sandbox', signatureKey: 'sandbox-x-signature' } as const
