package dev.fairlead.kernel.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;

/**
 * Names that need no resolver. Literal addresses, in every form that the JDK reads, resolve to
 * themselves.
 */
public final class FakeHosts {
  private static final Map<String, List<String>> NAMES =
      Map.of(
          "public.example", List.of("93.184.216.34"),
          "inside.example", List.of("127.0.0.1"),
          "mixed.example", List.of("93.184.216.34", "10.1.2.3"),
          "cluster.example", List.of("127.0.0.1"));

  public static final HostLookup LOOKUP =
      host -> {
        List<String> literals = NAMES.getOrDefault(host, List.of(host));
        try {
          return literals.stream().map(InetAddress::ofLiteral).toList();
        } catch (IllegalArgumentException e) {
          throw new UnknownHostException(host);
        }
      };

  private FakeHosts() {}
}
