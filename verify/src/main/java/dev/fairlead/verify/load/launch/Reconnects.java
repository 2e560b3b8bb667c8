package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.verify.NetworkGate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * Twenty clusters (one control plane with twenty names, each behind its own gate) that disconnect
 * and reconnect together.
 */
final class Reconnects implements AutoCloseable {
  static final int CLUSTERS = 20;
  private static final Pattern SERVER = Pattern.compile("(127\\.0\\.0\\.1:)(\\d+)");
  private static final Duration POLL = Duration.ofMillis(50);
  private final List<NetworkGate> gates = new ArrayList<>();

  /** Registers them. Returns when all are connected. */
  Reconnects(FairleadApi api, LocalCluster cluster, Duration patience) throws InterruptedException {
    for (int i = 0; i < CLUSTERS; i++) {
      ObjectNode body = cluster.registration("many-" + i);
      Matcher server = SERVER.matcher(body.path("kubeconfig").asString());
      if (!server.find()) {
        throw new IllegalStateException("the cluster is not on this machine");
      }
      NetworkGate gate = NetworkGate.to(Integer.parseInt(server.group(2)));
      gates.add(gate);
      api.post("/clusters", body.put("kubeconfig", server.replaceAll("$1" + gate.port())));
    }
    Instant until = Instant.now().plus(patience);
    for (int i = 0; i < CLUSTERS; i++) { // a cluster seen as a copy is DEGRADED, but connected
      while (!api.get("/clusters/many-" + i).path("lastSeenAt").isString()) {
        pause(until, "many-" + i + " was not seen");
      }
    }
  }

  /** Seconds from the first new connection, over which it lists, to the last. */
  double spread(Duration patience) throws InterruptedException {
    gates.forEach(gate -> gate.set(NetworkGate.State.HANGING));
    Instant until = Instant.now().plus(patience);
    while (gates.stream().anyMatch(gate -> gate.connectedSince() == null)) {
      pause(until, "not all clusters were reconnected");
    }
    List<Instant> connected =
        gates.stream().map(NetworkGate::connectedSince).filter(Objects::nonNull).sorted().toList();
    gates.forEach(gate -> gate.set(NetworkGate.State.PASSING));
    return Duration.between(connected.getFirst(), connected.getLast()).toMillis() / 1000.0;
  }

  private static void pause(Instant until, String otherwise) throws InterruptedException {
    if (Instant.now().isAfter(until)) {
      throw new IllegalStateException(otherwise);
    }
    Thread.sleep(POLL);
  }

  @Override
  public void close() {
    gates.forEach(NetworkGate::close);
  }
}
