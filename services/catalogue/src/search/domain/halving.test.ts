import { expect, it } from 'vitest'
import { countBefore } from './halving.ts'

it('counts the places before something, however many there are', () => {
  for (let places = 0; places <= 33; places += 1) {
    for (let before = 0; before <= places; before += 1) {
      const asked: number[] = []
      const count = countBefore(places, (place) => {
        asked.push(place)
        return place < before
      })
      expect(count).toBe(before)
      expect(asked.every((place) => place >= 0 && place < places)).toBe(true)
      expect(asked.length).toBeLessThanOrEqual(6)
    }
  }
})
