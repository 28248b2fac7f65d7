import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openAuctions } from './seed/auctions.ts'
import { placeBids } from './seed/bids.ts'
import { buyBoosts } from './seed/boosts.ts'
import { deals, makeDeals } from './seed/deals.ts'
import { featureListings } from './seed/featured.ts'
import { addPictures, createListings, findListings, withoutOverdue } from './seed/listings.ts'
import { demoAccounts, gatherPeople } from './seed/people.ts'
import { perfumes as allPerfumes, type Perfume, requireTimeOf } from './seed/perfumes.ts'
import { visit } from './seed/site.ts'

/**
 * Fills a running system with the demo by using it as people do: sellers sign in, list perfumes, upload pictures and
 * open auctions, buyers bid, and both talk and deal. What is there already is left alone, so a later start only opens auctions for those that
 * have ended since; so does a start after one that was interrupted.
 * @param options.url where people reach the system
 * @param options.natsUrl where featured listings are ordered; without it none is
 * @param options.perfumes what to list, in place of the whole shelf
 * @param options.toldFile where it is noted that all deals were made, so that later starts need not read every conversation; without it they do
 * @returns the accounts that a person may sign in with
 * @throws when the system refuses or does not answer
 */
export async function seedDemo(options: {
  readonly url: string
  readonly natsUrl?: string
  readonly log: (line: string) => void
  readonly perfumes?: readonly Perfume[]
  readonly toldFile?: string
}): Promise<{ readonly accounts: readonly { readonly email: string; readonly password: string }[] }> {
  const { url, natsUrl, log, perfumes = allPerfumes, toldFile } = options
  const people = gatherPeople(url, log)
  const found = withoutOverdue(await findListings(visit(url), people, perfumes))
  const missingCount = perfumes.length - found.size
  if (missingCount > 0) {
    requireTimeOf(perfumes, Date.now())
    log(`Listing ${missingCount} demo perfumes and uploading their pictures …`)
  }
  const listed = await createListings(people, perfumes, found)
  const [opened] = await Promise.all([openAuctions(people, listed, Date.now()), addPictures(people, listed)])

  // The demo is good without them, too, and without opening bids.
  if (natsUrl !== undefined) {
    await featureListings(natsUrl, listed, Date.now()).catch((error: Error) =>
      log(`nothing featured: ${error.message}`),
    )
  }
  const [bala, mei] = await Promise.all(opened.length > 0 ? [people.find('bala'), people.find('mei')] : [null, null])
  if (bala && mei) {
    await placeBids(url, [bala, mei], opened).catch((error: Error) => log(`no opening bids: ${error.message}`))
  }
  // Of a shelf with gaps nothing is certain: the database may be another one than it was.
  if (missingCount > 0 || toldFile === undefined || !areTold(toldFile)) {
    // Pictures come first: what is sold takes none.
    const areAllMade = await makeDeals(url, people, listed, log).catch((error: Error) => {
      log(`not all deals: ${error.message}`)
      return false
    })
    if (areAllMade && toldFile !== undefined) writeFileSync(toldFile, JSON.stringify(deals))
  }
  if (missingCount > 0) {
    await buyBoosts(url, people, listed).catch((error: Error) => log(`no boosts bought: ${error.message}`))
  }
  return { accounts: demoAccounts }
}

/** Whether these very deals were made: a newer version may have others. */
function areTold(toldFile: string): boolean {
  return existsSync(toldFile) && readFileSync(toldFile, 'utf8') === JSON.stringify(deals)
}
