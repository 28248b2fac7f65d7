import { auctionRoutes } from '@wangian/contracts/auction.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { ApiError, isApiError } from '../../api/api-error.ts'
import { appToken } from '../../api/app-token.ts'
import { type AnswerOf, call, type InputOf, upload } from '../../api/client.ts'
import { cutTo } from '../../lib/cut.ts'
import { invariant } from '../../lib/invariant.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { noProgress, type Progress } from './draft-store.ts'
import type { AuctionBody, Listing, ProductBody } from './listing-rules.ts'
import { savedAuctionOf, savedProductOf } from './listing-values.ts'
import type { FilePicture, ListingPicture } from './pictures.ts'

/** What a listing is to be. */
export interface Plan {
  readonly sellerId: number
  readonly listing: Listing
  readonly pictures: readonly ListingPicture[]
  /** The pictures that the server had when the form was opened, in their order. */
  readonly knownImageIds: readonly number[]
  /** The product is made here, and not one that was there before. */
  readonly makesProduct: boolean
  /** New listings get their pictures before their auction, so that nobody sees it without; changes are saved at once. */
  readonly picturesFirst: boolean
  /** Of a listing with bids nothing but the description is sent. */
  readonly isFrozen: boolean
}

export type StepKind = 'product' | 'remove' | 'picture' | 'arrange' | 'auction'

/** One thing that has to be done. `key` is that of the picture, otherwise the kind. */
export interface Step {
  readonly kind: StepKind
  readonly key: string
  /** Of a picture, from 1. */
  readonly number: number
}

export type StepState =
  | { readonly status: 'waiting' | 'retrying' | 'done' }
  /** `part` of a file is on its way. */
  | { readonly status: 'running'; readonly part: number | null }
  | { readonly status: 'failed'; readonly error: unknown; readonly stage: 'register' | 'upload' | null }

/** What a listing under way is told to. */
export interface Ports {
  readonly tell: (step: Step, state: StepState) => void
  /** Keeps how far it has come, before anything else is done. */
  readonly save: (progress: Progress) => void
  /** Until it is worth another try. */
  readonly wait: (ms: number) => Promise<void>
}

export type Outcome =
  /** Everything is there but what could not be done to pictures. */
  | {
      readonly kind: 'done'
      readonly progress: Progress
      readonly productId: number
      readonly failures: readonly Failure[]
      /** Pictures that are still to be sent. */
      readonly missingCount: number
    }
  /** The product or its auction was refused, or could not be reached, or whoever began is not signed in any more. What was done before is kept. */
  | {
      readonly kind: 'stopped'
      readonly progress: Progress
      readonly failure: Failure
      readonly wasNew: boolean
      /** What was made here before was deleted since: the next try makes another one, with pictures of its own. */
      readonly isGone: boolean
    }

export interface Failure {
  readonly step: Step
  readonly error: unknown
  readonly stage: 'register' | 'upload' | null
}

/** In another tab somebody else has signed in since the listing was begun. */
export class AnotherPersonError extends Error {
  override readonly name = 'AnotherPersonError'
}

/** Whoever began is not taken for signed in any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

const retryDelaysMs = [1_000, 3_000] as const

/** What is left to do, in its order. */
export function stepsOf(plan: Plan, progress: Progress): readonly Step[] {
  const step = (kind: StepKind): Step => ({ kind, key: kind, number: 0 })
  const pictures = [
    ...(imagesToRemove(plan, progress).length > 0 ? [step('remove')] : []),
    ...plan.pictures.flatMap((picture, place) =>
      picture.kind === 'file' && !progress.images[picture.key]?.isUploaded
        ? [{ kind: 'picture' as const, key: picture.key, number: place + 1 }]
        : [],
    ),
    ...(needsArranging(plan, progress) ? [step('arrange')] : []),
  ]
  const auction = needsAuction(plan, progress) ? [step('auction')] : []
  return [
    ...(changedProduct(plan, progress) ? [step('product')] : []),
    ...(plan.picturesFirst ? [...pictures, ...auction] : [...auction, ...pictures]),
  ]
}

