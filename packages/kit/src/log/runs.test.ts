import type { Envelope } from '@wangian/contracts/envelope.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from './runs.ts'

const eventsOf = (places: readonly (readonly [stream: string, type: string])[]): Envelope[] =>
  places.map(([stream, type], index) => ({ id: `${index}`, stream, type }) as Envelope)

const shown = (events: readonly Envelope[]) =>
  runsOf(events).map(({ type, ofType }) => `${type} of ${ofType.map(({ stream }) => stream).join('')}`)

describe('the runs of a batch', () => {
  it('take the events of a type together, over all streams', () => {
    const opened = ['a', 'b', 'c'].flatMap((stream) => [[stream, 'Opened'] as const, [stream, 'Bid'] as const])
    expect(shown(eventsOf([...opened, ['a', 'Bid'], ['d', 'Opened']]))).toEqual(['Opened of abcd', 'Bid of abca'])
  })

  it('begin anew where an event would come before an earlier one of its stream', () => {
    const places = [
      ['a', 'Listed'],
      ['b', 'Listed'],
      ['a', 'Removed'],
      ['a', 'Listed'],
      ['b', 'Removed'],
      ['c', 'Listed'],
    ] as const
    expect(shown(eventsOf(places))).toEqual(['Listed of ab', 'Removed of ab', 'Listed of ac'])
  })

  it('hold every event once, and those of a stream in their order', () => {
    const place = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('Listed', 'Revised', 'Removed'))
    fc.assert(
      fc.property(fc.array(place, { maxLength: 40 }), (places) => {
        const events = eventsOf(places)
        const handled = runsOf(events).flatMap(({ type, ofType }) => {
          expect(ofType.every((event) => event.type === type)).toBe(true)
          return ofType
        })
        expect(handled).toHaveLength(events.length)
        for (const stream of ['a', 'b', 'c']) {
          expect(handled.filter((event) => event.stream === stream)).toEqual(
            events.filter((event) => event.stream === stream),
          )
        }
      }),
    )
  })
})
