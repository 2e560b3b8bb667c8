package dev.fairlead.kernel.egress;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.URI;
import java.security.GeneralSecurityException;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * HTTPS to an address that users specify. An address that the egress policy allows is resolved once
 * and used. No operation waits beyond the call's deadline, and redirects and proxies are not
 * followed.
 */
public final class SafeHttps {
  private SafeHttps() {}

  /**
   * Returns a connection that is not open yet.
   *
   * @param url as accepted by {@link ServerUrl}
   * @param suffix path and query after it, empty if none
   * @param caData base64 of PEM certificates, null for the system's
   * @param untilNanos deadline of the call by {@link System#nanoTime}
   */
  public static HttpsURLConnection to(
      String url, String suffix, EgressPolicy egress, @Nullable String caData, long untilNanos)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    InetAddress address = egress.resolve(ServerUrl.parse(url).host()).getFirst();
    HttpsURLConnection connection =
        (HttpsURLConnection) URI.create(url + suffix).toURL().openConnection(Proxy.NO_PROXY);
    connection.setSSLSocketFactory(
        new PinnedSockets(ServerTls.context(caData).getSocketFactory(), address, untilNanos));
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setRequestProperty("User-Agent", "fairlead");
    connection.setRequestProperty("Connection", "close");
    return connection;
  }

  /** Returns why an address must not be called, null if it may be. */
  public static @Nullable String refusal(String url, @Nullable String caData, EgressPolicy egress) {
    try {
      egress.resolve(ServerUrl.parse(url).host());
      return caData == null || ServerTls.readable(caData)
          ? null
          : "caData is not base64 of PEM certificates";
    } catch (ServerUrl.Refused refused) {
      return "url " + refused.getMessage();
    } catch (EgressPolicy.Refused refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  /**
   * Reads the whole response.
   *
   * @param most maximum number of bytes
   * @param what error message for a longer response
   */
  public static byte[] body(HttpsURLConnection connection, int most, String what)
      throws IOException {
    try (InputStream in = connection.getInputStream()) {
      byte[] read = in.readNBytes(most + 1);
      if (read.length > most) {
        throw new IOException(what);
      }
      return read;
    }
  }

  /**
   * Sanitizes external text: shortens it and replaces everything that a terminal or log could
   * interpret.
   */
  public static String brief(String text, int longest) {
    String plain = text.replaceAll("[^ -~]", "?");
    return plain.length() > longest ? plain.substring(0, longest) + "..." : plain;
  }
}
