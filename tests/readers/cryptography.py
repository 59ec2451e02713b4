#!/usr/bin/python3
# usage: cryptography.py KEY PASSPHRASE
import sys

from cryptography.hazmat.primitives import serialization as s

with open(sys.argv[1], 'rb') as f:
    key = s.load_ssh_private_key(f.read(), sys.argv[2].encode())
print(key.public_key().public_bytes(
    s.Encoding.OpenSSH, s.PublicFormat.OpenSSH).decode())
