import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'web',
    environment: 'happy-dom',
    isolate: false,
    // As many as the other projects have: they run side by side.
    maxWorkers: 2,
    // Ends what hangs, on a machine that others use as well.
    testTimeout: 30_000,
    setupFiles: './src/testing/setup.ts',
    include: ['src/**/*.test.{ts,tsx}'],
  },
})
