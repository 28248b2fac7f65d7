import '@testing-library/jest-dom/vitest'
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

// Each test starts with an empty page. The library would do this by itself only with global test functions.
afterEach(cleanup)