/**
 * Makes a listing what it is to be, step by step. Every step is safe to repeat, and what is done already is not done again: after a
 * failure or a closed page, the same call with the kept progress goes on. `onlyPicture` leaves the other missing ones alone.
 */
export async function publish(plan: Plan, before: Progress, ports: Ports, onlyPicture?: string): Promise<Outcome> {
  let progress = before
  const save = (changes: Partial<Progress>) => {
    progress = { ...progress, ...changes }
    ports.save(progress)
  }
  const failures: Failure[] = []
  for (const step of stepsOf(plan, before)) {
    if (step.kind === 'picture' && onlyPicture !== undefined && step.key !== onlyPicture) continue
    const wasNew = step.kind === 'auction' ? progress.auctionId === null : progress.productId === null
    try {
      await retrying(step, ports, () => take(step, plan, () => progress, save, ports))
      ports.tell(step, { status: 'done' })
    } catch (error) {
      const failure = { step, error: reasonOf(error), stage: error instanceof PictureFailure ? error.stage : null }
      ports.tell(step, { status: 'failed', ...failure })
      const isGone = plan.makesProduct && isApiError(failure.error, 'product-not-found')
      if (isGone) save(noProgress())
      const isOver = isGone || failure.error instanceof AnotherPersonError || isSignedOut(failure.error)
      if (isOver || step.kind === 'product' || step.kind === 'auction') {
        return { kind: 'stopped', progress, failure, wasNew, isGone }
      }
      failures.push(failure)
    }
  }
  const missingCount = stepsOf(plan, progress).filter(({ kind }) => kind === 'picture').length
  return { kind: 'done', progress, productId: knownId(progress), failures, missingCount }
}

async function take(
  step: Step,
  plan: Plan,
  progress: () => Progress,
  save: (changes: Partial<Progress>) => void,
  ports: Ports,
): Promise<void> {
  switch (step.kind) {
    case 'product':
      return await saveProduct(plan, progress, save)
    case 'remove':
      return await removeImages(plan, progress(), save)
    case 'picture': {
      const place = step.number - 1
      const picture = plan.pictures[place]
      if (picture?.kind !== 'file') return
      const tell = (part: number | null) => ports.tell(step, { status: 'running', part })
      return await sendPicture(plan, picture, place, progress, save, tell)
    }
    case 'arrange':
      return await arrangeImages(plan, progress())
    case 'auction':
      return await saveAuction(plan, progress, save)
    default:
      return step.kind satisfies never
  }
}

/** Another try, a little later, after whatever may pass: no answer, or none at the moment. */
async function retrying(step: Step, ports: Ports, work: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    ports.tell(step, { status: 'running', part: null })
    try {
      return await work()
    } catch (error) {
      const delayMs = retryDelaysMs[tries]
      if (delayMs === undefined || !mayPass(reasonOf(error))) throw error
      ports.tell(step, { status: 'retrying' })
      await ports.wait(delayMs)
    }
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502)
}

async function saveProduct(
  plan: Plan,
  progress: () => Progress,
  save: (changes: Partial<Progress>) => void,
): Promise<void> {
  const { sellerId, listing } = plan
  if (progress().productId === null) {
    const { requestKey } = progress()
    const made = await callAs(sellerId, sellingRoutes.createProduct, {
      body: { ...listing.product, sellerId, requestKey },
    })
    // An earlier try may have made it without our hearing of it, and the form have changed since.
    save({ productId: made.id, savedProduct: savedProductOf(made) })
  }
  const changes = changedProduct(plan, progress())
  if (changes === null) return
  const params = { productId: knownId(progress()) }
  await callAs(sellerId, sellingRoutes.updateProduct, { params, body: { ...changes, sellerId } })
  save({ savedProduct: plan.isFrozen ? { ...requireSaved(progress()), ...changes } : listing.product })
}

/** What of a product differs from what the server has; `null` when nothing does. */
function changedProduct({ listing, isFrozen }: Plan, { savedProduct }: Progress): Partial<ProductBody> | null {
  const { product } = listing
  if (savedProduct === null) return product
  const names = (Object.keys(product) as (keyof ProductBody)[]).filter(
    (name) => product[name] !== savedProduct[name] && (!isFrozen || name === 'description'),
  )
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, product[name]])) : null
}

