#	Placed in the Public Domain.

tid="what is wrong with the text of a private key file"

umask 077
good=$OBJ/text-good
key=$OBJ/text-key
log=$OBJ/text.log

rm -f $good $good.* $key $key.*
${SSHKEYGEN} -q -t ed25519 -a 1 -N '' -C text -f $good || fatal "ssh-keygen"
mv $good.pub $good.moved

# quiet WHAT: no line of the key is in what was said.
quiet() {
	sed -n '2,$p' $good | sed '/^-/d' > $log.body
	tr -d '\n' < $log.body | cut -c1-20 > $log.short
	grep -F -f $log.body $log > /dev/null && fail "$1: quotes the key"
	grep -F -f $log.short $log > /dev/null && fail "$1: quotes the key"
}

# says WHAT MESSAGE COMMAND...: it fails, and that is said once.
says() {
	w=$1; m=$2
	shift 2
	"$@" < /dev/null > $log 2>&1 && fail "$w: succeeded: $*"
	n=`grep -c "^Private key file: $m" $log`
	test $n -eq 1 || fail "$w: expected \"$m\" from $*, got: `cat $log`"
	quiet "$w"
}

# refused WHAT MESSAGE: what is wrong with $key, by each way to load it.
refused() {
	verbose "$1"
	chmod 600 $key
	says "$1" "$2" ${SSHKEYGEN} -y -P '' -f $key
	says "$1" "$2" ${SSHKEYGEN} -y -P secret -f $key
	says "$1" "$2" ${SSHKEYGEN} -p -P secret -N other -a 1 -f $key
	says "$1" "$2" ${SSHKEYGEN} -c -P secret -C x -a 1 -f $key
	says "$1" "$2" ${SSHKEYGEN} -l -v -f $key
	cp $good.moved $key.pub
	${SSHKEYGEN} -l -f $key > $log 2>&1 < /dev/null
	says "$1, with .pub" "$2" ${SSHKEYGEN} -l -v -f $key
	rm -f $key.pub
	says "$1" "$2" ${SSHADD} $key
}

# bytes OCTAL...: as they are.
bytes() {
	for b in "$@"; do
		printf "\\$b"
	done
}

utf16le() {
	sed 's/./&@/g' | tr '\n' '~' | sed 's/~/~@/g' | tr '~@' '\n\000'
}

one_line() {
	tr '\n' "$1"
}

verbose "start agent"
eval `${SSHAGENT} ${EXTRA_AGENT_ARGS} -s` > /dev/null || fatal "ssh-agent"

lines=`wc -l < $good`
cr=`printf '\015'`
begin=`head -n 1 $good`
end=`tail -n 1 $good`

printf %s "`cat $good`" > $key
refused "no final newline" "it is truncated, there is no final newline"
sed '$d' $good > $key
refused "no END" "it is truncated, END is missing"
head -n 1 $good > $key
refused "BEGIN alone" "it is truncated, END is missing"
(sed '$d' $good; printf %s "-----END OPENSSH PRI") > $key
refused "half of END" "it is truncated, END is missing"
missing="its line breaks are missing"
tr -d '\n' < $good > $key
refused "one line" "$missing"
(tr -d '\n' < $good; echo) > $key
refused "one line with a newline" "$missing"
one_line ' ' < $good > $key
refused "blanks for newlines" "$missing"
sed 's/$/\\n/' $good | tr -d '\n' > $key
refused "escaped newlines" "its line breaks are missing, they are escaped"
sed "s/\$/$cr/" $good > $key
refused "CRLF" "its line ends are CRLF"
one_line '\r' < $good > $key
refused "CR" "its line ends are CR,"
sed 's/$/ /' $good > $key
refused "blanks at line ends" "there are blanks at its line ends"
sed '$s/$/ /' $good > $key
refused "blank after END" "there are blanks at its line ends"
(bytes 357 273 277; cat $good) > $key
refused "UTF-8 BOM" "a UTF-8 byte order mark (BOM) stands before BEGIN"
utf16le < $good > $key
refused "UTF-16" "it is UTF-16$cr\$"
(bytes 377 376; utf16le < $good) > $key
refused "UTF-16 with BOM" "it is UTF-16, and a byte order mark stands before"
(bytes 376 377 000; utf16le < $good) > $key
refused "UTF-16BE with BOM" "it is UTF-16, and a byte order mark stands before"
(echo; cat $good) > $key
refused "blank first line" "a blank line stands before BEGIN"
sed 's/^/    /' $good > $key
refused "indented" "it is indented, blanks stand before BEGIN"
(printf '"'; printf %s "`cat $good`"; echo '"') > $key
refused "in quotes" "a quotation mark stands before BEGIN"
(printf "'"; printf %s "`cat $good`"; echo "'") > $key
refused "in single quotes" "a quotation mark stands before BEGIN"
(printf 'KEY='; cat $good) > $key
refused "text before BEGIN" "other text stands before BEGIN"
for d in '342 200 223' '342 200 224' '342 210 222'; do
	sed "s/-----/`bytes $d``bytes $d`-/g" $good > $key
	refused "typographic dashes" "its dashes have become typographic ones"
