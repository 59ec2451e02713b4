# Foreign readers of private keys: programs and libraries that are not OpenSSH
# but can, or claim they can, read its format. Source it after lib.sh; nothing
# here depends on the current directory. Each has a small program in
# tests/readers/ that is called with a key file and a passphrase and prints
# "TYPE BLOB" of the public key in it.
# shellcheck shell=sh disable=SC2034,SC2154

readers='openssh puttygen libssh libssh2 x-crypto paramiko asyncssh
    cryptography conch ssh2 sshpk net-ssh phpseclib dropbear'

# What they need, for "need".
readers_packages='openssh-client putty-tools dropbear-bin gcc libc6-dev libssh-dev
    libssh2-1-dev golang-go golang-golang-x-crypto-dev python3-paramiko
    python3-asyncssh python3-cryptography python3-bcrypt python3-twisted
    nodejs node-sshpk ruby ruby-net-ssh ruby-bcrypt-pbkdf ruby-ed25519 php-cli
    php-phpseclib3'

# readers_begin SSHD_TREE: install them and build what has to be, in
# $tmp/readers. SSHD_TREE is a built tree, whose sshd libssh2 needs.
readers_begin() {
	# shellcheck disable=SC2086 # a list
	need $readers_packages
	readers_dir=$tmp/readers
	readers_sshd=$1
	mkdir "$readers_dir"
	step "build readers of private keys" "$work/log/readers.log" \
	    build_readers
	readers_npm=
	if ! command -v npm >/dev/null; then
		note "there is no npm, so ssh2 is left out"
	elif ! supervise npm_ssh2 >"$work/log/npm.log" 2>&1; then
		note "npm cannot install ssh2, so it is left out; see $work/log/npm.log"
	else
		readers_npm=1
	fi
}

build_readers() {
	for r in libssh libssh2; do
		cc -O2 -Wall -o "$readers_dir/$r" "$top/tests/readers/$r.c" "-l${r#lib}"
	done
	GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS='' \
	    GOCACHE=$readers_dir/go-cache go build \
	    -o "$readers_dir/x-crypto" "$top/tests/readers/x-crypto.go"
	"$readers_sshd/ssh-keygen" -q -t ed25519 -N '' -f "$readers_dir/hostkey"
}

# The lock file has the checksums.
npm_ssh2() {
	cp "$top/tests/readers/package.json" \
	    "$top/tests/readers/package-lock.json" "$readers_dir/"
	npm ci --prefix "$readers_dir" --ignore-scripts --omit=optional \
	    --no-audit --no-fund
}

# reader_is_here NAME
reader_is_here() {
	[ "$1" != ssh2 ] || [ -n "$readers_npm" ]
}

# read_key NAME KEY PASSPHRASE: what it prints is in $tmp/read, what it says in
# $tmp/read.err. Fails if it fails, or prints another key than KEY.pub.
read_key() {
	run_reader "$@" >"$tmp/read" 2>"$tmp/read.err" </dev/null || return 1
	[ "$(cut -d' ' -f1,2 "$tmp/read")" = "$(cut -d' ' -f1,2 "$2.pub")" ]
}

run_reader() {
	rr=$top/tests/readers/$1
	case $1 in
	openssh) /usr/bin/ssh-keygen -y -P "$3" -f "$2" ;;
	puttygen)
		printf %s "$3" >"$readers_dir/passphrase"
		puttygen "$2" -O public-openssh \
		    --old-passphrase "$readers_dir/passphrase" ;;
	libssh|x-crypto) "$readers_dir/$1" "$2" "$3" ;;
	libssh2) run_libssh2 "$2" "$3" ;;
	paramiko|asyncssh|cryptography|conch)
		# Isolated: some of the programs have the names of modules.
		/usr/bin/python3 -I "$rr.py" "$2" "$3" ;;
	ssh2) NODE_PATH=$readers_dir/node_modules node "$rr.js" "$2" "$3" ;;
	sshpk) NODE_PATH=/usr/share/nodejs node "$rr.js" "$2" "$3" ;;
	net-ssh) /usr/bin/ruby "$rr.rb" "$2" "$3" ;;
	phpseclib) /usr/bin/php "$rr.php" "$2" "$3" ;;
	dropbear)
		# It knows no passphrases, and asks for none.
		dropbearconvert openssh dropbear "$2" "$readers_dir/dropbear" &&
		    dropbearkey -y -f "$readers_dir/dropbear" | grep ' AAAA' ;;
	esac
}

# In namespaces, because sshd needs its user and directory there. This libssh2
# signs with RSA and SHA-1 only, which is not what is tested here.
run_libssh2() {
	cat >"$readers_dir/sshd_config" <<-EOF_CONFIG
		HostKey $readers_dir/hostkey
		AuthorizedKeysFile $1.pub
		StrictModes no
		PermitRootLogin yes
		PubkeyAcceptedAlgorithms +ssh-rsa
		LogLevel QUIET
		SshdSessionPath $readers_sshd/sshd-session
		SshdAuthPath $readers_sshd/sshd-auth
	EOF_CONFIG
	"$top/tests/lib/isolate.sh" "$readers_dir/libssh2" "$1" "$2" \
	    "$readers_sshd/sshd" -i -f "$readers_dir/sshd_config"
}

# reader_name NAME: what people call it, and its version.
reader_name() {
	case $1 in
	openssh) /usr/bin/ssh -V 2>&1 | sed 's/^OpenSSH_\([^ ,]*\).*/OpenSSH \1/' ;;
	puttygen) reader_package PuTTY putty-tools ;;
	libssh) reader_package libssh libssh-4 ;;
	libssh2) reader_package libssh2 libssh2-1 ;;
	x-crypto) reader_package 'Go x/crypto/ssh' golang-golang-x-crypto-dev ;;
	paramiko) reader_package Paramiko python3-paramiko ;;
	asyncssh) reader_package AsyncSSH python3-asyncssh ;;
	cryptography) reader_package 'Python cryptography' python3-cryptography ;;
	conch) reader_package 'Twisted Conch' python3-twisted ;;
	ssh2) echo "node ssh2 $(sed -n 's/.*"ssh2": "\(.*\)".*/\1/p' \
	    "$top/tests/readers/package.json") (npm)" ;;
	sshpk) reader_package 'node sshpk' node-sshpk ;;
	net-ssh) reader_package 'Ruby Net::SSH' ruby-net-ssh ;;
	phpseclib) reader_package phpseclib php-phpseclib3 ;;
	dropbear) reader_package Dropbear dropbear-bin ;;
	esac
}

# reader_package NAME PACKAGE: with its upstream version.
reader_package() {
	echo "$1 $(dpkg-query -W -f '${Version}' "$2" |
	    sed 's/^[0-9]*://; s/[-+~].*//')"
}