class PictureFailure extends Error {
  readonly stage: 'register' | 'upload'
  constructor(stage: 'register' | 'upload', cause: unknown) {
    super(`${stage} failed`, { cause })
    this.stage = stage
  }
}

function reasonOf(error: unknown): unknown {
  return error instanceof PictureFailure ? error.cause : error
}

async function sendPicture(
  { sellerId }: Plan,
  picture: FilePicture,
  place: number,
  progress: () => Progress,
  save: (changes: Partial<Progress>) => void,
  tell: (part: number) => void,
): Promise<void> {
  const remember = (image: Progress['images'][string] | null) => {
    const { [picture.key]: _, ...others } = progress().images
    save({ images: image ? { ...others, [picture.key]: image } : others })
  }
  for (let isAgain = false; ; isAgain = true) {
    if (!progress().images[picture.key]) {
      const body = {
        productId: knownId(progress()),
        imageUrl: picture.key,
        imageOrder: place,
        imageName: nameOf(picture),
      }
      const image = await orStage('register', callAs(sellerId, sellingRoutes.registerImage, { body }))
      remember({ imageId: image.id, place, isUploaded: false })
    }
    const known = progress().images[picture.key]
    if (!known) return
    try {
      await orStage('upload', uploadFile(sellerId, picture, known.imageId, tell))
    } catch (error) {
      // Announced too long ago: it is announced again, once.
      if (!isApiError(reasonOf(error), 'not-found')) throw error
      remember(null)
      if (isAgain) throw error
      continue
    }
    remember({ ...known, isUploaded: true })
    return
  }
}

async function uploadFile(
  sellerId: number,
  { file }: FilePicture,
  imageId: number,
  onProgress: (part: number) => void,
): Promise<void> {
  requireStill(sellerId)
  const form = new FormData()
  form.set('image', file)
  try {
    await upload(sellingRoutes.uploadImage, { params: { imageId } }, form, { onProgress })
  } catch (error) {
    // The answer to an earlier try was lost.
    if (!isApiError(error, 'image-already-uploaded')) throw error
  }
}

/** A name may be longer than what is kept of it. Half a sign at its end would be refused. */
function nameOf({ file }: FilePicture): string {
  return cutTo(file.name, 255)
}

async function orStage<Result>(stage: 'register' | 'upload', work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new PictureFailure(stage, error)
  }
}

/** Those that the server has, or waits for, and the form has no more. */
function imagesToRemove({ pictures, knownImageIds }: Plan, { images }: Progress): readonly number[] {
  const kept = new Set(
    pictures.flatMap((picture) => (picture.kind === 'kept' ? [picture.imageId] : (images[picture.key]?.imageId ?? []))),
  )
  const keys = new Set(pictures.map(({ key }) => key))
  return [
    ...knownImageIds.filter((imageId) => !kept.has(imageId)),
    ...Object.entries(images).flatMap(([key, { imageId }]) => (keys.has(key) ? [] : [imageId])),
  ]
}

async function removeImages(plan: Plan, progress: Progress, save: (changes: Partial<Progress>) => void): Promise<void> {
  const productId = knownId(progress)
  for (const imageId of imagesToRemove(plan, progress)) {
    try {
      await callAs(plan.sellerId, sellingRoutes.deleteImage, {
        params: { productId, imageId },
        query: { sellerId: plan.sellerId },
      })
    } catch (error) {
      if (!isApiError(error, 'not-found')) throw error
    }
  }
  const keys = new Set(plan.pictures.map(({ key }) => key))
  save({ images: Object.fromEntries(Object.entries(progress.images).filter(([key]) => keys.has(key))) })
}

/** New pictures are registered for their places: they are arranged only among others, or when they were moved since. */
function needsArranging({ pictures, knownImageIds }: Plan, { images }: Progress): boolean {
  const keptIds = pictures.flatMap((picture) => (picture.kind === 'kept' ? [picture.imageId] : []))
  if (keptIds.length > 0) {
    const before = knownImageIds.filter((imageId) => keptIds.includes(imageId))
    return keptIds.length < pictures.length || before.some((imageId, place) => imageId !== keptIds[place])
  }
  return pictures.some(({ key }, place) => {
    const known = images[key]
    return known !== undefined && known.place !== place
  })
}

