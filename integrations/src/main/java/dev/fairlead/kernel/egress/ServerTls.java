package dev.fairlead.kernel.egress;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS for a server with its own CA, the only trusted CA. */
public final class ServerTls {
  private ServerTls() {}

  /** Returns whether the text is base64 of PEM certificates. */
  public static boolean readable(String caData) {
    try {
      return !Pem.certificates(caData).isEmpty();
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /**
   * Returns TLS without a client certificate.
   *
   * @param caData base64 of PEM certificates, null for those of the system
   * @throws GeneralSecurityException if they cannot be read
   */
  static SSLContext context(@Nullable String caData) throws GeneralSecurityException {
    if (caData == null) {
      return SSLContext.getDefault();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers(caData), null);
    return context;
  }

  /**
   * Returns trust managers that accept only certificates of that authority.
   *
   * @param caData base64 of PEM certificates
   * @throws GeneralSecurityException if they cannot be read
   */
  public static TrustManager[] managers(String caData) throws GeneralSecurityException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      List<X509Certificate> certificates = Pem.certificates(caData);
      for (int i = 0; i < certificates.size(); i++) {
        store.setCertificateEntry("ca" + i, certificates.get(i));
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return trust.getTrustManagers();
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }
}
