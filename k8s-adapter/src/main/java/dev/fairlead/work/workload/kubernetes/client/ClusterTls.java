package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.Pem;
import dev.fairlead.kernel.egress.ServerTls;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS for one cluster, which trusts only the CA of the cluster. */
final class ClusterTls {
  private ClusterTls() {}

  static boolean readsKeyPair(String certificateData, String keyData) {
    try {
      PrivateKey key = Pem.key(keyData);
      return key.getAlgorithm()
          .startsWith(Pem.certificates(certificateData).getFirst().getPublicKey().getAlgorithm());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /**
   * @param host the name in the accepted certificate, regardless of the address
   * @throws GeneralSecurityException if certificates or key cannot be read
   */
  static SSLContext context(Connection.Kubernetes connection, String host)
      throws GeneralSecurityException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(connection), ServerTls.managers(connection.caData()), null);
      return NamedSslContext.of(context, host);
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private static KeyManager[] keys(Connection.Kubernetes connection)
      throws GeneralSecurityException, IOException {
    if (connection.clientCertificateData() == null || connection.clientKeyData() == null) {
      return new KeyManager[0];
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    Certificate[] chain =
        Pem.certificates(connection.clientCertificateData()).toArray(Certificate[]::new);
    store.setKeyEntry("client", Pem.key(connection.clientKeyData().reveal()), new char[0], chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    return keys.getKeyManagers();
  }
}
