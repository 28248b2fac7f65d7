/**
 * How many of so many places are before something, where all that are come first: found by halving (binary search).
 * @param isBefore whether the place with this number, from 0 on, is
 */
export function countBefore(places: number, isBefore: (place: number) => boolean): number {
  let [from, to] = [0, places]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}
