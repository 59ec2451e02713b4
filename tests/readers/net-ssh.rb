#!/usr/bin/ruby
# usage: net-ssh.rb KEY PASSPHRASE
require 'net/ssh'

key = Net::SSH::KeyFactory.load_private_key(ARGV[0], ARGV[1], false)
key = key.public_key if key.respond_to?(:public_key)
puts "#{key.ssh_type} #{[key.to_blob].pack('m0')}"
