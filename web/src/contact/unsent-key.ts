/** Where a tab keeps what was not sent, see `unsent.ts` of messaging. Apart from it, since every page forgets it when somebody leaves. */
export const unsentKey = 'unsentMessages'
