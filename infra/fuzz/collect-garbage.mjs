// Loaded into each service by the fuzzers: on SIGUSR2 it collects all garbage and says how large the rest is.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  process.stdout.write(`heap after collection: ${heapUsed + external}\n`)
})
