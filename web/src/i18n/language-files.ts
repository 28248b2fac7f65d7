/** What is loaded of a language together, each once a visit needs it. */
export interface LanguageFiles {
  /** Of the first page, and of what is around every page. */
  readonly first: () => Promise<object>
  /** Of all other pages. */
  readonly pages: () => Promise<object>
  /** Of the pages for administrators, who are few. */
  readonly admin: () => Promise<object>
  /** Whole pages of text. */
  readonly guides: () => Promise<object>
}
