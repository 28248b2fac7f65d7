/** Whether a client takes bodies of an encoding. Browsers name it without a weight; whoever weighs is served in another way. */
export function takesEncoding(accepted: string | readonly string[] | undefined, encoding: 'br' | 'gzip'): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((named) => named.trim() === encoding)
}
