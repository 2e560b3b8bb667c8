package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.fleet.cluster.connection.Connection;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS for one cluster, or for a supplier with its own certificate authority. Only that authority is
 * trusted, never the system's.
 */
public final class ClusterTls {
  private ClusterTls() {}

  /** Returns whether the text is base64 of PEM certificates. */
  public static boolean readsCertificates(String caData) {
    try {
      return !Pem.certificates(caData).isEmpty();
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

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
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store("ca", Pem.certificates(connection.caData())));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(connection), trust.getTrustManagers(), null);
      return NamedSslContext.of(context, host);
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }

  /**
   * @param caData base64 of PEM certificates, null for the system's
   * @throws GeneralSecurityException if they cannot be read
   */
  public static SSLContext trusting(@Nullable String caData) throws GeneralSecurityException {
    if (caData == null) {
      return SSLContext.getDefault();
    }
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store("ca", Pem.certificates(caData)));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
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

  private static KeyStore store(String alias, List<X509Certificate> certificates)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (int i = 0; i < certificates.size(); i++) {
      store.setCertificateEntry(alias + i, certificates.get(i));
    }
    return store;
  }
}