async function arrangeImages({ pictures, sellerId }: Plan, progress: Progress): Promise<void> {
  const imageIds = pictures.flatMap((picture) => {
    if (picture.kind === 'kept') return [picture.imageId]
    const known = progress.images[picture.key]
    return known?.isUploaded ? [known.imageId] : []
  })
  const params = { productId: knownId(progress) }
  if (imageIds.length > 1) await callAs(sellerId, sellingRoutes.orderImages, { params, body: { imageIds, sellerId } })
}

function needsAuction({ listing: { auction } }: Plan, { auctionId, savedAuction }: Progress): boolean {
  return auction !== null && (auctionId === null || savedAuction === null || !isSameAuction(auction, savedAuction))
}

function isSameAuction(one: AuctionBody, other: AuctionBody): boolean {
  const amounts = ['startingPrice', 'reservePrice', 'buyNowPrice', 'bidIncrement'] as const
  const instants = ['startsAt', 'endsAt'] as const
  return (
    amounts.every((name) => one[name] === other[name]) &&
    instants.every((name) => Date.parse(one[name] ?? '') === Date.parse(other[name] ?? '') || one[name] === other[name])
  )
}

async function saveAuction(
  plan: Plan,
  progress: () => Progress,
  save: (changes: Partial<Progress>) => void,
): Promise<void> {
  const wanted = plan.listing.auction
  if (wanted === null) return
  if (progress().auctionId === null) {
    const productId = knownId(progress())
    try {
      const opened = await callAs(plan.sellerId, auctionRoutes.createAuction, { body: { ...wanted, productId } })
      save({ auctionId: opened.id, savedAuction: wanted })
      return
    } catch (error) {
      if (!isApiError(error, 'auction-exists')) throw error
      await adoptAuction(plan, productId, save)
    }
  }
  const { auctionId, savedAuction } = progress()
  if (auctionId === null || !needsAuction(plan, progress())) return
  const auction = {
    ...wanted,
    // Whoever no longer wants to wait for the start has it start now.
    ...(!wanted.startsAt && savedAuction?.startsAt && { startsAt: new Date(serverNow()).toISOString() }),
  }
  // The product is saved by now, and bottles may have been sold since the form was opened.
  const { stockQuantity: _, ...product } = plan.listing.product
  const body = { auction, product, sellerId: plan.sellerId }
  await callAs(plan.sellerId, auctionRoutes.reviseAuction, { params: { auctionId }, body })
  save({ savedAuction: wanted })
}

/** An earlier try may have opened it without our hearing of it. */
async function adoptAuction(
  { sellerId }: Plan,
  productId: number,
  save: (changes: Partial<Progress>) => void,
): Promise<void> {
  const found = await call(auctionRoutes.getAuctionOfProduct, { params: { productId } }).catch((error: unknown) => {
    // It is being opened at this moment.
    throw isApiError(error, 'auction-not-found') ? new ApiError(503, 'The auction is being opened') : error
  })
  const isOpen = found.status === 'active' || found.status === 'scheduled'
  if (!isOpen || found.sellerId !== sellerId) throw new ApiError(503, 'The auction is being opened')
  save({ auctionId: found.id, savedAuction: savedAuctionOf(found) })
}

/** Calls as the person who began, and as nobody else. @throws AnotherPersonError; ApiError as `call` does */
async function callAs<R extends Route>(sellerId: number, route: R, input: InputOf<R>): Promise<AnswerOf<R>> {
  requireStill(sellerId)
  return await call(route, input)
}

/** Whoever is signed out is refused by the server. @throws AnotherPersonError */
function requireStill(sellerId: number): void {
  const holder = appToken.readHolder()
  if (holder !== null && holder.id !== sellerId) throw new AnotherPersonError('somebody else has signed in')
}

function knownId({ productId }: Progress): number {
  invariant(productId !== null, 'a product is made before anything is added to it')
  return productId
}

function requireSaved({ savedProduct }: Progress): ProductBody {
  invariant(savedProduct !== null, 'a product that has bids was read')
  return savedProduct
}
