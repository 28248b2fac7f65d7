import { type Corner, curvedOutline, type Point, roundedOutline } from './geometry.ts'

/** How a body is cut across: it decides how light and liquid lie in it. */
export type Section = 'flat' | 'round' | 'facet'

export interface Silhouette {
  readonly section: Section
  /** The right half, from the mouth down to the base, in pixels. */
  readonly outline: readonly Point[]
  readonly neckHalf: number
  /** Where a label sits best: its centre and the room it has. */
  readonly label: { readonly y: number; readonly width: number; readonly height: number }
  /** Glass is thicker below the liquid in heavy bottles. */
  readonly baseThickness: number
  /** The hollow inside, where it does not follow the outline. */
  readonly cavity?: readonly Point[]
  /** Edges between facets, as lines on the right half that are mirrored. */
  readonly edges?: readonly (readonly Point[])[]
  /** Vertical ribs across the body. */
  readonly ribs?: number
  /** Heights at which a band of metal goes round. */
  readonly bands?: readonly number[]
}

const at = (x: number, y: number): Point => ({ x, y })
const corner = (x: number, y: number, r = 0): Corner => ({ x, y, r })

export const silhouettes = {
  slab: {
    section: 'flat',
    outline: roundedOutline([
      corner(48, 0),
      corner(48, 26, 12),
      corner(176, 30, 30),
      corner(176, 520, 22),
      corner(0, 520),
    ]),
    neckHalf: 48,
    label: { y: 275, width: 230, height: 190 },
    baseThickness: 40,
  },
  cube: {
    section: 'facet',
    outline: roundedOutline([
      corner(52, 0),
      corner(52, 22, 8),
      corner(178, 24, 6),
      corner(218, 66, 6),
      corner(218, 372, 6),
      corner(178, 414, 6),
      corner(0, 414),
    ]),
    neckHalf: 52,
    label: { y: 222, width: 250, height: 160 },
    baseThickness: 46,
    edges: [
      [at(0, 66), at(172, 66), at(172, 368), at(0, 368)],
      [at(172, 66), at(198, 44)],
      [at(172, 368), at(198, 393)],
    ],
  },
  cylinder: {
    section: 'round',
    outline: roundedOutline([
      corner(58, 0),
      corner(58, 26, 12),
      corner(156, 34, 34),
      corner(156, 520, 26),
      corner(0, 520),
    ]),
    neckHalf: 58,
    label: { y: 290, width: 232, height: 200 },
    baseThickness: 34,
  },
  apothecary: {
    section: 'round',
    outline: curvedOutline(at(66, 0), [
      [at(66, 30), at(66, 40), at(72, 52)],
      [at(112, 66), at(172, 84), at(172, 176)],
      [at(172, 280), at(172, 360), at(172, 442)],
      [at(172, 470), at(164, 478), at(136, 478)],
      [at(100, 478), at(50, 478), at(0, 478)],
    ]),
    neckHalf: 66,
    label: { y: 300, width: 250, height: 180 },
    baseThickness: 30,
  },
  flask: {
    section: 'flat',
    outline: curvedOutline(at(44, 0), [
      [at(44, 26), at(46, 34), at(62, 42)],
      [at(130, 52), at(216, 66), at(216, 148)],
      [at(216, 250), at(170, 380), at(158, 462)],
      [at(154, 492), at(146, 500), at(118, 500)],
      [at(80, 500), at(40, 500), at(0, 500)],
    ]),
    neckHalf: 44,
    label: { y: 236, width: 246, height: 170 },
    baseThickness: 48,
  },
  orb: {
    section: 'round',
    outline: curvedOutline(at(46, 0), [
      [at(46, 18), at(50, 30), at(74, 38)],
      [at(172, 66), at(232, 138), at(232, 226)],
      [at(232, 320), at(178, 402), at(96, 420)],
      [at(70, 424), at(30, 424), at(0, 424)],
    ]),
    neckHalf: 46,
    label: { y: 226, width: 280, height: 150 },
    baseThickness: 44,
  },
  drop: {
    section: 'round',
    outline: curvedOutline(at(38, 0), [
      [at(38, 60), at(48, 104), at(78, 160)],
      [at(116, 226), at(202, 290), at(202, 392)],
      [at(202, 482), at(160, 534), at(92, 540)],
      [at(60, 542), at(30, 542), at(0, 542)],
    ]),
    neckHalf: 38,
    label: { y: 386, width: 244, height: 150 },
    baseThickness: 46,
  },
  gem: {
    section: 'facet',
    outline: roundedOutline([
      corner(46, 0),
      corner(46, 24, 6),
      corner(132, 44, 8),
      corner(212, 168, 6),
      corner(196, 330, 6),
      corner(118, 468, 8),
      corner(0, 468),
    ]),
    neckHalf: 46,
    label: { y: 246, width: 210, height: 130 },
    baseThickness: 56,
    edges: [
      [at(60, 44), at(120, 164), at(108, 330), at(60, 468)],
      [at(212, 168), at(120, 164), at(0, 164)],
      [at(196, 330), at(108, 330), at(0, 330)],
      [at(132, 44), at(120, 164)],
      [at(118, 468), at(108, 330)],
    ],
  },
  hourglass: {
    section: 'round',
    outline: curvedOutline(at(42, 0), [
      [at(42, 24), at(46, 36), at(70, 42)],
      [at(128, 52), at(170, 74), at(170, 132)],
      [at(170, 200), at(118, 226), at(118, 284)],
      [at(118, 350), at(186, 372), at(186, 446)],
      [at(186, 506), at(168, 530), at(126, 530)],
      [at(80, 530), at(40, 530), at(0, 530)],
    ]),
    neckHalf: 42,
    label: { y: 430, width: 226, height: 120 },
    baseThickness: 40,
  },
  amphora: {
    section: 'round',
    outline: curvedOutline(at(40, 0), [
      [at(40, 30), at(36, 56), at(48, 76)],
      [at(78, 106), at(208, 120), at(208, 246)],
      [at(208, 356), at(96, 384), at(84, 442)],
      [at(80, 464), at(120, 470), at(132, 492)],
      [at(136, 502), at(132, 508), at(122, 508)],
      [at(80, 508), at(40, 508), at(0, 508)],
    ]),
    neckHalf: 40,
    label: { y: 242, width: 268, height: 150 },
    baseThickness: 92,
    // The foot is solid.
    cavity: curvedOutline(at(32, 8), [
      [at(32, 36), at(30, 62), at(44, 86)],
      [at(72, 118), at(190, 132), at(190, 246)],
      [at(190, 336), at(110, 372), at(60, 404)],
      [at(40, 416), at(20, 418), at(0, 418)],
    ]),
    bands: [58, 438],
  },
  arch: {
    section: 'flat',
    outline: curvedOutline(at(40, 0), [
      [at(40, 22), at(40, 34), at(52, 46)],
      [at(80, 74), at(146, 84), at(180, 150)],
      [at(196, 184), at(196, 230), at(196, 270)],
      [at(196, 350), at(196, 420), at(196, 484)],
      [at(196, 502), at(190, 508), at(172, 508)],
      [at(120, 508), at(60, 508), at(0, 508)],
    ]),
    neckHalf: 40,
    label: { y: 318, width: 254, height: 190 },
    baseThickness: 42,
    edges: [[at(0, 76), at(70, 112), at(140, 150), at(162, 208), at(166, 270), at(166, 452), at(0, 452)]],
  },
  bell: {
    section: 'flat',
    outline: roundedOutline([
      corner(44, 0),
      corner(44, 26, 14),
      corner(124, 32, 40),
      corner(214, 486, 34),
      corner(0, 486),
    ]),
    neckHalf: 44,
    label: { y: 306, width: 230, height: 180 },
    baseThickness: 50,
  },
  pebble: {
    section: 'flat',
    outline: curvedOutline(at(40, 0), [
      [at(40, 16), at(48, 22), at(80, 28)],
      [at(196, 46), at(258, 124), at(258, 212)],
      [at(258, 312), at(190, 384), at(92, 396)],
      [at(60, 398), at(30, 398), at(0, 398)],
    ]),
    neckHalf: 40,
    label: { y: 214, width: 310, height: 140 },
    baseThickness: 44,
  },
  fluted: {
    section: 'round',
    outline: roundedOutline([
      corner(54, 0),
      corner(54, 24, 10),
      corner(120, 28, 12),
      corner(164, 64, 20),
      corner(164, 476, 14),
      corner(172, 500, 8),
      corner(166, 516, 6),
      corner(0, 516),
    ]),
    neckHalf: 54,
    label: { y: 276, width: 220, height: 150 },
    baseThickness: 44,
    ribs: 15,
  },
  column: {
    section: 'round',
    outline: roundedOutline([
      corner(50, 0),
      corner(50, 20, 8),
      corner(116, 24, 20),
      corner(116, 584, 20),
      corner(0, 584),
    ]),
    neckHalf: 50,
    label: { y: 316, width: 176, height: 230 },
    baseThickness: 46,
  },
  shield: {
    section: 'facet',
    outline: roundedOutline([
      corner(46, 0),
      corner(46, 22, 8),
      corner(168, 26, 10),
      corner(220, 88, 16),
      corner(160, 486, 14),
      corner(0, 486),
    ]),
    neckHalf: 46,
    label: { y: 226, width: 232, height: 150 },
    baseThickness: 62,
    edges: [
      [at(120, 26), at(176, 92), at(124, 486)],
      [at(176, 92), at(220, 88)],
      [at(0, 92), at(176, 92)],
    ],
  },
} as const satisfies Record<string, Silhouette>

export type ShapeName = keyof typeof silhouettes
export const shapeNames = Object.keys(silhouettes) as [ShapeName, ...ShapeName[]]
