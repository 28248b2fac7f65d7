/** Whether Postgres can store it and everybody can read it: it holds no NUL, and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}

/** Controls, and signs that show nothing or turn around what stands beside them; joiners and the ends of emoji are judged apart. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u2800]|(?!\u200C|\u200D|\uFE0E|\uFE0F)\p{Default_Ignorable_Code_Point}/u
/** Joiners belong into some scripts and between the parts of an emoji; beside other letters nobody sees them. */
const strayJoiner =
  /(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:\u200C|\u200D)|(?:\u200C|\u200D)(?![\p{L}\p{Extended_Pictographic}])/u
const letter = /[\p{L}\p{N}]/u

/** Whether a name is as it looks: in one line, with a letter or a digit unless it is empty, and without anything that cannot be seen. */
export function isVisibleName(name: string): boolean {
  return (name === '' || letter.test(name)) && !unseen.test(name) && !strayJoiner.test(name)
}

/** Whether there is anything to see in what somebody wrote, whatever it is. */
export function isAnythingSeen(text: string): boolean {
  return /[^\s\p{Cc}\u2800\p{Default_Ignorable_Code_Point}]/u.test(text)
}

/** What is said of a name or a text that is not. */
export function unseenMessage(label: string): string {
  return `${label} has characters that cannot be seen`
}

/** The same for a text of several lines. */
export function isVisibleText(text: string): boolean {
  return isVisibleName(text.replace(/[\n\r\t]/g, ' '))
}
