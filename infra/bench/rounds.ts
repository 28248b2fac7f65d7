import type { Samples } from './statistics.ts'

export interface BenchOptions {
  readonly rounds: number
  readonly measureMs: number
  readonly log: (line: string) => void
}

/** One contender's turn of a round; it adds what it measured under names of its own. */
export type Turn = (samples: Samples, round: number) => Promise<void>

/** Takes all turns once per round, each round beginning with another one, so that no turn always has the same neighbour. */
export async function interleave(turns: readonly Turn[], samples: Samples, options: BenchOptions): Promise<void> {
  for (let round = 0; round < options.rounds; round++) {
    for (let index = 0; index < turns.length; index++) {
      const turn = turns[(index + round) % turns.length]
      if (turn !== undefined) await turn(samples, round)
    }
    options.log(`round ${round + 1} of ${options.rounds}`)
  }
}
