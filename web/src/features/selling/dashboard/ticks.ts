import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { useSyncExternalStore } from 'react'

/**
 * The products that are ticked to be boosted, in the order of ticking. Whoever draws a tick hears of its own product only, so that
 * ticking one of a thousand rows draws one.
 */
export class Ticks {
  #ticked: ReadonlyMap<number, OwnProduct> = new Map()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly all = (): ReadonlyMap<number, OwnProduct> => this.#ticked

  toggle(product: OwnProduct): void {
    const next = new Map(this.#ticked)
    if (!next.delete(product.id)) next.set(product.id, product)
    this.#change(next)
  }

  remove(productId: number): void {
    const next = new Map(this.#ticked)
    if (next.delete(productId)) this.#change(next)
  }

  clear(): void {
    this.#change(new Map())
  }

  #change(next: ReadonlyMap<number, OwnProduct>): void {
    this.#ticked = next
    for (const listener of this.#listeners) listener()
  }
}

export function useTicked(ticks: Ticks): ReadonlyMap<number, OwnProduct> {
  return useSyncExternalStore(ticks.subscribe, ticks.all)
}

export function useIsTicked(ticks: Ticks, productId: number): boolean {
  return useSyncExternalStore(ticks.subscribe, () => ticks.all().has(productId))
}
