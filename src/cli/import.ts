import type { Command } from 'commander'
import { addConsentImport } from './import-consents.ts'
import { addLinkedinImport } from './import-linkedin.ts'
import { addOptOutImport } from './import-opt-outs.ts'
import { addPeopleImports } from './import-people.ts'

export function addImportCommands(program: Command): void {
  const importCommand = program.command('import').description('Import files into an account')
  addOptOutImport(importCommand)
  addConsentImport(importCommand)
  addLinkedinImport(importCommand)
  addPeopleImports(importCommand)
}
