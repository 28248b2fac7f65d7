/** What says which page it is. Whatever else an address carries stays here. */
const countedParameters = /^(category|type|brand|minPrice|maxPrice|minRemaining|search|sort|tab|page|lang|utm_\w+)$/

/** A mail address, a mobile number, a token. */
const personal = /[^\s@"'<>()]+@[^\s@"'<>()]+|(?<![\w-])(?:\+?60[ -]?|0)1[\d -]{7,11}\d(?![\w-])|\beyJ[\w-]+\.[\w.-]+/g

const anonymous = (text: string) => text.replace(personal, '[…]')

/** The full address of a page, without what is about a person: administrators search for people. */
export function anonymousAddress(href: string): string {
  const { origin, pathname, searchParams } = new URL(href)
  const counted = new URL(pathname, origin)
  if (!pathname.startsWith('/admin')) {
    for (const [name, value] of searchParams) {
      if (countedParameters.test(name)) counted.searchParams.append(name, anonymous(value))
    }
  }
  return counted.href
}

/** What an event says, without what is about a person. */
export function anonymousParameters(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const told = Object.entries(parameters).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value]
    return [name, name === 'page_location' ? anonymousAddress(value) : anonymous(value)]
  })
  return Object.fromEntries(told)
}