done
OPENSSL_BIN="${OPENSSL_BIN:-openssl}"
if have_prog $OPENSSL_BIN || test -x $OPENSSL_BIN; then
	$OPENSSL_BIN base64 -in $good > $key
	refused "base64" "the whole file is base64-encoded once more"
fi

verbose "ssh"
tr -d '\n' < $good > $key
grep -v -i IdentityFile $OBJ/ssh_proxy > $OBJ/ssh_proxy_text
says "ssh" "$missing" ${REAL_SSH} -F $OBJ/ssh_proxy_text -i $key \
    -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes somehost true
grep "Load key .*: invalid format" $log > /dev/null || fail "ssh: `cat $log`"

# loads WHAT: nothing is said of a file that loads.
loads() {
	verbose "$1 loads"
	chmod 600 $key
	${SSHKEYGEN} -y -P '' -f $key > /dev/null 2> $log < /dev/null || \
	    fail "$1: `cat $log`"
	test -s $log && fail "$1: `cat $log`"
	${SSHADD} -q $key < /dev/null > $log 2>&1 || fail "$1: `cat $log`"
	test -s $log && fail "$1: `cat $log`"
}

cp $good $key
loads "the key"
(echo "$begin"; sed '1d;$d' $good | tr '\n' ' '; echo; echo "$end") > $key
loads "base64 in one line"
sed "2,`expr $lines - 1`s/\$/ $cr/" $good > $key
loads "CRLF between BEGIN and END"
(cat $good; echo 'more text') > $key
loads "text after END"
if ${SSH} -Q key | grep '^ssh-rsa$' > /dev/null; then
	rm -f $good.rsa $good.rsa.pub
	${SSHKEYGEN} -q -t rsa -m PEM -N '' -f $good.rsa || fatal "rsa"
	(echo; sed "s/\$/$cr/" $good.rsa) > $key
	loads "PEM with CRLF and a blank first line"
	printf %s "`cat $good.rsa`" > $key
	loads "PEM without a final newline"
	tr -d '\n' < $good.rsa > $key
	says "PEM" "$missing" ${SSHKEYGEN} -y -f $key
	sed '$d' $good.rsa > $key
	says "PEM" "it is truncated" ${SSHKEYGEN} -y -f $key
fi

verbose "what is no key, or damaged in another way"
echo hello > $key
${SSHKEYGEN} -y -f $key < /dev/null > $log 2>&1 && fail "no key"
grep "Private key file" $log && fail "no key"
sed '2s/^..../AAAA/' $good > $key
${SSHKEYGEN} -y -f $key < /dev/null > $log 2>&1 && fail "damaged"
grep "Private key file" $log && fail "damaged"

${SSHAGENT} -k > /dev/null
rm -f $good $good.* $key $key.* $log $log.* $OBJ/ssh_proxy_text
