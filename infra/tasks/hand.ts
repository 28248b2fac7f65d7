import type { Locator, Page } from 'playwright-core'

/** Somebody at a page: does what a person would, one thing after the other, and counts it. */
export class Hand {
  readonly page: Page
  /** Clicks and taps, fields filled in, keys pressed for themselves, and files chosen together. */
  presses = 0

  constructor(page: Page) {
    this.page = page
  }

  async press(what: Locator): Promise<void> {
    this.presses += 1
    await what.first().click()
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.presses += 1
    await field.fill(text)
  }

  async choose(field: Locator, option: string): Promise<void> {
    this.presses += 1
    await field.selectOption(option)
  }

  async attach(field: Locator, files: string[]): Promise<void> {
    this.presses += 1
    await field.setInputFiles(files)
  }

  async key(field: Locator, key: string): Promise<void> {
    this.presses += 1
    await field.press(key)
  }

  async drag(from: Place, to: Place): Promise<void> {
    this.presses += 1
    const { mouse } = this.page
    await mouse.move(from.x, from.y)
    await mouse.down()
    await mouse.move(to.x, to.y, { steps: 10 })
    await mouse.up()
  }

  /** Takes one of several ways that different versions of the site have, the first that is there. */
  async pressOneOf(...ways: readonly Locator[]): Promise<void> {
    const [first, ...others] = ways
    if (first === undefined) throw new Error('There is no way to take')
    const any = others.reduce((all, way) => all.or(way), first)
    await any.first().waitFor()
    for (const way of ways) {
      if (await way.first().isVisible()) return await this.press(way)
    }
    throw new Error('No way was there any more')
  }
}

interface Place {
  readonly x: number
  readonly y: number
}
