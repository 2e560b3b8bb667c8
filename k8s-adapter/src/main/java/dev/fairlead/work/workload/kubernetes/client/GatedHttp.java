package dev.fairlead.work.workload.kubernetes.client;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * The JDK's client behind a {@link Gate}. A request that does not pass fails like a refused
 * connection. Responses are cancelled on another thread ({@link CancelAside}).
 */
final class GatedHttp extends HttpClient {
  private static final Duration CLOSING = Duration.ofSeconds(10);
  private final HttpClient real;
  private final Gate gate;

  private GatedHttp(HttpClient real, Gate gate) {
    this.real = real;
    this.gate = gate;
  }

  /** Returns a builder of clients behind the gate. */
  static HttpClient.Builder builder(HttpClient.Builder real, Gate gate) {
    return new Builder(real, gate);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    if (!passes(request)) {
      throw new Gate.Closed();
    }
    return real.send(request, handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return passes(request) ? real.sendAsync(request, CancelAside.of(handler)) : shut();
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    return passes(request) ? real.sendAsync(request, CancelAside.of(handler), pushes) : shut();
  }

  /** Sessions of users do not pass the gate: their client has no gate. */
  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return new BoundedWebSockets(real.newWebSocketBuilder(), CLOSING);
  }

  private boolean passes(HttpRequest request) {
    return gate.passes(String.valueOf(request.uri().getPath()));
  }

  private static <T> CompletableFuture<T> shut() {
    return CompletableFuture.failedFuture(new Gate.Closed());
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return real.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return real.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return real.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return real.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return real.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return real.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return real.authenticator();
  }

  @Override
  public Version version() {
    return real.version();
  }

  @Override
  public Optional<Executor> executor() {
    return real.executor();
  }

  @Override
  public void shutdown() {
    real.shutdown();
  }

  @Override
  public void shutdownNow() {
    real.shutdownNow();
  }

  @Override
  public boolean isTerminated() {
    return real.isTerminated();
  }

  @Override
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return real.awaitTermination(duration);
  }

  @Override
  public void close() {
    real.close();
  }

  private record Builder(HttpClient.Builder real, Gate gate) implements HttpClient.Builder {
    @Override
    public HttpClient.Builder cookieHandler(CookieHandler handler) {
      real.cookieHandler(handler);
      return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration duration) {
      real.connectTimeout(duration);
      return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext context) {
      real.sslContext(context);
      return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters parameters) {
      real.sslParameters(parameters);
      return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
      real.executor(executor);
      return this;
    }

    @Override
    public HttpClient.Builder followRedirects(Redirect policy) {
      real.followRedirects(policy);
      return this;
    }

    @Override
    public HttpClient.Builder version(Version version) {
      real.version(version);
      return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
      real.priority(priority);
      return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector selector) {
      real.proxy(selector);
      return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
      real.authenticator(authenticator);
      return this;
    }

    @Override
    public HttpClient build() {
      return new GatedHttp(real.build(), gate);
    }
  }
}
