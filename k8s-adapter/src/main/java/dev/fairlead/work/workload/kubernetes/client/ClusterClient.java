package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.fleet.cluster.Connection;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.BackwardsCompatibilityInterceptor;
import io.fabric8.kubernetes.client.utils.ImpersonatorInterceptor;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import java.net.InetAddress;
import java.net.http.HttpClient.Redirect;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * Builds clients that do what the connection says and nothing else: no configuration from the
 * environment, no proxy, no redirects, no retries, connected to one checked address.
 */
public final class ClusterClient {
  /** Watches try again after so long, then after up to 32 times of it: about a second. */
  private static final int WATCH_RECONNECT_MILLIS = 30;

  private ClusterClient() {}

  /**
   * @throws GeneralSecurityException when certificates or key cannot be read
   */
  public static KubernetesClient open(
      Connection.Kubernetes connection,
      ServerUrl server,
      InetAddress address,
      Duration timeout,
      AnswerGuard guard)
      throws GeneralSecurityException {
    return open(
        connection,
        config(server.at(address), Math.toIntExact(timeout.toMillis())),
        new Pinned(ClusterTls.context(connection, server.host()), guard.gate()),
        builder -> builder.addOrReplaceInterceptor(AnswerGuard.NAME, guard));
  }

  /**
   * For output of members: a connection for each, so that one whose reader is slow holds up no
   * other and no call.
   *
   * @throws GeneralSecurityException when certificates or key cannot be read
   */
  public static KubernetesClient openForOutput(
      Connection.Kubernetes connection, ServerUrl server, InetAddress address, Duration timeout)
      throws GeneralSecurityException {
    Config config = config(server.at(address), Math.toIntExact(timeout.toMillis()));
    config.setHttp2Disable(true);
    Pinned pinned = new Pinned(ClusterTls.context(connection, server.host()), new Gate());
    return open(connection, config, pinned, builder -> {});
  }

  private static KubernetesClient open(
      Connection.Kubernetes connection,
      Config config,
      Pinned pinned,
      Consumer<HttpClient.Builder> more) {
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(pinned)
        .withHttpClientBuilderConsumer(builder -> {
          intercept(builder, connection);
          more.accept(builder);
        })
        .build();
  }

  private static Config config(String url, int timeoutMillis) {
    Config config = Config.empty();
    config.setMasterUrl(url);
    config.setConnectionTimeout(timeoutMillis);
    config.setRequestTimeout(timeoutMillis);
    // A repeated POST could create twice, and a slow cluster gets slower by repeated reads; callers
    // repeat by themselves.
    config.setRequestRetryBackoffLimit(0);
    config.setWatchReconnectInterval(WATCH_RECONNECT_MILLIS);
    // Watches share the connection with the calls, so that a probe which is answered says that they
    // live; as web sockets each would have its own, and die unseen.
    config.setOnlyHttpWatches(true);
    config.setUserAgent("fairlead");
    return config;
  }

  /**
   * The client's own interceptors impersonate, refresh tokens from files and repeat calls under
   * older API versions; the one that stands there under TRACE logs tokens and secrets.
   */
  private static void intercept(HttpClient.Builder builder, Connection.Kubernetes connection) {
    builder.addOrReplaceInterceptor(ImpersonatorInterceptor.NAME, null);
    builder.addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, null);
    builder.addOrReplaceInterceptor(BackwardsCompatibilityInterceptor.NAME, null);
    builder.addOrReplaceInterceptor("HttpLogging", null);
    builder.addOrReplaceInterceptor("fairlead-token", new BearerToken(connection.token()));
  }

  /** The JDK's client with the last word on TLS, redirects and proxies. */
  private static final class Pinned extends JdkHttpClientFactory {
    private final SSLContext tls;
    private final Gate gate;

    Pinned(SSLContext tls, Gate gate) {
      this.tls = tls;
      this.gate = gate;
    }

    @Override
    protected java.net.http.HttpClient.Builder createNewHttpClientBuilder() {
      return GatedHttp.builder(super.createNewHttpClientBuilder(), gate);
    }

    @Override
    protected void additionalConfig(java.net.http.HttpClient.Builder builder) {
      builder
          .sslContext(tls)
          .followRedirects(Redirect.NEVER)
          .proxy(java.net.http.HttpClient.Builder.NO_PROXY);
    }
  }
}
