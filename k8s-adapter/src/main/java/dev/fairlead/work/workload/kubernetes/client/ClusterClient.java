package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.ServerUrl;
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
 * Builds clients that use only the given connection: no configuration from the environment, no
 * proxy, no redirects, no retries, and one checked address.
 */
public final class ClusterClient {
  /** Watches retry after this time, then after up to 32 times as long, which is about a second. */
  private static final int WATCH_RECONNECT_MILLIS = 30;

  private ClusterClient() {}

  /**
   * @throws GeneralSecurityException if certificates or key cannot be read
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
   * Opens a client for logs, with one connection for each request, so that a slow reader does not
   * delay other requests.
   *
   * @throws GeneralSecurityException if certificates or key cannot be read
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
        .withKubernetesSerialization(ClusterJson.shared())
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
    /* Callers retry themselves, since a repeated POST could create twice and reads add load. */
    config.setRequestRetryBackoffLimit(0);
    config.setWatchReconnectInterval(WATCH_RECONNECT_MILLIS);
    /* Web sockets fail unnoticed. Watches over HTTP share the connection of answered probes. */
    config.setOnlyHttpWatches(true);
    config.setUserAgent("fairlead");
    return config;
  }

  /**
   * Removes the client's own interceptors, which impersonate, refresh tokens from files and repeat
   * calls with older API versions. The one under TRACE logs tokens and secrets.
   */
  private static void intercept(HttpClient.Builder builder, Connection.Kubernetes connection) {
    builder.addOrReplaceInterceptor(ImpersonatorInterceptor.NAME, null);
    builder.addOrReplaceInterceptor(TokenRefreshInterceptor.NAME, null);
    builder.addOrReplaceInterceptor(BackwardsCompatibilityInterceptor.NAME, null);
    builder.addOrReplaceInterceptor("HttpLogging", null);
    builder.addOrReplaceInterceptor("fairlead-token", new BearerToken(connection.token()));
  }

  /** The JDK's client with fixed TLS, redirect and proxy settings. */
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
