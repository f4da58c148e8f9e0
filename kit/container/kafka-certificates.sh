#!/bin/sh
# Certificates for Kafka brokers of a region: kafka-certificates.sh FOLDER HOST…
# ca.pem and ca-key.pem are for the region, which signs the certificates of users with them; ca.pem and broker.pem (key
# and certificate, valid for all hosts) are for the brokers. Existing files are not replaced.
set -eu
folder=$1
shift
names=$(printf ',DNS:%s' "$@")
mkdir -p "$folder"
cd "$folder"
umask 077
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }
if [ ! -e ca.pem ]; then
  new_key ca-key.pem
  openssl req -x509 -new -key ca-key.pem -subj "/CN=Kafka CA of a region" -days 3650 -out ca.pem \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
fi
if [ ! -e broker.pem ]; then
  new_key broker-key.pem
  openssl req -new -key broker-key.pem -subj /CN=cumulet-broker -out broker.csr
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "${names#,}" >broker.ext
  openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 825 -extfile broker.ext \
    -out broker-cert.pem
  cat broker-key.pem broker-cert.pem ca.pem >broker.pem
  rm broker-key.pem broker-cert.pem broker.csr broker.ext
fi
chmod 644 ca.pem broker.pem # the brokers run as another user
