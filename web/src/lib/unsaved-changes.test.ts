import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenForBack } from './going-back.ts'
import { type Departure, depart, holdDepartures } from './unsaved-changes.ts'

listenForBack()

const arrived = vi.fn()
const searched = vi.fn()
let held: Departure[]
let stop: () => void

/** A router's part: it follows every click that nobody has prevented. */
function follow(event: Event): void {
  if (event.defaultPrevented) return
  event.preventDefault()
  if (event.type === 'submit') searched()
  else arrived((event.target as HTMLElement).closest('a')?.getAttribute('href'))
}

beforeEach(() => {
  arrived.mockClear()
  searched.mockClear()
  window.history.replaceState(null, '', '/account/settings')
  document.body.innerHTML = `
    <a id="other" href="/products"><b>Products</b></a><a id="tab" href="/products" target="_blank">New tab</a>
    <a id="place" href="#content">Skip</a><a id="mail" href="mailto:help@wangian.test">Mail</a>
    <form role="search"></form><form id="own"></form>`
  document.body.onclick = follow
  document.body.onsubmit = follow
  held = []
  stop = holdDepartures((departure) => held.push(departure))
})
afterEach(() => {
  stop()
  document.body.onclick = null
  document.body.onsubmit = null
})

const click = (selector: string, init: MouseEventInit = {}) =>
  document.querySelector(selector)?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...init }))
const submit = (selector: string) =>
  document.querySelector(selector)?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))

describe('with something unsaved', () => {
  it('is held up again once something else that was unsaved is settled', () => {
    const stopOther = holdDepartures(() => {})
    stopOther()
    depart(arrived)
    expect(arrived).not.toHaveBeenCalled()
    expect(held).toHaveLength(1)
    window.history.replaceState(null, '', '/products')
    window.dispatchEvent(new PopStateEvent('popstate'))
    expect(held).toHaveLength(2)
  })

  it.each([
    ['a link', () => click('#other b'), arrived],
    ['a search', () => submit('[role=search]'), searched],
    ['a button', () => depart(arrived), arrived],
  ])('asks of %s once for each, and of what came last first', (_, leave, left) => {
    const asked: Departure[] = []
    const stopOther = holdDepartures((departure) => asked.push(departure))
    leave()
    expect([asked.length, held.length]).toEqual([1, 0])
    asked[0]?.()
    expect([asked.length, held.length]).toEqual([1, 1])
    expect(left).not.toHaveBeenCalled()
    held[0]?.()
    expect(left).toHaveBeenCalledOnce()
    stopOther()
  })

  it('holds up a link, and lets it go on when told to', () => {
    click('#other b')
    expect(arrived).not.toHaveBeenCalled()
    expect(held).toHaveLength(1)
    held[0]?.()
    expect(arrived).toHaveBeenCalledExactlyOnceWith('/products')
    expect(held).toHaveLength(1)
  })

  it.each([
    ['another tab', '#tab', {}],
    ['a place on this page', '#place', {}],
    ['a mail', '#mail', {}],
    ['another tab by key', '#other', { ctrlKey: true }],
  ])('does not mind %s', (_, selector, init) => {
    click(selector, init)
    expect(held).toHaveLength(0)
    expect(arrived).toHaveBeenCalledOnce()
  })

  it('holds up a search and no other form', () => {
    submit('#own')
    expect(searched).toHaveBeenCalledOnce()
    submit('[role=search]')
    expect(searched).toHaveBeenCalledOnce()
    expect(held).toHaveLength(1)
  })

  it('holds up a button that goes to another page', () => {
    depart(arrived)
    expect(arrived).not.toHaveBeenCalled()
    held[0]?.()
    expect(arrived).toHaveBeenCalledOnce()
    depart(arrived)
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(held).toHaveLength(1)
  })

  it('holds up going back, and stays where it is', () => {
    const router = vi.fn()
    window.addEventListener('popstate', router)
    window.history.replaceState(null, '', '/products')
    window.dispatchEvent(new PopStateEvent('popstate'))
    expect(router).not.toHaveBeenCalled()
    expect(window.location.pathname).toBe('/account/settings')
    expect(held).toHaveLength(1)
    window.removeEventListener('popstate', router)
  })

  it('lets the browser ask before the tab is closed', () => {
    const event = new Event('beforeunload', { cancelable: true })
    window.dispatchEvent(event)
    expect(event.defaultPrevented).toBe(true)
  })
})

describe('when everything is saved', () => {
  it('holds up nothing', () => {
    stop()
    click('#other')
    depart(arrived)
    const event = new Event('beforeunload', { cancelable: true })
    window.dispatchEvent(event)
    expect(event.defaultPrevented).toBe(false)
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(held).toHaveLength(0)
  })
})
