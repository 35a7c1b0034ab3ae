import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { waitForListener } from './ports.ts'

test('stops waiting for a program that was killed before it listened', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  // Nothing can listen on port 0.
  const isListening = waitForListener(0, child)
  child.kill('SIGKILL')
  expect(await isListening).toBe(false)
})
