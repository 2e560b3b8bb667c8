package dev.fairlead.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Two free ports of 127.0.0.1. */
public record LoopbackPorts(int api, int management) {
  private static final int TRIES = 100;
  private static final int RANGE = 28_000;
  private static final int RANGE_END = 32_000;
  private static final int DEFAULT_API = 8080;
  private static final int DEFAULT_MANAGEMENT = 8081;

  /**
   * {@code FAIRLEAD_PORT} and {@code FAIRLEAD_MANAGEMENT_PORT}, or 8080 and 8081 when free, else
   * the next free ones.
   */
  public static LoopbackPorts choose(Map<String, String> environment) {
    int api = free(wanted(environment, "FAIRLEAD_PORT", DEFAULT_API), -1);
    int management = free(wanted(environment, "FAIRLEAD_MANAGEMENT_PORT", DEFAULT_MANAGEMENT), api);
    return new LoopbackPorts(api, management);
  }

  /** Address of the API, without a slash at the end. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + api);
  }

  /** Two ports that are free now. */
  public static LoopbackPorts any() {
    int api = anyPort();
    return new LoopbackPorts(api, otherThan(api));
  }

  /**
   * A free port from 28000 to 31999: ephemeral ports are above (IANA, RFC 6335: from 49152, Linux:
   * from 32768), and ports of test clusters below.
   */
  public static int anyPort() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(RANGE, RANGE_END);
      if (isFree(port)) {
        return port;
      }
    }
    throw new StartFailed(
        "no free port from " + RANGE + " to " + (RANGE_END - 1) + " on 127.0.0.1");
  }

  private static int otherThan(int taken) {
    int port = anyPort();
    return port == taken ? otherThan(taken) : port;
  }

  private static int wanted(Map<String, String> environment, String name, int otherwise) {
    String text = environment.get(name);
    if (text == null || text.isBlank()) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new StartFailed(name + " is \"" + text + "\", expected a port such as " + otherwise, e);
    }
  }

  private static int free(int from, int taken) {
    for (int port = from; port < from + TRIES; port++) {
      if (port != taken && isFree(port)) {
        return port;
      }
    }
    throw new StartFailed(
        "no free port from " + from + " to " + (from + TRIES - 1) + " on 127.0.0.1");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
