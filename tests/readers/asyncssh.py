#!/usr/bin/python3
# usage: asyncssh.py KEY PASSPHRASE
import sys

import asyncssh

key = asyncssh.read_private_key(*sys.argv[1:])
print(key.export_public_key().decode(), end='')
