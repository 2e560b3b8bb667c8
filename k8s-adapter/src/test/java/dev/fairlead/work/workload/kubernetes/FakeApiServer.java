package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.ClusterClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/** An API server that answers as its test specifies, and its clients. */
public final class FakeApiServer extends FakeHttps {
  /** For one call: the first of a JVM loads all that a client needs. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  public FakeApiServer(Answer answer) {
    super(answer);
  }

  FakeApiServer(Answer answer, SSLContext tls, String authority) {
    super(answer, tls, authority);
  }

  public static String status(int code, String reason) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\",\"message\":\"told so\",\"code\":%d}"
        .formatted(reason, code);
  }

  Connection.Kubernetes connection(String host) {
    return new Connection.Kubernetes(url(host), caData(), new Secret("the-token"), null, null);
  }

  KubernetesClient client() throws GeneralSecurityException, ServerUrl.Refused {
    return client(PATIENCE);
  }

  /** A client with this timeout for a response. */
  public KubernetesClient client(Duration patience)
      throws GeneralSecurityException, ServerUrl.Refused {
    Connection.Kubernetes connection = connection("cluster.example");
    return ClusterClient.open(
        connection,
        ServerUrl.parse(connection.server()),
        InetAddress.getLoopbackAddress(),
        patience,
        new AnswerGuard(wait -> {}));
  }
}
