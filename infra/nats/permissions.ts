import { auctionRequests } from '@wangian/contracts/auction.ts'
import { boostRequests } from '@wangian/contracts/boost.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { readLogEvents, readLogPage } from '@wangian/contracts/log-pages.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { SESSIONS_REVOKED_SUBJECT } from '@wangian/contracts/revocations.ts'
import { serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import { shopRequests } from '@wangian/contracts/shop.ts'
import {
  appendedSubject,
  eventStreamName,
  eventSubject,
  type LoggingService,
  loggingServices,
  requestSubject,
} from '@wangian/contracts/subjects.ts'

/** Who connects to NATS: each service, the gateway, and the operator's own tools. */
export const natsUsers = [...loggingServices, 'gateway', 'operator'] as const
export type NatsUser = (typeof natsUsers)[number]

export interface Permissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

interface Needs {
  /** What it asks or orders of whom. */
  readonly asks: Readonly<Partial<Record<LoggingService, readonly { readonly name: string }[]>>>
  /** Whose events it hears. */
  readonly hears: readonly LoggingService[]
  readonly publish?: readonly string[]
  readonly subscribe?: readonly string[]
}

const { listRevocations, listEndedSessions, setBanned, setAdministrator, removeFactors, getPayer } = identityRequests
const { findPeople, getPerson, getAdministrator, listReasons } = identityRequests
const aboutPeople = [findPeople, getPerson, getAdministrator, listReasons]
const { getListing, changeListing, getProduct, getProductOfAuction, featureListing } = catalogueRequests
const { getDealTerms, reserveBottle, releaseLot, removeListing, listFavorers } = catalogueRequests
const { sendMessage, markRead, getConversation, startDeal } = messagingRequests
const bids = ['auction.bids.*', 'auction.owner.*']
const auctionCommands = 'auction.command.*'

const aboutServices = Object.values(serviceStatusRequests)

/** Nobody may say more than this, so that what a message says of who acts can be believed. */
const needs: Readonly<Record<Exclude<NatsUser, 'operator'>, Needs>> = {
  identity: {
    asks: { auction: [auctionRequests.listBidders] },
    hears: ['catalogue', 'messaging', 'boost'],
    publish: [SESSIONS_REVOKED_SUBJECT],
  },
  catalogue: {
    asks: {
      identity: [listRevocations],
      auction: [auctionRequests.findOpenAuction, auctionRequests.withdrawAuction],
      messaging: [messagingRequests.getDealStandings],
    },
    hears: ['identity', 'auction', 'messaging'],
  },
  auction: {
    asks: { identity: [listRevocations], catalogue: [getListing, changeListing, getProduct, releaseLot] },
    hears: ['identity', 'catalogue'],
    publish: [auctionCommands, 'auction.live.*', 'auction.released'],
    subscribe: [...bids, auctionCommands, 'auction.released'],
  },
  messaging: {
    asks: {
      identity: [listRevocations, listEndedSessions, getAdministrator],
      catalogue: [getListing, getDealTerms, reserveBottle, listFavorers],
    },
    hears: ['identity', 'catalogue', 'auction', 'messaging'],
    publish: ['user.live.*'],
  },
  boost: {
    asks: { identity: [listRevocations, getPayer, getAdministrator], catalogue: [getListing, featureListing] },
    hears: ['identity', 'boost'],
  },
  admin: {
    asks: {
      ...toEveryService(aboutServices),
      identity: [listRevocations, setBanned, setAdministrator, removeFactors, ...aboutPeople, ...aboutServices],
      catalogue: [removeListing, ...aboutServices],
      messaging: [messagingRequests.moveOrder, messagingRequests.listDecisionReasons, ...aboutServices],
      boost: [boostRequests.listRefundNotes, ...aboutServices],
    },
    hears: ['identity', 'catalogue', 'auction', 'messaging', 'boost'],
  },
  gateway: {
    asks: {
      identity: [listRevocations],
      catalogue: [getProduct, getProductOfAuction, shopRequests.getShop, shopRequests.listShown],
      auction: [auctionRequests.getSnapshot],
      messaging: [sendMessage, markRead, getConversation, startDeal],
    },
    hears: [],
    publish: bids,
    subscribe: ['auction.live.*', 'user.live.*'],
  },
}

function toEveryService(requests: readonly { readonly name: string }[]) {
  return Object.fromEntries(loggingServices.map((service) => [service, requests]))
}

/** What a user may publish and subscribe to. Answers come to an inbox of the user's own. */
export function permissionsOf(user: NatsUser): Permissions {
  if (user === 'operator') return { publish: ['>'], subscribe: ['>'] }
  const { asks, hears, publish = [], subscribe = [] } = needs[user]
  const service = loggingServices.find((name) => name === user)
  const questions = Object.entries(asks).flatMap(([of, requests]) =>
    requests.map(({ name }) => requestSubject(of as LoggingService, name)),
  )
  return {
    publish: [
      ...(service === undefined ? [] : [eventSubject(service, '*'), appendedSubject(service)]),
      ...questions,
      ...hears.flatMap((source) => [readLogPage, readLogEvents].map(({ name }) => requestSubject(source, name))),
      ...new Set([...(service === undefined ? [] : [service]), ...hears].flatMap(streamSubjects)),
      ...whoAsks(user).map((asker) => `${inboxPrefix(asker)}.>`),
      ...publish,
    ],
    subscribe: [
      `${inboxPrefix(user)}.>`,
      ...(service === undefined ? [] : [requestSubject(service, '*'), appendedSubject(service)]),
      ...(user === 'identity' ? [] : [SESSIONS_REVOKED_SUBJECT]),
      ...subscribe,
    ],
  }
}

/** As `connectNats` of the kit has it. */
function inboxPrefix(user: NatsUser): string {
  return `_INBOX.${user}`
}

/** Those whose questions, bids and commands a service answers; among them the operator. */
function whoAsks(service: NatsUser): readonly NatsUser[] {
  const isAsked = (user: NatsUser) => {
    if (user === 'operator') return true
    const { asks, hears, publish = [] } = needs[user]
    const sends = publish.some((subject) => needsSubscribe(service).includes(subject))
    return sends || Object.keys(asks).includes(service) || hears.some((source) => source === service)
  }
  return natsUsers.filter(isAsked)
}

function needsSubscribe(user: NatsUser): readonly string[] {
  return user === 'operator' ? [] : (needs[user].subscribe ?? [])
}

/** To make a stream that is missing, to read it, and to make and ask consumers of it. */
function streamSubjects(service: LoggingService): string[] {
  const stream = eventStreamName(service)
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    `$JS.ACK.${stream}.>`,
  ]
}
