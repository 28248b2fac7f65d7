/**
 * A live message to all sockets of a person as text: frames as they go out, one per line (JSON has no line break of its own), behind a
 * first line that is empty or names the command that led to them. The socket that sent the command has its answer already.
 */
export interface UserLive {
  readonly commandId: string | null
  readonly frames: readonly string[]
}

export function encodeUserLive({ commandId, frames }: UserLive): string {
  return [commandId ?? '', ...frames].join('\n')
}

/** @throws TypeError when it is no message of ours */
export function decodeUserLive(text: string): UserLive {
  const [commandId, ...frames] = text.split('\n')
  if (frames.length === 0 || frames.some((frame) => !frame.startsWith('{'))) {
    throw new TypeError('a live message to a person is a line and frames')
  }
  return { commandId: commandId || null, frames }
}
