# Fuzzers of what openssh-hush changes, beside those of upstream's Makefile here.
# In a tree that is built with clang, sanitizers and -fsanitize=fuzzer-no-link:
#
#	make -f Makefile -f regress/misc/fuzz-harness/hush.mk fuzzers STOCK=DIR
#
# STOCK is the same release without the series; it need not be configured.

HARNESS = regress/misc/fuzz-harness
FUZZERS = servconf_fuzz bcrypt_pbkdf_fuzz keykdf_fuzz privkey_fuzz kdftime_fuzz
FUZZ_CC = $(CC) $(CFLAGS) -w -I$(HARNESS)
FUZZ_LD = $(CC) -w -fsanitize=fuzzer $(CFLAGS)
FUZZ_LIBS = $(SKOBJS) ssh-pkcs11-client.o $(LDFLAGS) -lssh -lopenbsd-compat -lssh \
	-lopenbsd-compat $(CHANNELLIBS) $(LIBS)

fuzzers: $(FUZZERS:%=$(HARNESS)/%)

# Two servconf.c in one program: each keeps its names to itself. Only ours has
# sanitizers.
SIDE = objcopy -w --keep-global-symbol
SIDE_C = $(HARNESS)/servconf_side.c
$(HARNESS)/servconf_ours.o: $(SIDE_C) servconf.c servconf.h
	$(FUZZ_CC) $(CPPFLAGS) -DSIDE=ours -DSIDE_IS_OURS -c $(SIDE_C) -o $@
	$(SIDE)='ours_*' $@
$(HARNESS)/servconf_stock.o: $(SIDE_C)
	$(FUZZ_CC) -fno-sanitize=all -I$(STOCK) $(CPPFLAGS) -DSIDE=stock -c $(SIDE_C) -o $@
	$(SIDE)='stock_*' $@

SERVCONF_OBJS = $(patsubst %,$(HARNESS)/servconf_%.o,fuzz mutator ours stock)
$(HARNESS)/servconf_fuzz: $(SERVCONF_OBJS) auth2-methods.o libssh.a
	$(FUZZ_LD) -o $@ $(SERVCONF_OBJS) auth2-methods.o $(FUZZ_LIBS) $(SSHDLIBS)

# With one key expansion for 64, and sanitizers for ours alone: for many inputs in
# little time.
KDF = openbsd-compat/bcrypt_pbkdf.c
KDF_CC = $(CC) -O2 -g -w -Iopenbsd-compat $(CPPFLAGS)
$(HARNESS)/kdf_ours.o: $(KDF)
	sed 's/i < 64;/i < 1;/' $(KDF) >$(@:.o=.c)
	$(KDF_CC) -fsanitize=address,undefined -fno-sanitize-recover=all \
	    -Dbcrypt_pbkdf=kdf_ours -c $(@:.o=.c) -o $@
$(HARNESS)/kdf_stock.o: $(STOCK)/$(KDF)
	sed 's/i < 64;/i < 1;/' $(STOCK)/$(KDF) >$(@:.o=.c)
	$(KDF_CC) -Dbcrypt_pbkdf=kdf_stock -c $(@:.o=.c) -o $@
$(HARNESS)/kdf_blowfish.o: openbsd-compat/blowfish.c
	$(KDF_CC) -c openbsd-compat/blowfish.c -o $@

KDF_OBJS = $(patsubst %,$(HARNESS)/%.o,bcrypt_pbkdf_fuzz kdf_ours kdf_stock kdf_blowfish)
$(HARNESS)/bcrypt_pbkdf_fuzz: $(KDF_OBJS) libssh.a
	$(FUZZ_LD) -o $@ $(KDF_OBJS) $(FUZZ_LIBS)

$(HARNESS)/keykdf_fuzz.o: sshkey.c
$(HARNESS)/kdftime_fuzz.o: ssh-keygen.c
$(HARNESS)/%.o: $(HARNESS)/%.c
	$(FUZZ_CC) $(CPPFLAGS) -c $< -o $@
$(HARNESS)/%.o: $(HARNESS)/%.cc
	$(CC) $(CFLAGS) -w $(CPPFLAGS) -c $< -o $@

$(HARNESS)/keykdf_fuzz $(HARNESS)/privkey_fuzz: %: %.o libssh.a
	$(FUZZ_LD) -o $@ $< $(FUZZ_LIBS)
$(HARNESS)/kdftime_fuzz: %: %.o sshsig.o libssh.a
	$(FUZZ_LD) -o $@ $< sshsig.o $(FUZZ_LIBS)
