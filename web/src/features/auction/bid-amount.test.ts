import { act, renderHook } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { parseAmount, stepUp, useBidField } from './bid-amount.ts'

describe('what a person types', () => {
  it.each([
    ['55', 55],
    [' 55.10 ', 55.1],
    ['0', 0],
    ['', null],
    ['fifty', null],
    ['55.005', null],
    ['-1', null],
    ['1e99', null],
  ])('%j is %s', (typed, amount) => {
    expect(parseAmount(typed)).toBe(amount)
  })
})

describe('a step', () => {
  it('is added to what the field says, to the sen', () => {
    expect(stepUp('55.10', 55, 0.1, 1)).toBe(55.2)
    expect(stepUp('60', 55, 5, 2)).toBe(70)
  })

  it('starts from the minimum where the field says less, or nothing', () => {
    expect(stepUp('50', 55, 5, 1)).toBe(60)
    expect(stepUp('', 55, 5, 5)).toBe(80)
  })
})

describe('the bid field', () => {
  const open = () => renderHook(({ minimum }) => useBidField(minimum, 5), { initialProps: { minimum: 55 } })

  it('follows the minimum until somebody types', () => {
    const { result, rerender } = open()
    expect(result.current.text).toBe('55.00')
    rerender({ minimum: 60 })
    expect(result.current.text).toBe('60.00')
    act(() => result.current.type('100'))
    rerender({ minimum: 65 })
    expect(result.current.text).toBe('100')
    expect(result.current.isOvertaken).toBe(false)
  })

  it('says when what was typed is not enough any more, and only then', () => {
    const { result, rerender } = open()
    act(() => result.current.type('5'))
    expect(result.current.isOvertaken).toBe(false)
    act(() => result.current.type('57'))
    rerender({ minimum: 60 })
    expect(result.current).toMatchObject({ text: '57', isOvertaken: true })
    act(() => result.current.reset())
    expect(result.current).toMatchObject({ text: '60.00', isOvertaken: false })
  })

  it('stays empty when it was emptied', () => {
    const { result, rerender } = open()
    act(() => result.current.type(''))
    rerender({ minimum: 60 })
    expect(result.current).toMatchObject({ text: '', isOvertaken: false })
  })

  it('has just moved for a moment after it moved by itself, and not after somebody typed', () => {
    vi.useFakeTimers()
    const { result, rerender } = open()
    expect(result.current.hasJustMoved()).toBe(false)
    rerender({ minimum: 60 })
    expect(result.current.hasJustMoved()).toBe(true)
    vi.advanceTimersByTime(700)
    expect(result.current.hasJustMoved()).toBe(false)
    rerender({ minimum: 65 })
    act(() => result.current.type('100'))
    expect(result.current.hasJustMoved()).toBe(false)
    rerender({ minimum: 110 })
    act(() => result.current.reset())
    vi.advanceTimersByTime(700)
    act(() => result.current.type('100'))
    act(() => result.current.reset())
    expect(result.current).toMatchObject({ text: '110.00' })
    expect(result.current.hasJustMoved()).toBe(false)
    vi.useRealTimers()
  })

  it('stays as it is for a second after its bid was accepted', () => {
    vi.useFakeTimers()
    const { result, rerender } = open()
    act(() => result.current.settle())
    rerender({ minimum: 60 })
    expect(result.current).toMatchObject({ text: '55.00', isSettling: true, isOvertaken: false })
    act(() => vi.advanceTimersByTime(1_000))
    expect(result.current).toMatchObject({ text: '60.00', isSettling: false })
    vi.useRealTimers()
  })

  it('keeps what was stepped to', () => {
    const { result, rerender } = open()
    act(() => result.current.step(2))
    rerender({ minimum: 60 })
    expect(result.current.text).toBe('65.00')
  })
})
