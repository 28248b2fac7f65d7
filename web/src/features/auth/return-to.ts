/** Where in this tab's storage the way back is kept while somebody is at another provider. */
export const returnKey = 'wangian-return-to'
