import { median } from './statistics.ts'

export interface Goal {
  readonly id: string
  readonly says: string
  readonly floor: number
  readonly goal: number
  readonly moonshot: number
  readonly unit: 'x' | '%' | 's'
  /** Whether more is better. */
  readonly isMore: boolean
}

const goal = (id: string, says: string, steps: [number, number, number], unit: Goal['unit'], isMore = true): Goal => ({
  id,
  says,
  floor: steps[0],
  goal: steps[1],
  moonshot: steps[2],
  unit,
  isMore,
})

/** Everybody is measured with the load that suits him best (ours: 1,024 to 3,072 bids in flight); this is what ours does with the few that suit the others. */
const fewer = 'with only 128 in flight on our side'

/** What we mean to reach: the floors are promised, the goals are aimed at, the moonshots are what may be possible. */
export const goals = {
  G1: goal('G1', 'hot lot, the whole way: durable answers/s against the best row lock', [15, 40, 100], 'x'),
  G1Fewer: goal('', fewer, [15, 40, 100], 'x'),
  G1b: goal('G1b', 'the same against the best single statement', [8, 20, 50], 'x'),
  G1bFewer: goal('', fewer, [8, 20, 50], 'x'),
  G1c: goal('G1c', 'G1 with 1 ms more per fsync', [50, 100, 250], 'x'),
  G1cFewer: goal('', fewer, [50, 100, 250], 'x'),
  G1dRowLock: goal('G1d', '1,000 lots against the best row lock', [10, 20, 50], 'x'),
  G1dRowLockFewer: goal('', fewer, [10, 20, 50], 'x'),
  G1dStatement: goal('G1d', '1,000 lots against the best single statement', [4, 8, 20], 'x'),
  G1dStatementFewer: goal('', fewer, [4, 8, 20], 'x'),
  G2: goal('G2', "highest rate with a p99 no worse than the row lock's at 1,000/s, in 1,000/s", [5, 10, 50], 'x'),
  G2b: goal('G2b', 'p50 at 500 and 1,000 bids/s against a single statement', [1.5, 1.2, 1], 'x', false),
  G3: goal('G3', 'fan-out to 1,000 sockets against a bare ws.send loop, 1 frame per write', [0.8, 1, 1.2], 'x'),
  G3Tick: goal('G3', 'the same with 8 frames per tick', [5, 8, 20], 'x'),
  G3c: goal('G3c', 'answers/s kept when the hot lot gains 1,000 watchers', [25, 60, 90], '%'),
  G4Cost: goal('G4', 'cost per bid with 1 M bids of history against none', [1.3, 1.1, 1], 'x', false),
  G4Kept: goal('G4', 'rate kept over 10,000 open auctions', [0.7, 0.9, 1], 'x'),
  G5: goal('G5', 'kill -9 to first accepted bid, 10,000 open auctions, 1 M events', [3, 1, 0.3], 's', false),
  G9: goal('G9', 'overload at twice saturation: answers/s kept', [70, 90, 98], '%'),
} as const

export type GoalName = keyof typeof goals

export type Verdict = 'moonshot' | 'goal' | 'floor' | 'missed' | 'not measured'

/** What the median reaches. */
export function verdictOf({ floor, goal: aim, moonshot, isMore }: Goal, values: readonly number[]): Verdict {
  if (values.length === 0) return 'not measured'
  const value = median(values)
  const reaches = (step: number) => (isMore ? value >= step : value <= step)
  if (reaches(moonshot)) return 'moonshot'
  if (reaches(aim)) return 'goal'
  return reaches(floor) ? 'floor' : 'missed'
}
