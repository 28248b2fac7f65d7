/** What of a way around Wangian can be in a message, in the order in which it is told. */
export const contactDetails = ['phone', 'email', 'account', 'link'] as const
export type ContactDetail = (typeof contactDetails)[number]

// No pattern tries each letter of a run as its beginning, or looks to its end from each: a message of thousands would hold up whoever reads it.

/** An address ends before the punctuation of the sentence around it. */
const address = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi
/** Without its beginning, it takes an ending that is one of few, for 'oud.wood' is none. */
const bareAddress =
  /(?<![\w@.-])(?![\w.-]*@)(?:www\.)?[a-z\d][a-z\d-]*(?:\.[a-z\d-]+)*\.(?:com|net|org|my|sg|id|me|io|co|ly|gl|shop|store|link|app|biz|info|xyz)(?![\w-])(?:\/[^\s<>"']*)?/gi
const email = /(?<![\w.+-])[\w.+-]+\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\.[\w-]+)+/gi
/** Of Malaysia with or without its code, and of everywhere with one. Not a part of a longer number or a word. */
const phone = /(?<![\w+])(?:\+\d|(?:60|0)[1-9])(?:[\s().-]{0,2}\d){6,12}(?![\s.-]?\d|\w)/g
/** So many digits are an account where the words around them speak of one. */
const longNumber = /(?<!\w)\d(?:[\s-]?\d){7,16}(?!\w)/g
const aboutAccounts =
  /\b(?:bank|maybank|cimb|rhb|ambank|bsn|uob|ocbc|hsbc|affin|alliance|hong leong|public bank|acc(?:ount|t)?|akaun|transfer|duitnow|touch ?'?n ?go|tng)\b/i
const iban = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,3})?\b/g

/** Where addresses of the web are in a text. */
export function findAddresses(text: string): readonly { readonly at: number; readonly words: string }[] {
  return [...text.matchAll(address)].map(({ 0: words, index: at }) => ({ at, words }))
}

/**
 * What of a way around Wangian is in what somebody wrote. It warns and stops nobody, so it may err.
 * @param ownHost of this site, whose own addresses are no outside links
 */
export function contactDetailsIn(text: string, ownHost: string): readonly ContactDetail[] {
  const found = new Set<ContactDetail>()
  // Digits and letters of other widths are the same to those who read them.
  let rest = text.normalize('NFKC')
  const look = (detail: ContactDetail, pattern: RegExp, isOne: (words: string) => boolean = () => true) => {
    rest = rest.replace(pattern, (words) => {
      if (isOne(words)) found.add(detail)
      return ' '
    })
  }
  look('link', address, (words) => hostOf(words) !== ownHost)
  look('email', email)
  look('link', bareAddress, (words) => hostOf(`https://${words}`) !== ownHost)
  look('account', iban)
  look('phone', phone)
  if (aboutAccounts.test(rest)) look('account', longNumber)
  return contactDetails.filter((detail) => found.has(detail))
}

function hostOf(words: string): string | null {
  return URL.canParse(words) ? new URL(words).host : null
}
