package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader.Answer;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.HostLookup;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.kernel.egress.TestIdentity;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.ClusterClient;
import dev.fairlead.work.workload.kubernetes.client.SafeKubeconfigReader;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Addresses that attackers have used to make services connect to forbidden targets. */
class HostileAddressesTest {
  private static final Map<String, String> NAMES =
      Map.of(
          "public.example", "93.184.216.34",
          "inside.example", "10.1.2.3",
          "inside.example.", "10.1.2.3",
          "six.example", "fd00::1",
          "metadata.google.internal", "169.254.169.254",
          "kubernetes.default.svc", "10.96.0.1",
          "127.0.0.1.nip.example", "127.0.0.1");

  /**
   * By kind. All lookups except those of names use the system's resolver, which needs no network.
   */
  private static final Map<String, List<String>> HOSTS =
      Map.ofEntries(
          Map.entry(
              "loopback",
              List.of(
                  "127.0.0.1",
                  "127.255.255.254",
                  "0.0.0.0",
                  "[::1]",
                  "[::]",
                  "localhost",
                  "LOCALHOST")),
          Map.entry(
              "short", List.of("127.1", "127.0.1", "0", "10.1", "169.254.43518", "169.16689662")),
          Map.entry("decimal", List.of("2130706433", "2852039166", "167772161", "3232235777")),
          Map.entry(
              "octal", List.of("0177.0.0.1", "017700000001", "0251.0376.0251.0376", "00.0.0.0")),
          Map.entry(
              "hex",
              List.of("0x7f000001", "0x7f.0.0.1", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0x0")),
          Map.entry(
              "metadata",
              List.of(
                  "169.254.169.254",
                  "169.254.170.2",
                  "168.63.129.16",
                  "100.100.100.200",
                  "192.0.0.192",
                  "[fd00:ec2::254]",
                  "[fd20:ce::254]",
                  "metadata.google.internal")),
          Map.entry(
              "private",
              List.of(
                  "10.0.0.1",
                  "172.16.0.1",
                  "172.31.255.255",
                  "192.168.1.1",
                  "100.64.0.1",
                  "[fd00::1]")),
          Map.entry(
              "reserved",
              List.of(
                  "192.0.2.1",
                  "198.18.0.1",
                  "224.0.0.1",
                  "240.0.0.1",
                  "255.255.255.255",
                  "192.88.99.1")),
          Map.entry(
              "ipv4 in ipv6",
              List.of(
                  "[::ffff:127.0.0.1]",
                  "[::ffff:a9fe:a9fe]",
                  "[::127.0.0.1]",
                  "[::ffff:0:7f00:1]")),
          Map.entry(
              "nat64",
              List.of("[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]", "[64:ff9b:1::a00:1]")),
          Map.entry(
              "tunnels", List.of("[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:7f00:1::1]")),
          Map.entry("link-local", List.of("[fe80::1]", "[febf::1]", "[fec0::1]", "[ff02::1]")),
          Map.entry("zone ids", List.of("[fe80::1%25lo]", "[fe80::1%lo]", "[::1%25lo]", "[::1%1]")),
          Map.entry("other ipv6", List.of("[100::1]", "[5f00::1]", "[2001:db8::1]", "[3fff::1]")),
          Map.entry(
              "trailing dot",
              List.of("127.0.0.1.", "169.254.169.254.", "localhost.", "inside.example.")),
          Map.entry(
              "names",
              List.of(
                  "inside.example",
                  "six.example",
                  "kubernetes.default.svc",
                  "127.0.0.1.nip.example")),
          Map.entry(
              "unicode",
              List.of(
                  "127\u30020\u30020\u30021",
                  "127\uff0e0\uff0e0\uff0e1",
                  "\uff11\uff12\uff17.0.0.1",
                  "\u2460\u2461\u2466.0.0.1",
                  "\u24dbocalhost",
                  "localho\u017ft",
                  "127.0.0.1\u200b",
                  "\u202e1.0.0.721")));

  private static final List<String> URLS =
      List.of(
          "http://public.example",
          "ftp://public.example",
          "file:///etc/passwd",
          "gopher://127.0.0.1:6443",
          "jar:https://public.example!/",
          "unix:/var/run/docker.sock",
          "//127.0.0.1",
          "https:127.0.0.1",
          "https:///127.0.0.1",
          "https://",
          "https://public.example@127.0.0.1",
          "https://public.example:443@127.0.0.1/",
          "https://127.0.0.1:6443@public.example",
          "https://127.0.0.1%2f@public.example",
          "https://127.0.0.1#@public.example",
          "https://127.0.0.1\\@public.example",
          "https://public.example\\@127.0.0.1",
          "https://public.example%00.inside.example",
          "https://public.example%2einside.example",
          "https://public.example?@127.0.0.1",
          "https://public.example/redirect?to=https://127.0.0.1",
          "https://public.example/../..",
          "https://public.example/%2e%2e/",
          "https://public.example/..;/",
          "https://public.example//127.0.0.1",
          "https://public.example:0",
          "https://public.example:65536",
          "https://public.example:443:22",
          "https://public.example:-1",
          "https://[::1",
          "https://[127.0.0.1]",
          "https://[::ffff:127.0.0.1%25public.example]",
          " https://127.0.0.1",
          "https://127.0.0.1\t",
          "https://public.example\r\nHost: 127.0.0.1",
          "https://public.example\n.inside.example",
          "https://0x7f.1",
          "https://%31%32%37.0.0.1",
          "https://public.example,127.0.0.1",
          "https://public.example 127.0.0.1");

  private static final HostLookup LOOKUP =
      host -> {
        String literal = NAMES.get(host);
        return literal == null
            ? HostLookup.system(5).addresses(host)
            : List.of(InetAddress.ofLiteral(literal));
      };

  private final SafeKubeconfigReader reader =
      new SafeKubeconfigReader(new EgressPolicy(List.of(), LOOKUP));

  private Answer check(String server) {
    return reader.check(
        new Connection.Kubernetes(
            server, TestIdentity.certificate(), new Secret("the-token"), null, null));
  }

  /** A config rejected for a field other than its address would be accepted with a better value. */
  private void assertRefused(List<String> wrong, String server) {
    boolean refused =
        check(server) instanceof Answer.Refused(List<FieldProblem> problems)
            && problems.stream().allMatch(p -> p.pointer().equals("/connection/server"));
    if (!refused) {
      wrong.add(server);
    }
  }

  /** Fails when one range of {@link EgressPolicy} or one check of {@link ServerUrl} is left out. */
  @Test
  void hostileAddressesAreRejected() {
    List<String> wrong = new ArrayList<>();
    int addresses = 0;
    for (Map.Entry<String, List<String>> kind : HOSTS.entrySet()) {
      kind.getValue().forEach(host -> assertRefused(wrong, "https://" + host + ":6443"));
      addresses += kind.getValue().size();
      System.out.printf("security ssrf %-14s %3d refused%n", kind.getKey(), kind.getValue().size());
    }
    URLS.forEach(url -> assertRefused(wrong, url));

    assertThat(wrong).isEmpty();
    assertThat(addresses + URLS.size()).isGreaterThan(60);
    System.out.printf("security ssrf: %d hosts and %d URLs, all refused%n", addresses, URLS.size());
  }

  /** Fails when an address of the table is refused for a reason other than the stated one. */
  @Test
  void publicAddressesAreAccepted() {
    for (String host :
        List.of(
            "public.example", "93.184.216.34", "[2606:2800:220:1::1]", "public.example/k8s/a")) {
      assertThat(check("https://" + host)).as(host).isInstanceOf(Answer.Accepted.class);
    }
  }

  /** Fails when the connection is made to the name: the second answer is a forbidden address. */
  @Test
  void nameThatChangesItsAddressConnectsToTheCheckedOne() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    HostLookup rebinding =
        host ->
            List.of(
                InetAddress.ofLiteral(asked.getAndIncrement() == 0 ? "127.0.0.1" : "127.0.0.2"));
    EgressPolicy policy = new EgressPolicy(List.of(Cidr.parse("127.0.0.1/32")), rebinding);
    try (FakeApiServer server =
            new FakeApiServer(
                (exchange, n) -> FakeApiServer.send(exchange, 200, LyingApiServer.VERSION));
        ServerSocketChannel inside = ServerSocketChannel.open()) {
      Connection.Kubernetes connection = server.connection("cluster.example");
      int port = URI.create(connection.server()).getPort();
      inside.bind(new InetSocketAddress("127.0.0.2", port)).configureBlocking(false);
      ServerUrl url = ServerUrl.parse(connection.server());
      InetAddress checked = policy.resolve(url.host()).getFirst();
      try (KubernetesClient client =
          ClusterClient.open(
              connection, url, checked, Duration.ofSeconds(5), new AnswerGuard(wait -> {}))) {
        assertThat(client.getKubernetesVersion().getGitVersion()).isEqualTo("v1.36.4");
      }

      assertThat(server.requests()).isNotEmpty();
      assertThat(inside.accept()).isNull();
      assertThat(asked).hasValue(1);
      assertThatThrownBy(() -> policy.resolve(url.host())).isInstanceOf(EgressPolicy.Refused.class);
    }
    System.out.println("security ssrf: rebinding name connected to the checked address");
  }
}
