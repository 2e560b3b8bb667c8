package dev.fairlead.kernel.egress;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/** Reads certificates and keys in the format of a kubeconfig: PEM inside base64. */
public final class Pem {
  private Pem() {}

  /**
   * Reads a chain of at least one certificate.
   *
   * @throws GeneralSecurityException for anything else
   */
  public static List<X509Certificate> certificates(String base64) throws GeneralSecurityException {
    List<X509Certificate> chain = read(base64, PemContent::getCertificates);
    if (chain == null || chain.isEmpty()) {
      throw new GeneralSecurityException("no certificate");
    }
    return chain;
  }

  /**
   * Reads an unencrypted key: PKCS#8, or the older forms of RSA (PKCS#1) and elliptic curves (SEC
   * 1).
   *
   * @throws GeneralSecurityException for anything else
   */
  public static PrivateKey key(String base64) throws GeneralSecurityException {
    PrivateKey key = read(base64, PemContent::getPrivateKey);
    if (key == null) {
      throw new GeneralSecurityException("no private key");
    }
    return key;
  }

  private static <T> @Nullable T read(String base64, Function<PemContent, @Nullable T> part)
      throws GeneralSecurityException {
    try {
      String text = new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.US_ASCII);
      return part.apply(PemContent.of(text));
    } catch (RuntimeException unread) { // the parser has no common type for bad input
      throw new GeneralSecurityException("no PEM that can be read", unread);
    }
  }
}
