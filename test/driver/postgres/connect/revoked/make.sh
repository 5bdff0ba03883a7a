#!/bin/sh
# Makes the files of this folder with OpenSSL 3: an authority, a server certificate that it has revoked, and its list.
set -e
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat > "$scratch/ca.conf" <<END
[ca]
default_ca = own
[own]
database = $scratch/index
default_md = sha256
new_certs_dir = $scratch
serial = $scratch/serial
policy = any
x509_extensions = names
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
[names]
subjectAltName = DNS:localhost, IP:127.0.0.1
END
: > "$scratch/index"
echo 01 > "$scratch/serial"
curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
days='-startdate 20200101000000Z -enddate 21260101000000Z'
openssl req $curve -subj /CN=recurve-revoking -keyout "$scratch/ca.key" -out "$scratch/ca.csr"
openssl req $curve -subj /CN=localhost -keyout server.key -out "$scratch/server.csr"
own="openssl ca -batch -config $scratch/ca.conf -keyfile $scratch/ca.key"
list='-gencrl -crl_lastupdate 20200101000000Z -crl_nextupdate 21260101000000Z'
$own $days -selfsign -extensions authority -in "$scratch/ca.csr" -notext -out ca.crt
$own $days -cert ca.crt -in "$scratch/server.csr" -notext -out server.crt
$own $list -cert ca.crt -out empty.crl
$own -cert ca.crt -revoke server.crt
$own $list -cert ca.crt -out ca.crl
chmod 644 server.key
