// The rule that this Node's crypto.verify follows: its verdict on each pure Ed25519 row of vectors/ed25519/verify.csv against the
// column of each rule. Prints how many rows differ from each; ends with 1 unless some rule has none.
// usage: node gen/crosscheck/node.js
'use strict'
const { createPublicKey, verify } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

// One line of CSV whose quoted cells hold no quotes.
const cells = line => [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain)

const file = join(__dirname, '../../vectors/ed25519/verify.csv')
const [names, ...rows] = readFileSync(file, 'utf8').trim().split('\n').map(cells)
const rules = names.slice(names.indexOf('common'))
// SubjectPublicKeyInfo before the 32 bytes of a key (RFC 8410)
const spki = Buffer.from('302a300506032b6570032100', 'hex')

function accepts (key, message, signature) {
  try {
    return verify(null, message, createPublicKey({ key: Buffer.concat([spki, key]), format: 'der', type: 'spki' }), signature)
  } catch {
    return false // a key that it does not read
  }
}

const differ = Object.fromEntries(rules.map(rule => [rule, 0]))
let seen = 0
for (const values of rows) {
  const row = Object.fromEntries(names.map((name, i) => [name, values[i]]))
  const [key, message, signature] = [row.key, row.message, row.signature].map(hex => Buffer.from(hex, 'hex'))
  if (row.variant !== 'pure' || key.length !== 32) continue
  seen++
  const accepted = accepts(key, message, signature)
  for (const rule of rules) differ[rule] += Number((row[rule] === 'ok') !== accepted)
}
const same = rules.filter(rule => differ[rule] === 0)
console.log(`Node ${process.version}, OpenSSL ${process.versions.openssl}: ${same.join(', ') || 'no rule'}; of ${seen} rows differ`,
  Object.entries(differ).map(([rule, count]) => `${count} from ${rule}`).join(', '))
process.exitCode = seen > 0 && same.length > 0 ? 0 : 1
