import { describe, expect, it } from 'vitest'
import { usernameIdeas } from './usernames.ts'

const ideas = (firstName: string | null, lastName: string | null, wanted?: unknown) =>
  usernameIdeas({ firstName, lastName, wanted })

describe('the usernames to try', () => {
  it('begin with the name, then have numbers', () => {
    expect(ideas('José', 'Núñez')).toEqual([
      'jose.nunez',
      'jose.nunez2',
      'jose.nunez3',
      'jose.nunez4',
      expect.stringMatching(/^jose\.nunez-\d{5}$/),
    ])
  })

  it('begin with what was wished, as it is written', () => {
    expect(ideas('José', null, 'Perfume_King')[0]).toBe('Perfume_King')
    expect(ideas('José', null, 'no spaces allowed')[0]).toBe('jose')
    expect(ideas('José', null, 42)[0]).toBe('jose')
  })

  it.each([
    ["Nur'ul Huda", 'binti Abdullah', 'nurul.huda.binti.abdulla'],
    [' . Mei ', null, 'mei'],
    ['Mei', '李', 'mei'],
    ['J', 'K', 'j.k'],
  ])('of %s %s begin with %s', (firstName, lastName, first) => {
    expect(ideas(firstName, lastName)[0]).toBe(first)
  })

  it.each([
    [null, null],
    ['李', '明'],
    ['J', null],
    ['', '!?'],
  ])('of %s %s are none', (firstName, lastName) => {
    expect(ideas(firstName, lastName)).toEqual([])
  })

  it('are never too long', () => {
    for (const idea of ideas('x'.repeat(100), null, 'y'.repeat(30))) expect(idea.length).toBeLessThanOrEqual(30)
  })
})
