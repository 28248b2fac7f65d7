import { ProfileChanges } from '@wangian/contracts/account.ts'
import { z } from 'zod'

const { shopName, location, bio } = ProfileChanges.shape

/** What everybody reads about a person; the rules carry their words. */
export const PublicProfile = z.object({ shopName, location, bio })
