/** The middle value; of an even number the mean of the two in the middle. `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  return (upper + lower) / 2
}

/** The value that a share of all stays at or below. `NaN` of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The values of each round under a name, in the order in which names first came. */
export class Samples {
  readonly #byName = new Map<string, number[]>()

  add(name: string, value: number): void {
    const values = this.#byName.get(name)
    if (values === undefined) this.#byName.set(name, [value])
    else values.push(value)
  }

  of(name: string): readonly number[] {
    return this.#byName.get(name) ?? []
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  /** Round by round, so that what a round has in common (other load, a warm disk) cancels out. */
  ratios(numerator: string, denominator: string): number[] {
    const below = this.of(denominator)
    return this.of(numerator).flatMap((value, round) => {
      const other = below[round]
      return other === undefined ? [] : [value / other]
    })
  }
}
