import type { BidOperation, Sighting } from './history.ts'

/** Everything that bidders and watchers of one run noted. */
export class Recorder {
  readonly operations: BidOperation[] = []
  readonly sightings: Sighting[] = []
}
