package dev.fairlead.fleet.cluster;

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
 * The certificate by which Fairlead shows a cluster who it is. Nobody renews it.
 *
 * @param endsAt when the first of its chain ends
 */
public record ClientCertificate(Instant endsAt) {
  /** An operator is told so long before. */
  private static final Duration EARLY = Duration.ofDays(7);

  /** That of the connection; empty for other credentials, and for one that cannot be read. */
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
      return Optional.empty(); // the connection says so by itself
    }
  }

  private static Instant endOf(Certificate certificate) {
    return certificate instanceof X509Certificate x509
        ? x509.getNotAfter().toInstant()
        : Instant.MAX;
  }

  /** Whether it ends soon, or has ended. */
  public boolean late(Instant now) {
    return !now.isBefore(endsAt.minus(EARLY));
  }
}
