package dev.fairlead.kernel.egress;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;

/**
 * The location of a server.
 *
 * @param host name or literal address, IPv6 without brackets
 * @param path prefix without a trailing slash, empty if none
 */
public record ServerUrl(String host, int port, String path) {
  private static final int HTTPS = 443;
  private static final int HIGHEST_PORT = 65_535;
  private static final Pattern AMBIGUOUS = Pattern.compile("([0-9]+\\.)*0[0-9]+(\\.[0-9]+)*");

  /** The address is not accepted. */
  public static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  public static ServerUrl parse(String text) throws Refused {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new Refused("is no URL");
    }
    if (!"https".equalsIgnoreCase(uri.getScheme())) {
      throw new Refused("must start with https://");
    }
    if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new Refused("must not contain a user, a query or a fragment");
    }
    if (uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > HIGHEST_PORT) {
      throw new Refused("has no valid host and port");
    }
    if (AMBIGUOUS.matcher(uri.getHost()).matches()) {
      throw new Refused(
          "has an address with a leading zero, which some programs read as octal. Remove the"
              + " zero.");
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
    if (!path.matches("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")) {
      throw new Refused("has an invalid path");
    }
    String host = uri.getHost();
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    return new ServerUrl(
        bracketed ? host.substring(1, host.length() - 1) : host,
        uri.getPort() < 0 ? HTTPS : uri.getPort(),
        path);
  }

  /** Returns the URL of the same server with one of its addresses. */
  public String at(InetAddress address) {
    String literal = address.getHostAddress();
    int zone = literal.indexOf('%');
    String plain = zone < 0 ? literal : literal.substring(0, zone);
    return "https://"
        + (address instanceof Inet6Address ? "[" + plain + "]" : plain)
        + ":"
        + port
        + path
        + "/";
  }
}
