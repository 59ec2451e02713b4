// usage: node ssh2.js KEY PASSPHRASE
const { readFileSync } = require('fs');
const { utils } = require('ssh2');

const [path, passphrase] = process.argv.slice(2);
const key = utils.parseKey(readFileSync(path), passphrase);
if (key instanceof Error)
	throw key;
console.log(`${key.type} ${key.getPublicSSH().toString('base64')}`);
