/** Of the ids of what somebody has saved: under the person's id, so that an answer that comes late never becomes somebody else's. */
export const favoritesKey = (userId: number) => ['favorite-ids', userId] as const
