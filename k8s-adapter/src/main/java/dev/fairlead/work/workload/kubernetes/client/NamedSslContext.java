package dev.fairlead.work.workload.kubernetes.client;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A context with engines for a fixed host name. The connection uses a checked address, so the URL
 * contains that address. SNI and the certificate check use the name that the operator registered.
 */
final class NamedSslContext extends SSLContext {
  private NamedSslContext(SSLContext context, String host) {
    super(new Engines(context, host), context.getProvider(), context.getProtocol());
  }

  static SSLContext of(SSLContext context, String host) {
    return new NamedSslContext(context, host);
  }

  private static final class Engines extends SSLContextSpi {
    private final SSLContext context;
    private final String host;

    Engines(SSLContext context, String host) {
      this.context = context;
      this.host = host;
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String address, int port) {
      return context.createSSLEngine(host, port);
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return context.createSSLEngine(host, -1);
    }

    @Override
    protected void engineInit(
        KeyManager @Nullable [] keys,
        TrustManager @Nullable [] trust,
        @Nullable SecureRandom random) {
      throw new IllegalStateException("initialised already");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      return context.getSocketFactory();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      return context.getServerSocketFactory();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return context.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return context.getClientSessionContext();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return context.getDefaultSSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return context.getSupportedSSLParameters();
    }
  }
}
