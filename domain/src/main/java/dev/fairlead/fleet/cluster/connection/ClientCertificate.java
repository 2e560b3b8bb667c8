package dev.fairlead.fleet.cluster.connection;

import java.io.ByteArrayInputStream;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * The client certificate that authenticates Fairlead to a cluster. It is not renewed automatically.
 *
 * @param endsAt time when the first certificate of its chain expires
 */
public record ClientCertificate(Instant endsAt) {
  /** Time before expiry at which operators are warned. */
  private static final Duration EARLY = Duration.ofDays(7);

  /**
   * Returns the certificate of the connection. The result is empty for other credentials and for an
   * unreadable certificate.
   */
  public static Optional<ClientCertificate> of(Connection connection) {
    return connection instanceof Connection.Kubernetes real && real.clientCertificateData() != null
        ? parse(real.clientCertificateData())
        : Optional.empty();
  }

  private static Optional<ClientCertificate> parse(String data) {
    try {
      byte[] pem = Base64.getMimeDecoder().decode(data);
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(pem))
          .stream()
          .map(ClientCertificate::endOf)
          .min(Instant::compareTo)
          .map(ClientCertificate::new);
    } catch (CertificateException | IllegalArgumentException unreadable) {
      return Optional.empty(); // the connection itself reports this error
    }
  }

  private static Instant endOf(Certificate certificate) {
    return certificate instanceof X509Certificate x509
        ? x509.getNotAfter().toInstant()
        : Instant.MAX;
  }

  /** Returns whether the certificate expires soon or has expired. */
  public boolean late(Instant now) {
    return !now.isBefore(endsAt.minus(EARLY));
  }
}
