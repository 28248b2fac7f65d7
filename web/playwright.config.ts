import { defineConfig } from '@playwright/test'
import { EXPECT_WITHIN_MS, readJourneyConfig } from './e2e/config.ts'

export default defineConfig({
  testDir: './e2e',
  testMatch: '*.e2e.ts',
  globalSetup: './e2e/system-setup.ts',
  forbidOnly: true,
  retries: 0,
  // Two cores are what the smallest machine that we support has, and the system itself needs one.
  workers: 1,
  // Two halves share them; what nothing comes of ends by the limit of whatever it expects.
  timeout: 120_000,
  expect: { timeout: EXPECT_WITHIN_MS },
  outputDir: './test-results',
  use: {
    viewport: { width: 1280, height: 860 },
    locale: 'en-MY',
    // Without a graphics card each frame costs processor time, and nobody sees it. Whatever measures what moves asks for motion.
    contextOptions: { reducedMotion: 'reduce' },
    // No trace: to record each journey for the one that fails costs a quarter of the processor time.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: readJourneyConfig().chromiumPath,
      // Without hinting letters are as wide as on the screens of today; Chromium's shell rounds them to whole pixels otherwise.
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-quic',
        '--font-render-hinting=none',
        // Each page lives for seconds: to compile its script for speed takes longer than it saves.
        '--js-flags=--no-maglev --no-turbofan',
      ],
    },
  },
})
