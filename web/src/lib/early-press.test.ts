import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const script = readFileSync(join(import.meta.dirname, 'early-press.js'), 'utf8')
const answers = vi.fn<(what: string) => void>()
let place: HTMLElement
beforeEach(() => {
  place = document.body.appendChild(document.createElement('div'))
  place.innerHTML = `
    <button type="button" id="save" aria-label="Save Oud">Save</button>
    <button type="button" id="buy">Buy for <b>RM 45</b></button>
    <label><input type="checkbox" id="box" /> Dark</label>
    <a href="#elsewhere" id="link">Elsewhere</a>
    <form id="search" action="/products"><input name="search" /><button type="submit">Search</button></form>
    <form id="bid"><input name="amount" value="75" /><button type="submit">Place Bid</button></form>`
  // biome-ignore lint/security/noGlobalEval: that is how a browser runs a script that is no module
  globalThis.eval(script)
})
afterEach(() => {
  window.earlyPress?.takeOver()
  place.remove()
  answers.mockClear()
})

const at = (id: string) => place.querySelector(`#${id}`) as HTMLElement
/** As the app does: it answers from now on. */
function takeOver(): void {
  window.earlyPress?.takeOver()
  for (const type of ['click', 'keydown', 'submit', 'change']) {
    place.addEventListener(type, (event) =>
      answers([type, (event.target as HTMLElement).id, (event as KeyboardEvent).key].filter(Boolean).join(' ')),
    )
  }
  window.earlyPress?.repeat()
}
const heard = () => answers.mock.calls.map(([what]) => what)

describe('what was pressed before the app is at work', () => {
  it('is repeated once, the last of all, and shows meanwhile that it was pressed', () => {
    at('buy').click()
    at('save').click()
    at('save').click()
    expect([...place.querySelectorAll('[data-early-press]')]).toEqual([at('save')])
    takeOver()
    window.earlyPress?.repeat()
    expect(heard()).toEqual(['click save'])
    expect(place.querySelectorAll('[data-early-press]')).toHaveLength(0)
  })

  it('may be an arrow key', () => {
    at('save').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
    at('save').dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }))
    takeOver()
    expect(heard()).toEqual(['keydown save ArrowRight'])
  })

  it('ticks a box once', () => {
    at('box').click()
    expect(at('box')).not.toBeChecked()
    takeOver()
    expect(at('box')).toBeChecked()
    expect(heard().filter((what) => what.startsWith('change'))).toEqual(['change box'])
  })

  it.each([
    ['costs something else by now', () => at('buy').replaceChildren('Buy for RM 50')],
    ['does the opposite by now', () => at('buy').setAttribute('aria-label', 'Remove')],
    ['is gone', () => at('buy').remove()],
  ])('is not repeated when it %s', (_what, change) => {
    at('buy').click()
    change()
    takeOver()
    expect(heard()).toEqual([])
  })

  it('is forgotten when somebody goes elsewhere after it', () => {
    at('save').click()
    at('link').click()
    takeOver()
    expect(heard()).toEqual([])
  })
})

describe('a form that is sent before the app is at work', () => {
  const isSent = (id: string) => at(id).dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))

  it('goes where its address says, and nowhere without one, nor later', () => {
    expect([isSent('search'), isSent('bid')]).toEqual([true, false])
    ;(at('bid').querySelector('button') as HTMLElement).click()
    takeOver()
    expect(heard()).toEqual([])
  })
})
