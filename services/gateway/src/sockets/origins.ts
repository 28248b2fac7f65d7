/**
 * Which pages may open a socket: those of the public address, and those that this very host served under another name
 * (127.0.0.1 for localhost). A browser always tells the origin of a page and the host it connects to.
 */
export function originRule(publicUrl: string): (origin: string, host: string) => boolean {
  const publicOrigin = new URL(publicUrl).origin
  return (origin, host) => {
    if (origin === publicOrigin) return true
    return host !== '' && (origin === `http://${host}` || origin === `https://${host}`)
  }
}
