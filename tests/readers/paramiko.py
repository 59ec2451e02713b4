#!/usr/bin/python3
# usage: paramiko.py KEY PASSPHRASE
import sys

import paramiko

path, passphrase = sys.argv[1:]
kinds = {'ed25519': paramiko.Ed25519Key, 'rsa': paramiko.RSAKey,
         'ecdsa': paramiko.ECDSAKey}
kind = open(path + '.pub').read().split()[0]
for name, reader in kinds.items():
    if name in kind:
        key = reader.from_private_key_file(path, passphrase)
        print(key.get_name(), key.get_base64())
