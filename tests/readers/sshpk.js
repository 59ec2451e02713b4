// usage: node sshpk.js KEY PASSPHRASE
const { readFileSync } = require('fs');
const sshpk = require('sshpk');

const [path, passphrase] = process.argv.slice(2);
const key = sshpk.parsePrivateKey(readFileSync(path), 'auto', { passphrase });
console.log(key.toPublic().toString('ssh'));
