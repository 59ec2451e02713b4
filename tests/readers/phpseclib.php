<?php
// usage: php phpseclib.php KEY PASSPHRASE
require_once 'phpseclib3/autoload.php';

$key = phpseclib3\Crypt\PublicKeyLoader::load(
    file_get_contents($argv[1]), $argv[2]);
echo $key->getPublicKey()->toString('OpenSSH'), "\n";
