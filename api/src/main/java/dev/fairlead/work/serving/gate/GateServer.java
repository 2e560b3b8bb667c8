package dev.fairlead.work.serving.gate;

import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/** The HTTP server of the gate, separate from the API server. */
final class GateServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GateServer.class);

  /** Time within which a disconnected client is detected. */
  private static final Duration LOOK = Duration.ofMillis(250);

  private static final int HEADERS = 64 * 1024;
  private static final int MOST_HEADERS = 100;
  private static final int RESPONSE_HEADERS = 32 * 1024;
  private final Tomcat tomcat = new Tomcat();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("gate-clients").factory());
  private final Path directory;

  /**
   * Starts it.
   *
   * @throws IllegalStateException if the port is not free
   */
  GateServer(
      GateSettings settings, HttpServlet servlet, ClientConnections clients, WaitingRoom room) {
    try {
      directory = Files.createTempDirectory("fairlead-gate");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    tomcat.setBaseDir(directory.toString());
    tomcat.setConnector(connector(settings, clients));
    tomcat.getHost().getPipeline().addValve(plainErrors());
    Context context = tomcat.addContext("", null);
    if (context instanceof StandardContext standard) {
      standard.setClearReferencesThreadLocals(false);
      standard.setClearReferencesRmiTargets(false);
    }
    Tomcat.addServlet(context, "gate", servlet);
    context.addServletMappingDecoded("/", "gate");
    try {
      tomcat.start();
    } catch (LifecycleException failed) {
      removeDirectory();
      throw new IllegalStateException("the gate does not start", failed);
    }
    ScheduledFuture<?> _ =
        watch.scheduleWithFixedDelay(
            () -> look(room), LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A failed look is repeated. */
  private static void look(WaitingRoom room) {
    try {
      room.look();
    } catch (RuntimeException failed) {
      LOG.warn("the gate reads its clients again", failed);
    }
  }

  /** Errors of Tomcat name neither its version nor an exception. */
  private static ErrorReportValve plainErrors() {
    ErrorReportValve valve = new ErrorReportValve();
    valve.setShowReport(false);
    valve.setShowServerInfo(false);
    return valve;
  }

  private Connector connector(GateSettings settings, ClientConnections clients) {
    Http11NioProtocol protocol = new Http11NioProtocol(clients);
    int silence = Math.toIntExact(settings.silence().toMillis());
    protocol.setConnectionTimeout(silence);
    protocol.setMaxHttpRequestHeaderSize(HEADERS);
    protocol.setMaxHeaderCount(MOST_HEADERS);
    protocol.setMaxHttpResponseHeaderSize(RESPONSE_HEADERS);
    protocol.setMaxSwallowSize(0);
    protocol.setMaxConnections(2 * settings.requests());
    protocol.setExecutor(threads);
    Connector connector = new Connector(protocol);
    connector.setPort(settings.port());
    connector.setThrowOnFailure(true);
    connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
    connector.setXpoweredBy(false);
    return connector;
  }

  int port() {
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void close() {
    watch.shutdownNow();
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException failed) {
      throw new IllegalStateException("the gate does not stop", failed);
    } finally {
      threads.shutdownNow();
      removeDirectory();
    }
  }

  /** A start that fails is repeated, and each one creates a directory. */
  private void removeDirectory() {
    try {
      FileSystemUtils.deleteRecursively(directory);
    } catch (IOException failed) {
      LOG.warn("directory {} of the gate is not removed", directory, failed);
    }
  }
}
