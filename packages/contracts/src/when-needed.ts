/** Makes something when it is first needed, and once: the first format of a number or a date takes as long as loading thirty modules. */
export function whenNeeded<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
