// usage: x-crypto KEY PASSPHRASE
package main

import (
	"fmt"
	"os"

	"golang.org/x/crypto/ssh"
)

func main() {
	pem, err := os.ReadFile(os.Args[1])
	if err == nil {
		var signer ssh.Signer
		signer, err = ssh.ParsePrivateKeyWithPassphrase(pem,
			[]byte(os.Args[2]))
		if err == nil {
			fmt.Printf("%s", ssh.MarshalAuthorizedKey(signer.PublicKey()))
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
