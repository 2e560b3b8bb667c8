# shellcheck shell=bash
# Certificates and kubeconfigs of one cluster, valid for 30 days.

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

cert() { # FILE SUBJECT EXTENSION KEY
  openssl req -new -key "$4" -subj "$2" -out "$DIR/pki/$1.csr" 2>/dev/null
  openssl x509 -req -in "$DIR/pki/$1.csr" -CA "$DIR/pki/ca.crt" -CAkey "$DIR/pki/ca.key" \
    -set_serial "0x$(openssl rand -hex 8)" -days 30 -extfile <(echo "$3") -out "$DIR/pki/$1.crt" 2>/dev/null
  rm "$DIR/pki/$1.csr"
}

kubeconfig_for() { # FILE SUBJECT TARGET
  # One RSA key for all clients, generated once, because every client library reads RSA.
  [[ -f $DIR/pki/client.key ]] ||
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$DIR/pki/client.key" 2>/dev/null
  cert "$1" "$2" extendedKeyUsage=clientAuth "$DIR/pki/client.key"
  { read -r API_PORT; } <"$DIR/ports"
  (umask 077; cat >"$3") <<K
apiVersion: v1
kind: Config
current-context: $NAME
contexts: [{name: $NAME, context: {cluster: $NAME, user: $1}}]
clusters: [{name: $NAME, cluster: {server: "https://$(<"$DIR/address"):$API_PORT", certificate-authority-data: $(base64 -w0 <"$DIR/pki/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 <"$DIR/pki/$1.crt"), client-key-data: $(base64 -w0 <"$DIR/pki/client.key")}}]
K
}

certificates() {
  key "$DIR/pki/ca.key"
  openssl req -x509 -new -key "$DIR/pki/ca.key" -days 30 -subj "/CN=$NAME-ca" -out "$DIR/pki/ca.crt" 2>/dev/null
  key "$DIR/pki/apiserver.key"
  cert apiserver /CN=kube-apiserver \
    "subjectAltName=IP:127.0.0.1,IP:$(<"$DIR/address"),IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc" "$DIR/pki/apiserver.key"
  key "$DIR/pki/sa.key"
  openssl ec -in "$DIR/pki/sa.key" -pubout -out "$DIR/pki/sa.pub" 2>/dev/null
  kubeconfig_for admin /O=system:masters/CN=admin "$DIR/kubeconfig"
  kubeconfig_for kcm /CN=system:kube-controller-manager "$DIR/pki/kcm.kubeconfig"
  kubeconfig_for scheduler /CN=system:kube-scheduler "$DIR/pki/scheduler.kubeconfig"
  kubeconfig_for kwok /O=system:masters/CN=kwok "$DIR/pki/kwok.kubeconfig"
}
