/** Where a product is in a list; `key` is its place in the order, 0 where the id alone decides. The next page begins behind the last one. */
export interface Place {
  readonly id: number
  readonly key: number
}
