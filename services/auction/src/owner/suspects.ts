import type { OtherCommand } from '../books/command.ts'

/** Once the database has refused a command, others are suspected for so long. */
const SUSPECTED_FOR_MS = 5_000
/** From one try to the next, in times of what a refused transaction takes: of the writer's time a fifth is for such. */
const APART = 5
export const APART_MAX_MS = 200
const WAITING_MAX = 4096

/**
 * What is no bid, for a while after the database has refused such a command: it waits here in groups. Each is tried in a transaction of its own, some
 * time after the one before. So whoever sends nothing but what is refused takes little of the time of those who bid, and no bid waits until the
 * culprit is found.
 */
export class Suspects {
  readonly #tryGroup: (commands: readonly OtherCommand[]) => void
  /** In the order in which they are tried; the last one takes what comes, unless it was tried before. */
  #groups: { readonly commands: OtherCommand[]; readonly isFresh: boolean }[] = []
  #timer: NodeJS.Timeout | null = null
  #apartMs = 0
  #untilMs = Number.NEGATIVE_INFINITY

  /** @param tryGroup judges these, apart from whatever else there is */
  constructor(tryGroup: (commands: readonly OtherCommand[]) => void) {
    this.#tryGroup = tryGroup
  }

  /** Whether what is no bid has to wait here. */
  get isActive(): boolean {
    return this.#groups.length > 0 || performance.now() < this.#untilMs
  }

  /** Commands that wait. */
  get waiting(): readonly OtherCommand[] {
    return this.#groups.flatMap(({ commands }) => commands)
  }

  /**
   * Among these the database has refused something.
   * @param tookMs how long the transaction took
   */
  suspect(groups: readonly OtherCommand[][], tookMs: number): void {
    this.#untilMs = performance.now() + SUSPECTED_FOR_MS
    this.#apartMs = Math.min(tookMs * APART, APART_MAX_MS)
    const tried = groups.filter(({ length }) => length > 0).map((commands) => ({ commands, isFresh: false }))
    this.#groups.unshift(...tried)
    this.#goOn()
  }

  /** @returns whether there is room for it */
  add(command: OtherCommand): boolean {
    if (this.#groups.reduce((count, { commands }) => count + commands.length, 0) >= WAITING_MAX) return false
    const last = this.#groups.at(-1)
    if (last?.isFresh === true) last.commands.push(command)
    else this.#groups.push({ commands: [command], isFresh: true })
    this.#goOn()
    return true
  }

  /** Forgets those that are answered. */
  forgetAnswered(): void {
    this.#groups = this.#groups
      .map(({ commands, isFresh }) => ({ commands: commands.filter(({ verdict }) => verdict === null), isFresh }))
      .filter(({ commands }) => commands.length > 0)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#groups = []
  }

  #goOn(): void {
    if (this.#timer !== null || this.#groups.length === 0) return
    const tryNext = () => {
      this.#timer = null
      const group = this.#groups.shift()
      if (group !== undefined) this.#tryGroup(group.commands)
      this.#goOn()
    }
    this.#timer = setTimeout(tryNext, this.#apartMs)
  }
}
