#!/usr/bin/python3
# usage: conch.py KEY PASSPHRASE
import sys

from twisted.conch.ssh import keys

key = keys.Key.fromFile(sys.argv[1], passphrase=sys.argv[2])
print(key.public().toString('OPENSSH').decode())
