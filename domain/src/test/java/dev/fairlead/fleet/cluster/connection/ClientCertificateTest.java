package dev.fairlead.fleet.cluster.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientCertificateTest {
  private static X509Certificate any() throws Exception {
    TrustManagerFactory known = TrustManagerFactory.getInstance("PKIX");
    known.init((KeyStore) null);
    return ((X509TrustManager) known.getTrustManagers()[0]).getAcceptedIssuers()[0];
  }

  private static Connection with(@Nullable String data) {
    return new Connection.Kubernetes("https://east", "", null, data, null);
  }

  private static String base64(X509Certificate certificate) throws Exception {
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
  }

  // Fails when an operator is warned only on the day when the cluster stops responding.
  @Test
  void certificateIsLateAWeekBeforeItsEnd() throws Exception {
    X509Certificate certificate = any();
    Instant end = certificate.getNotAfter().toInstant();
    ClientCertificate read = ClientCertificate.of(with(base64(certificate))).orElseThrow();

    assertThat(read.endsAt()).isEqualTo(end);
    assertThat(read.late(end.minus(Duration.ofDays(8)))).isFalse();
    assertThat(read.late(end.minus(Duration.ofDays(6)))).isTrue();
  }

  @Test
  void unreadableAndOtherCredentialsHaveNoExpiry() {
    assertThat(ClientCertificate.of(with(null))).isEmpty();
    assertThat(ClientCertificate.of(with("bm90IGEgY2VydGlmaWNhdGU="))).isEmpty();
    assertThat(ClientCertificate.of(with("%%%"))).isEmpty();
  }
}
