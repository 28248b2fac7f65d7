/** A connection that does not move for so long is given up: a slow one may take as long as it needs. */
const stallTimeoutMs = 60_000

/** Sends a form as `fetch` would, and tells which part of it, 0 to 1, is on its way: `fetch` itself cannot say. */
export async function sendForm(
  url: string,
  { method, headers, body }: { method: string; headers: Headers; body: FormData },
  onProgress: (part: number) => void,
  signal?: AbortSignal,
): Promise<Response> {
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => request.abort(), stallTimeoutMs)
    }
    const fail = () => reject(new TypeError('The form could not be sent'))
    request.open(method, url)
    headers.forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    request.upload.onprogress = (event) => {
      watch()
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total)
    }
    request.onload = () => resolve(responseOf(request))
    request.onerror = fail
    request.onabort = fail
    request.onloadend = () => clearTimeout(timer)
    if (signal?.aborted) return fail()
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    watch()
    request.send(body)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const { status, statusText, responseText } = request
  return new Response(responseText || null, { status, statusText, headers })
}
