import { get, type RequestOptions } from 'node:http'

/** The status of an answer that has come whole. For less than `fetch` costs whoever asks, who shares the processors with whom they ask. */
export function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.on('end', () => resolve(response.statusCode))
      response.on('error', reject)
      response.resume()
    }).on('error', reject)
  })
}
