#!/bin/sh
# Makes the keys and certificates of this folder anew, by OpenSSL 3; README.md says what each is for.
set -eu
cd "$(dirname "$0")"
ends=21260101000000Z

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cat >"$work/ca.cnf" <<END
[ca]
default_ca = own
[own]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
policy = any
[any]
commonName = supplied
END
: >"$work/index"

# make_certificate NAME COMMON-NAME DIGEST LAST-DAY SIGNER EXTENSION…: signs itself where SIGNER is "self".
make_certificate() {
  name=$1 common_name=$2 digest=$3 end=$4 signer=$5
  shift 5
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$name.key"
  openssl req -new -key "$name.key" -subj "/CN=$common_name" -out "$work/request"
  printf '%s\n' "$@" >"$work/extensions"
  if [ "$signer" = self ]; then set -- -selfsign -keyfile "$name.key"; else set -- -cert "$signer.crt" -keyfile "$signer.key"; fi
  openssl ca -batch -notext -config "$work/ca.cnf" "$@" -md "$digest" -startdate 20200101000000Z -enddate "$end" \
    -extfile "$work/extensions" -in "$work/request" -out "$name.crt"
}

authority='basicConstraints=critical,CA:TRUE'
leaf='basicConstraints=critical,CA:FALSE'
for_server='extendedKeyUsage=serverAuth'
here='subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1'

make_certificate ca 'recurve test authority' sha256 "$ends" self "$authority" 'keyUsage=critical,keyCertSign,cRLSign'
make_certificate stranger 'authority that nobody trusts' sha256 "$ends" self "$authority"
make_certificate server localhost sha256 "$ends" ca "$leaf" "$for_server" "$here"
make_certificate server-sha512 localhost sha512 "$ends" ca "$leaf" "$for_server" "$here"
make_certificate elsewhere elsewhere.test sha256 "$ends" ca "$leaf" "$for_server" 'subjectAltName=DNS:elsewhere.test'
make_certificate expired localhost sha256 20210101000000Z ca "$leaf" "$for_server" "$here"
make_certificate client certified sha256 "$ends" ca "$leaf" extendedKeyUsage=clientAuth
openssl pkcs8 -topk8 -v2 aes-256-cbc -passout pass:open-sesame -in client.key -out client-encrypted.key
rm ca.key stranger.key
